//! Cases about a data file's FlatBuffer. A reader without a verifier follows each of these faults.

use super::cases;
use super::defects::root_into_header;
use crate::annotate::PartKind;
use crate::rules::{flat_tensor, flatbuffer as rules};

cases! {
    /// A reader without a verifier follows the root offset and reads the root table a megabyte past the end of a
    /// FlatBuffer of 400 bytes.
    reject "ptd/structure/root-past-end": "root offset past the FlatBuffer" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors", refs ["pytorch/executorch#22118"] => |file| file.root(0x10_0000);

    /// The root offset points to itself, so table and vtable are the same zeros. The file appears to have no lists, and
    /// a reader that requires lists reports the wrong fault.
    reject "ptd/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(0);

    /// On a 32-bit host, the root table is one byte before the buffer, and on a 64-bit host it is almost 4 GiB after
    /// the buffer.
    reject "ptd/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root offset points to the identifier, whose letters form a vtable offset that leads 825 million bytes before
    /// the file. A check of only the upper bound accepts the root offset.
    reject "ptd/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(4);

    /// The root offset is one byte too large, and the vtable offset then leads 128 MiB before the file. A reader
    /// that loads words byte by byte does not fault.
    reject "ptd/structure/root-unaligned": "root table not at a multiple of 4" breaks rules::FB_ROOT_ALIGNED,
        from "ptd/valid/tensors" => |file| {
            let root = file.at("", PartKind::Table);
            file.root(root + 1);
        };

    /// A lookup finds `weight` in the first entry. For any other name, the lookup reads the second entry's vtable 2 GiB
    /// before the file.
    reject "ptd/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MAX);

    /// The vtable of an entry lies a megabyte past the entry. A check of the list's offset and count does not cover
    /// this vtable.
    reject "ptd/structure/vtable-past-end": "vtable past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", -0x10_0000);

    /// Negating −2^31 gives the same number in 32 bits, so the reader looks for the vtable 2 GiB in the wrong
    /// direction.
    reject "ptd/structure/vtable-distance-min": "vtable offset −2^31" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MIN);

    /// Two entries share the vtable. With no slots in the vtable, both entries lose key and layout, and a listing of
    /// the keys returns null pointers.
    reject "ptd/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 0);

    /// The vtable ends inside the key's slot. A reader that checks the slot's start finds a key in the two entries that
    /// share the vtable; a reader that checks the slot's end finds no key.
    reject "ptd/structure/vtable-length-odd": "odd vtable length" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 5);

    /// The key's slot is not 0, so the key looks present. The slot places the key 65 520 bytes after the table, outside
    /// the file.
    reject "ptd/structure/field-past-end": "field past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0xfff0);

    /// The entry begins at its own slot in the list, where four zeros form the table and its vtable. The list's count
    /// is right, and the second of three keys is null.
    reject "ptd/structure/element-0": "offset 0 in a vector of tables" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[1]", 0);

    /// FlatBuffers offsets only lead forward. Added in 32 bits, this offset leads back to the entry, which becomes its
    /// own layout.
    reject "ptd/structure/reference-negative": "offset 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].tensor_layout", u32::MAX - 3);

    /// A lookup that compares lengths first never matches. A listing of the keys copies 4 096 bytes from a FlatBuffer
    /// of 400 bytes.
    reject "ptd/structure/key-too-long": "key longer than the FlatBuffer" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].key", 0x1000);

    /// A reader that compares bytes finds the tensor. A reader that decodes keys fails, or replaces both bytes and
    /// cannot find the name.
    either "ptd/structure/key-not-utf-8": "key that is not UTF-8" about rules::FB_STRING_UTF8,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 0, &[0xff, 0xfe]);

    /// The three known slots are valid, and longer vtables are allowed. A reader that does not check the vtable's end
    /// accepts a vtable that extends past the FlatBuffer.
    reject "ptd/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[0]", 65534);

    /// The count is a million entries. A search for an unknown key continues past the third entry and follows each word
    /// as an offset.
    reject "ptd/structure/named-data-length-forged": "named_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data", 0x0010_0000);

    /// Multiplied by 4, the count wraps to 4 in 32 bits, so the vector fits. Index checks against the count then
    /// accept up to a billion.
    reject "ptd/structure/segments-length-forged": "segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("segments", 0x4000_0001);

    /// Readers take the rank from this count. A reader that multiplies the sizes reads on through keys and segments to
    /// the end of the file and past it.
    reject "ptd/structure/sizes-length-forged": "layout sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.sizes", 0x7fff_ffff);

    /// The layout is present but points to itself and has no fields. A reader that checks only for presence gets a null
    /// list of sizes and a null `dim_order`.
    reject "ptd/structure/layout-reference-0": "tensor_layout offset 0" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].tensor_layout", 0);

    /// The offset to the key leads past the FlatBuffer. A reader prints or compares foreign memory up to the next
    /// NUL.
    reject "ptd/structure/key-past-end": "key past the FlatBuffer" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].key", 0x10_0000);

    /// The padding ends the key one byte late, so the C string is `weight!`. A lookup of `weight` succeeds if it
    /// compares by length and fails if it compares C strings.
    reject "ptd/structure/key-not-terminated": "key without a NUL terminator" breaks rules::FB_STRING_NUL,
        from "ptd/valid/tensors" => |file| file.terminator("named_data[0].key", b'!');

    /// The field's position is four bytes too early, so the value mixes offset and size. A host without unaligned
    /// loads faults.
    reject "ptd/structure/scalar-unaligned": "64-bit segment offset not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| {
            let segment = file.at("segments[1]", PartKind::Table);
            let offset = file.at("segments[1].offset", PartKind::Scalar);
            let shifted = u16::try_from(offset - segment).unwrap_or(0) ^ 4;
            file.own_slot("segments[1]", 0, shifted);
        };

    /// The field's position is four bytes too late, so the value mixes two fields and is 2^39. A host without
    /// unaligned loads faults when it loads the tensor.
    reject "ptd/structure/segment-size-unaligned": "segment size not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| file.misalign("segments[1]", "size", PartKind::Scalar);

    /// The root table overlaps the header: its vtable offset, −46, is also the header's length, just under 2^32. This
    /// length passes a check for at least 40.
    either "ptd/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "ptd/valid/tensors" => root_into_header;

    /// A key contains a NUL. A reader that stops at the NUL cannot distinguish this key from another.
    either "ptd/structure/key-with-nul": "NUL inside a key" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 2, &[0]);

    /// No release wrote this version of the schema. A reader that ignores it misreads different tables.
    reject "ptd/structure/version-7": "schema version 7" breaks flat_tensor::FT_VERSION,
        from "ptd/valid/explicit-version" => |file| file.scalar("version", 7_u32);

    /// Keys and indices are present, and verifiers require no field. A lookup finds the key and dereferences a null
    /// pointer to get the number of segments.
    reject "ptd/structure/segments-absent": "segments absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 1, 0);

    /// The list is absent; a file without entries has an empty list. A reader that counts the keys dereferences a null
    /// pointer.
    reject "ptd/structure/named-data-absent": "named_data absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 2, 0);

    /// A lookup finds `weight` in the first entry. For any other name, the lookup compares the name with a null
    /// pointer.
    reject "ptd/structure/key-absent": "key absent" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0);

    /// Both entries share the key `weight`: one entry has floats, the other integers. Some readers find the first
    /// entry, some find the last, and some reject the file.
    reject "ptd/structure/key-twice": "same key twice" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/tensors" => |file| {
            let key = file.at("named_data[0].key", PartKind::Count);
            file.point("named_data[1].key", key);
        };

    /// The two keys are separate strings of equal bytes. A reader that compares string positions treats the two keys as
    /// different.
    reject "ptd/structure/key-of-equal-bytes": "two keys of equal bytes" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/prefix-keys" => |file| {
            file.elements("named_data[1].key", 1, &[0]);
            file.count("named_data[1].key", 1);
        };

    /// A list of keys includes the entry, but the empty key is lost wherever keys are joined, split or printed. An
    /// empty query, usually a caller's mistake, finds the entry.
    either "ptd/structure/key-empty": "empty key" about flat_tensor::FT_KEY_NONEMPTY,
        from "ptd/valid/tensors" => |file| {
            file.elements("named_data[1].key", 0, &[0]);
            file.count("named_data[1].key", 0);
        };
}
