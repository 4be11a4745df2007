//! Cases about a data file's FlatBuffer. A reader without a verifier does not detect most of these faults.

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
    /// The root table is a megabyte past the end of a 400-byte FlatBuffer.
    reject "ptd/structure/root-past-end": "root offset past the FlatBuffer" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors", refs ["pytorch/executorch#22118"] => |file| file.root(0x10_0000);

    /// The root offset points to itself. Its zeros look like a table without fields, so the file seems to have no
    /// lists. The smallest valid root offset is 8.
    reject "ptd/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(0);

    /// In 32-bit arithmetic, the root table begins one byte before the buffer. In 64-bit arithmetic, it is almost 4 GiB past it.
    reject "ptd/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// A root offset of 4 makes the identifier part of the root table. Read as a vtable offset, its letters point 825
    /// million bytes before the file. A reader that checks only the upper limit does not notice.
    reject "ptd/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(4);

    /// The root offset is one byte too large. Read as a vtable offset, the word there points 128 MiB before the file.
    reject "ptd/structure/root-unaligned": "root table not aligned to 4 bytes" breaks rules::FB_ROOT_ALIGNED,
        from "ptd/valid/tensors" => |file| file.root(file.u32_at(0) + 1);

    /// The second entry's vtable is 2 GiB before the file. Looking up the first key works, but any other look-up reads
    /// outside the file.
    reject "ptd/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MAX);

    /// The second entry's vtable is a megabyte past the end. Checking only the list of entries does not reveal that, so
    /// a reader has to check every vtable.
    reject "ptd/structure/vtable-past-end": "vtable past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", -0x10_0000);

    /// Negating −2^31 overflows in 32 bits, so the vtable seems to be 2 GiB away, on the wrong side of the table.
    reject "ptd/structure/vtable-distance-min": "vtable offset −2^31" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MIN);

    /// Two entries share this empty vtable, so neither of them has a key. Listing keys without a null check returns null.
    reject "ptd/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 0);

    /// Two entries share this vtable, which ends inside the `key` slot. Readers that check where the slot starts use
    /// the key; readers that check where it ends treat the key as absent.
    reject "ptd/structure/vtable-length-odd": "odd vtable length" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 5);

    /// The vtable puts the key 65 520 bytes into the entry, past the file's end. A reader that only tests the slot for 0 uses it.
    reject "ptd/structure/field-past-end": "field past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0xfff0);

    /// The entry's offset points to itself. Its 0 is also the vtable offset, so the entry is its own vtable and has no key.
    reject "ptd/structure/element-0": "offset 0 in a vector of tables" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[1]", 0);

    /// FlatBuffers offsets are unsigned. In 32-bit arithmetic, adding this one leads back to the entry, which then
    /// serves as its own layout.
    reject "ptd/structure/reference-negative": "offset 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].tensor_layout", u32::MAX - 3);

    /// The key declares 4 096 bytes in a FlatBuffer of 400, so copying it reads past the end.
    reject "ptd/structure/key-too-long": "key longer than the FlatBuffer" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].key", 0x1000);

    /// Readers that compare keys as bytes accept this key. Readers that decode keys may reject the file or lose the key.
    either "ptd/structure/key-not-utf-8": "key that is not UTF-8" about rules::FB_STRING_UTF8,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 0, &[0xff, 0xfe]);

    /// The vtable reaches past the FlatBuffer, but its three known slots are valid, so a reader that checks only those
    /// slots accepts the file.
    reject "ptd/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[0]", 65534);

    /// The vector declares one million entries but has three. A search for an unknown key continues after the third
    /// entry and reads the bytes there as offsets.
    reject "ptd/structure/named-data-length-forged": "named_data with a forged length"
        breaks rules::FB_VECTOR_IN_BOUNDS, from "ptd/valid/tensors" => |file| file.count("named_data", 0x0010_0000);

    /// In 32-bit arithmetic, 2^30 + 1 offsets need only 4 bytes. A reader that accepts this count also accepts invalid indices.
    reject "ptd/structure/segments-length-forged": "segments with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("segments", 0x4000_0001);

    /// The vector declares 2^31 − 1 sizes but has two. Multiplying all the declared sizes reads past the end of the file.
    reject "ptd/structure/sizes-length-forged": "layout sizes with a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.sizes", 0x7fff_ffff);

    /// The layout's offset points to itself, so the layout exists but has no fields. Reading `sizes` or `dim_order`
    /// dereferences null.
    reject "ptd/structure/layout-reference-0": "tensor_layout offset 0" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].tensor_layout", 0);

    /// The key is past the end of the file, so printing or comparing it reads unrelated memory up to the next NUL.
    reject "ptd/structure/key-past-end": "key past the FlatBuffer" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].key", 0x10_0000);

    /// A `!` replaces the NUL, so readers of C strings see the key `weight!`, but readers that use the length see `weight`.
    reject "ptd/structure/key-not-terminated": "key without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "ptd/valid/tensors" => |file| file.terminator("named_data[0].key", b'!');

    /// The offset is aligned to only 4 bytes, so its value mixes bytes of two fields, and loading it faults on some hosts.
    reject "ptd/structure/scalar-unaligned": "64-bit segment offset not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| {
            let segment = file.at("segments[1]", PartKind::Table);
            let offset = file.at("segments[1].offset", PartKind::Scalar);
            let shifted = u16::try_from(offset - segment).unwrap_or(0) ^ 4;
            file.own_slot("segments[1]", 0, shifted);
        };

    /// The size is aligned to only 4 bytes, so its value mixes bytes of two fields, and loading it faults on some hosts.
    reject "ptd/structure/segment-size-unaligned": "segment size not aligned to 8 bytes" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| file.misalign("segments[1]", "size", PartKind::Scalar);

    /// The root table begins at the header's length field, so the length is also the table's vtable offset, −46. Read
    /// as an unsigned length, it is almost 2^32 and therefore above the minimum of 40.
    either "ptd/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "ptd/valid/tensors" => root_into_header;

    /// Readers that use C strings drop the text after the NUL and find the entry under a shorter key.
    either "ptd/structure/key-with-nul": "NUL inside a key" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 2, &[0]);

    /// Both keys have five bytes with a NUL in the middle. As C strings, they are equal, so looking up either key
    /// returns the first tensor.
    either "ptd/structure/keys-equal-up-to-nul": "two keys that differ only after a NUL"
        about rules::FB_STRING_NO_EMBEDDED_NUL, from "ptd/valid/equal-blobs" => |file| {
            file.elements("named_data[0].key", 0, b"al\0ph");
            file.elements("named_data[1].key", 0, b"al\0ma");
            file.put_segment(1, 47, &[0]);
        };

    /// No release wrote version 7, so the tables of that version may differ.
    reject "ptd/structure/version-7": "schema version 7" breaks flat_tensor::FT_VERSION,
        from "ptd/valid/explicit-version" => |file| file.scalar("version", 7_u32);

    /// The entries have segment indices. Comparing them with the length of the absent list dereferences null.
    reject "ptd/structure/segments-absent": "segments absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 1, 0);

    /// Even a file without entries needs an empty list, because counting the keys in an absent list dereferences null.
    reject "ptd/structure/named-data-absent": "named_data absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 2, 0);

    /// The second entry has no key. Looking up the first key works, but any other look-up compares a name with null.
    reject "ptd/structure/key-absent": "key absent" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0);

    /// A float tensor and an integer tensor are both called `weight`, so the search order decides which one is found.
    reject "ptd/structure/key-twice": "same key twice" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/tensors" => |file| file.lead("named_data[1].key", "named_data[0].key", 0);

    /// The two keys are separate strings with equal bytes. A reader that compares their offsets treats them as different.
    reject "ptd/structure/key-of-equal-bytes": "two keys with equal bytes" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/prefix-keys" => |file| file.shorten("named_data[1].key", 1);

    /// Two tensors have equal layouts and bytes but different keys, so the second is not a duplicate.
    build "ptd/valid/equal-blobs": "two tensors with equal bytes" shows flat_tensor::FT_KEY_UNIQUE => equal_blobs;

    /// The layouts and bytes are equal, so every look-up returns the same tensor, and readers may accept the file.
    either "ptd/structure/key-twice-equal-blobs": "same key twice, equal bytes" about flat_tensor::FT_KEY_ONCE,
        from "ptd/valid/equal-blobs" => |file| file.elements("named_data[1].key", 0, b"alpha");

    /// Only the last of 48 bytes differs, so a reader has to compare all of them to tell the two tensors apart.
    reject "ptd/structure/key-twice-last-byte-differs": "same key twice, last byte differs"
        breaks flat_tensor::FT_KEY_UNIQUE, from "ptd/valid/equal-blobs" => |file| {
            file.elements("named_data[1].key", 0, b"alpha");
            file.put_segment(1, 47, &[0]);
        };

    /// The bytes are equal, but one layout is 4 × 3 and the other is 3 × 4. A look-up also returns the layout, so a
    /// reader has to compare the layouts too.
    reject "ptd/structure/key-twice-layouts-differ": "same key twice, layouts differ" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/equal-blobs" => |file| {
            file.elements("named_data[1].key", 0, b"alpha");
            file.elements("named_data[1].tensor_layout.sizes", 0, [3_i32, 4]);
        };

    /// Tools that join or print keys can lose an empty key, and an accidental look-up of an empty name succeeds.
    either "ptd/structure/key-empty": "empty key" about flat_tensor::FT_KEY_NONEMPTY,
        from "ptd/valid/tensors" => |file| file.shorten("named_data[1].key", 0);
}
