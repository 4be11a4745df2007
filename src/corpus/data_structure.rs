//! Cases about a data file's FlatBuffer. A reader without a verifier does not detect faults in the FlatBuffer.

use super::defects::root_into_header;
use super::{base, cases};
use crate::annotate::PartKind;
use crate::rules::{flat_tensor, flatbuffer as rules};

/// Two tensors with the same 48 bytes.
fn equal_blobs() -> base::BaseBytes {
    let entries = ["alpha", "gamma"].into_iter().zip(0..);
    let entries = entries.map(|(key, segment)| base::named(key, segment, Some(base::floats(&[4, 3]))));
    base::data(entries.collect(), &[&base::ramp(48), &base::ramp(48)])
}

cases! {
    /// The root offset points a megabyte past the end of a FlatBuffer of 400 bytes. If a reader does not check the root
    /// offset, it reads the root table outside the FlatBuffer.
    reject "ptd/structure/root-past-end": "root offset past the FlatBuffer" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors", refs ["pytorch/executorch#22118"] => |file| file.root(0x10_0000);

    /// The root offset is 0 and points to itself. The zero bytes of the root offset form a table without fields, so the
    /// file seems to have no lists. A reader must check that the root offset is at least 8.
    reject "ptd/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(0);

    /// The root offset is 2^32 − 1. In 32-bit arithmetic, the root table is one byte before the buffer; in 64-bit
    /// arithmetic, the table is almost 4 GiB past the buffer.
    reject "ptd/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root offset is 4 and points to the identifier. As a vtable offset, the identifier's letters point 825
    /// million bytes before the file. A reader that checks only the upper limit of the root offset accepts the file.
    reject "ptd/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(4);

    /// The root offset is one byte too large. As a vtable offset, the word at this position points 128 MiB before the
    /// file. A reader must check that the root table is aligned to 4 bytes.
    reject "ptd/structure/root-unaligned": "root table not aligned to 4 bytes" breaks rules::FB_ROOT_ALIGNED,
        from "ptd/valid/tensors" => |file| file.root(file.u32_at(0) + 1);

    /// The vtable of the second entry is 2 GiB before the file. A lookup of the first key succeeds, and a lookup of any
    /// other key reads outside the file.
    reject "ptd/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MAX);

    /// The vtable of the second entry is a megabyte past the entry. A reader must check the vtable of every entry; a
    /// check of only the list of entries is not enough.
    reject "ptd/structure/vtable-past-end": "vtable past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", -0x10_0000);

    /// The vtable offset is −2^31, and the negation of −2^31 overflows in 32-bit arithmetic. A reader that adds the
    /// negated offset to the table's position gets a position 2 GiB away, on the wrong side of the table.
    reject "ptd/structure/vtable-distance-min": "vtable offset −2^31" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MIN);

    /// The length of a vtable that two entries share is 0, so neither entry has a key. A reader that lists the keys
    /// without a null check returns null pointers.
    reject "ptd/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 0);

    /// The length of a vtable that two entries share is odd, so the vtable ends inside the slot of `key`. Readers that
    /// check only the slot's start use the key, and readers that check the slot's end ignore the key.
    reject "ptd/structure/vtable-length-odd": "odd vtable length" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 5);

    /// In the vtable, the offset of the key is 65 520, which is past the end of the file. If a reader checks only
    /// whether the slot is 0, it reads the key outside the file.
    reject "ptd/structure/field-past-end": "field past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0xfff0);

    /// The offset to an entry is 0, so the entry's table begins at the offset itself. This 0 is also the table's vtable
    /// offset, so the table is its own vtable and has no key.
    reject "ptd/structure/element-0": "offset 0 in a vector of tables" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[1]", 0);

    /// The offset to the layout is 2^32 − 4. FlatBuffers offsets are unsigned. If a reader adds the offset in 32-bit
    /// arithmetic, the position wraps to the start of the entry. The reader then uses the entry as the layout.
    reject "ptd/structure/reference-negative": "offset 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].tensor_layout", u32::MAX - 3);

    /// The declared length of a key is 4 096 bytes, but the FlatBuffer has only 400 bytes. A reader that copies 4 096
    /// bytes reads past the end of the FlatBuffer.
    reject "ptd/structure/key-too-long": "key longer than the FlatBuffer" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].key", 0x1000);

    /// A key contains bytes that are not UTF-8. Readers that compare bytes accept the key. Readers that decode keys may
    /// reject the file or lose the key.
    either "ptd/structure/key-not-utf-8": "key that is not UTF-8" about rules::FB_STRING_UTF8,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 0, &[0xff, 0xfe]);

    /// The vtable's length is 65534, so the vtable extends past the FlatBuffer. The three known slots are valid, so a
    /// reader that checks only these slots accepts the file.
    reject "ptd/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[0]", 65534);

    /// The count of entries is one million, but the file has three entries. A search for an unknown key continues after
    /// the third entry and uses the following bytes as offsets.
    reject "ptd/structure/named-data-length-forged": "named_data with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS, from "ptd/valid/tensors" => |file| file.count("named_data", 0x0010_0000);

    /// The count of segments is 2^30 + 1. Multiplied by 4 in 32-bit arithmetic, the count wraps to 4. A reader that
    /// accepts the count also accepts invalid segment indices.
    reject "ptd/structure/segments-length-forged": "segments with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("segments", 0x4000_0001);

    /// The count of sizes is 2^31 − 1, but the tensor has two sizes. A reader that multiplies all declared sizes reads
    /// past the end of the file.
    reject "ptd/structure/sizes-length-forged": "layout sizes with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.sizes", 0x7fff_ffff);

    /// The offset to the layout is 0 and points to itself. The layout seems present, but it has no fields. A reader
    /// that does not check `sizes` and `dim_order` dereferences a null pointer.
    reject "ptd/structure/layout-reference-0": "tensor_layout offset 0" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].tensor_layout", 0);

    /// The offset to a key points past the FlatBuffer. If a reader prints or compares the key, it reads memory after
    /// the file, up to the next NUL.
    reject "ptd/structure/key-past-end": "key past the FlatBuffer" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].key", 0x10_0000);

    /// The key's terminator is overwritten with `!`. Readers that use the length get `weight`, and readers that use C
    /// strings get `weight!`. A reader must require the NUL terminator.
    reject "ptd/structure/key-not-terminated": "key without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "ptd/valid/tensors" => |file| file.terminator("named_data[0].key", b'!');

    /// The 64-bit offset of a segment is aligned to 4 bytes, but not to 8 bytes. The value mixes bytes of two fields,
    /// and the unaligned load causes a fault on some hosts.
    reject "ptd/structure/scalar-unaligned": "64-bit segment offset not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| {
            let segment = file.at("segments[1]", PartKind::Table);
            let offset = file.at("segments[1].offset", PartKind::Scalar);
            let shifted = u16::try_from(offset - segment).unwrap_or(0) ^ 4;
            file.own_slot("segments[1]", 0, shifted);
        };

    /// The 64-bit size of a segment is aligned to 4 bytes, but not to 8 bytes. The value mixes bytes of two fields, and
    /// the unaligned load causes a fault on some hosts.
    reject "ptd/structure/segment-size-unaligned": "segment size not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| file.misalign("segments[1]", "size", PartKind::Scalar);

    /// The root table overlaps the header, so the header's length field is also the table's vtable offset, −46. As an
    /// unsigned header length, −46 is almost 2^32, so it passes the check for a minimum of 40.
    either "ptd/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "ptd/valid/tensors" => root_into_header;

    /// A key contains a NUL. Readers that use C strings ignore the text after the NUL, so these readers find the entry
    /// under a shorter key.
    either "ptd/structure/key-with-nul": "NUL inside a key" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 2, &[0]);

    /// Two keys have five bytes each, a NUL in the middle, and differ only after it. A reader that compares C strings
    /// returns the first tensor for both keys, although the second tensor has another last byte.
    either "ptd/structure/keys-equal-up-to-nul": "two keys that differ only after a NUL"
        about rules::FB_STRING_NO_EMBEDDED_NUL, from "ptd/valid/equal-blobs" => |file| {
            file.elements("named_data[0].key", 0, b"al\0ph");
            file.elements("named_data[1].key", 0, b"al\0ma");
            file.put_segment(1, 47, &[0]);
        };

    /// The schema version is 7, which no release wrote. A reader must reject unknown versions, because the tables of
    /// another version can differ.
    reject "ptd/structure/version-7": "schema version 7" breaks flat_tensor::FT_VERSION,
        from "ptd/valid/explicit-version" => |file| file.scalar("version", 7_u32);

    /// The list of segments is absent, but the entries have segment indices. If a lookup compares a segment index with
    /// the number of segments without a null check, it dereferences a null pointer.
    reject "ptd/structure/segments-absent": "segments absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 1, 0);

    /// The list of entries is absent. A file without entries must have an empty list. If a reader returns the number of
    /// keys without a null check, it dereferences a null pointer.
    reject "ptd/structure/named-data-absent": "named_data absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 2, 0);

    /// The second entry has no key. A lookup of the first key succeeds, and a lookup of any other key compares the key
    /// with a null pointer.
    reject "ptd/structure/key-absent": "key absent" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0);

    /// Two entries have the key `weight`, one for a float tensor and one for an integer tensor. A reader must reject
    /// the file, because the result of a lookup depends on the search order.
    reject "ptd/structure/key-twice": "same key twice" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/tensors" => |file| file.lead("named_data[1].key", "named_data[0].key", 0);

    /// Two entries have equal keys, stored as separate strings. A reader must compare the bytes of keys. A reader that
    /// compares string positions treats the keys as different.
    reject "ptd/structure/key-of-equal-bytes": "two keys of equal bytes" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/prefix-keys" => |file| file.shorten("named_data[1].key", 1);

    /// The data file is valid: two tensors have different keys, equal layouts and equal bytes in two segments. A reader
    /// must not treat the second tensor as a duplicate.
    build "ptd/valid/equal-blobs": "two tensors with equal bytes" shows flat_tensor::FT_KEY_UNIQUE => equal_blobs;

    /// Two entries have the same key, equal layouts and equal bytes. Readers may accept the file, because every lookup
    /// returns the same tensor.
    either "ptd/structure/key-twice-equal-blobs": "same key twice, equal bytes" about flat_tensor::FT_KEY_ONCE,
        from "ptd/valid/equal-blobs" => |file| file.elements("named_data[1].key", 0, b"alpha");

    /// Two entries have the same key, and their tensors of 48 bytes differ only in the last byte. A reader must compare
    /// all bytes, because otherwise the result of a lookup depends on the search order.
    reject "ptd/structure/key-twice-last-byte-differs": "same key twice, last byte differs"
        breaks flat_tensor::FT_KEY_UNIQUE, from "ptd/valid/equal-blobs" => |file| {
            file.elements("named_data[1].key", 0, b"alpha");
            file.put_segment(1, 47, &[0]);
        };

    /// Two entries have the same key and equal bytes, but different layouts. The first tensor has the sizes 4 × 3, and
    /// the second tensor has the sizes 3 × 4. A reader must also compare the layouts, because a lookup returns the
    /// layout together with the bytes.
    reject "ptd/structure/key-twice-layouts-differ": "same key twice, layouts differ" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/equal-blobs" => |file| {
            file.elements("named_data[1].key", 0, b"alpha");
            file.elements("named_data[1].tensor_layout.sizes", 0, [3_i32, 4]);
        };

    /// A key is empty but present. Tools that join or print keys can lose an empty key, and an accidental lookup of an
    /// empty name succeeds.
    either "ptd/structure/key-empty": "empty key" about flat_tensor::FT_KEY_NONEMPTY,
        from "ptd/valid/tensors" => |file| file.shorten("named_data[1].key", 0);
}
