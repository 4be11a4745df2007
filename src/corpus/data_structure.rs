//! A data file's FlatBuffer: a reader that does not verify it follows every one of these as it stands.

use super::cases;
use super::defects::root_into_header;
use crate::annotate::PartKind;
use crate::rules::{envelope as rules, flat_tensor};

cases! {
    /// A reader that runs no verifier follows the root offset as it stands: the root table is read a megabyte behind a
    /// FlatBuffer of 400 bytes.
    reject "ptd/structure/root-past-end": "root offset past the FlatBuffer" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors", refs ["pytorch/executorch#22118"] => |file| file.root(0x10_0000);

    /// Byte 0 is both table and vtable, of length 0: version 0, and neither segments nor entries. A reader that looks
    /// for absent lists refuses it, though not for what is wrong.
    reject "ptd/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(0);

    /// Added to the buffer's address it is the byte in front of it on a 32-bit host, and almost 4 GiB behind on a
    /// 64-bit one: the same file, wrong in two ways.
    reject "ptd/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// `FT01` becomes the distance to a vtable, 825 million bytes before the file. A bound from above alone has nothing
    /// against an offset of 4.
    reject "ptd/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(4);

    /// One byte on, the distance to the vtable gets its highest byte from the reference behind it, and leads 128 MiB
    /// before the file. A reader that assembles words from bytes does not even fault.
    reject "ptd/structure/root-unaligned": "root table not at a multiple of 4" breaks rules::FB_ROOT_ALIGNED,
        from "ptd/valid/tensors" => |file| {
            let root = file.at("", PartKind::Table);
            file.root(root + 1);
        };

    /// The first entry is sound, so `weight` is found. Any other name is looked for in the second, whose vtable is
    /// asked for its length 2 GiB in front of the file.
    reject "ptd/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MAX);

    /// The vtable is a megabyte behind an entry in the middle of the list. A check of the list's own reference and
    /// count does not come by there.
    reject "ptd/structure/vtable-past-end": "vtable past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", -0x10_0000);

    /// −2^31 has no positive counterpart in 32 bits: negated it stays what it was, and the vtable is 2 GiB to the wrong
    /// side.
    reject "ptd/structure/vtable-distance-min": "vtable distance −2^31" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MIN);

    /// Two entries share the vtable, and with no slot in it both lose their key and their layout, and their index
    /// becomes 0. Listing the keys then gives null pointers.
    reject "ptd/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 0);

    /// The key's slot lies at bytes 4 and 5, and the vtable ends between the two. Whether the entries that share it
    /// have keys depends on which of them a reader compares.
    reject "ptd/structure/vtable-length-odd": "vtable length odd" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 5);

    /// The slot is not 0, so the key is present, and the reference to it is read 65 520 bytes behind its table, outside
    /// of the file. A check for absent keys says that all is well.
    reject "ptd/structure/field-past-end": "field past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0xfff0);

    /// An entry that begins at its own slot in the list, with four zero bytes for a table and for its vtable. The
    /// list's count is right, and the second of three keys is null.
    reject "ptd/structure/element-0": "element of a vector of tables 0" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[1]", 0);

    /// In 32 bits it leads four bytes back, to the entry itself, which becomes its own layout: with a scalar type of 52
    /// out of the key's reference, and the index for the reference to its sizes.
    reject "ptd/structure/reference-negative": "reference 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].tensor_layout", u32::MAX - 3);

    /// A look-up that compares lengths first never matches, and reads nothing. Listing the keys copies 4 096 bytes out
    /// of a FlatBuffer of 400.
    reject "ptd/structure/key-too-long": "key longer than the FlatBuffer" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].key", 0x1000);

    /// A reader that compares bytes finds the tensor under them. One that decodes its keys fails, or replaces both
    /// bytes by the same sign, and has no name by which to ask.
    either "ptd/structure/key-not-utf-8": "key that is not UTF-8" about rules::FB_STRING_UTF8,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 0, &[0xff, 0xfe]);

    /// The three slots that are read are right, and a vtable longer than the known one is no fault, so a reader may not
    /// ask where it ends: past the FlatBuffer.
    reject "ptd/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[0]", 65534);

    /// A million entries by the count. Looking for a key that is not there goes on behind the third entry, and follows
    /// each word that it finds as a reference.
    reject "ptd/structure/named-data-length-forged": "named_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data", 0x0010_0000);

    /// Times four it is 4 in 32 bits, so that the vector fits. An index up to a billion is then below the count, and no
    /// check of an index finds anything any more.
    reject "ptd/structure/segments-length-forged": "segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("segments", 0x4000_0001);

    /// The rank is taken from this count. A reader that multiplies sizes up to the number of elements goes on through
    /// keys and segments, and out of the file.
    reject "ptd/structure/sizes-length-forged": "sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.sizes", 0x7fff_ffff);

    /// The layout is present, since its slot is, and begins at the reference itself, with no fields. Whoever asks
    /// whether there is a layout goes on, and gets null for sizes and order.
    reject "ptd/structure/layout-reference-0": "layout reference 0" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].tensor_layout", 0);

    /// A key far behind the end: readers print or compare whatever is there, up to the next zero byte.
    reject "ptd/structure/key-past-end": "key past the FlatBuffer" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.offset("named_data[0].key", 0x10_0000);

    /// One byte of padding ends it late: as a C string the key is `weight!`. A reader that asks for `weight` finds it
    /// by length, and does not find it by the zero byte.
    reject "ptd/structure/key-not-terminated": "key without its zero byte" breaks rules::FB_STRING_NUL,
        from "ptd/valid/tensors" => |file| file.terminator("named_data[0].key", b'!');

    /// Four bytes too early, the offset is half of the size and half of itself: 128 times 2^32. A host that loads
    /// unaligned words looks there, one that does not faults.
    reject "ptd/structure/scalar-unaligned": "64-bit field not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| {
            let segment = file.at("segments[1]", PartKind::Table);
            let offset = file.at("segments[1].offset", PartKind::Scalar);
            let shifted = u16::try_from(offset - segment).unwrap_or(0) ^ 4;
            file.own_slot("segments[1]", 0, shifted);
        };

    /// The size is loaded when someone asks for the tensor, long after the file was opened. Four bytes too late, it is
    /// half of itself and half of the offset: where it can be loaded, 2^39 bytes.
    reject "ptd/structure/segment-size-unaligned": "size of a segment not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| file.misalign("segments[1]", "size", PartKind::Scalar);

    /// The table's distance to its vtable, −46, is also the header's length, just under 2^32, which is at least 40 and
    /// passes. A reader of the one is not told of the other.
    either "ptd/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "ptd/valid/tensors" => root_into_header;

    /// A zero byte inside a key: a reader that stops there takes two keys for one.
    either "ptd/structure/key-with-nul": "zero byte inside a key" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 2, &[0]);

    /// The schema's version is one that no release wrote. A reader that does not look at it reads other tables as these.
    reject "ptd/structure/version-7": "version 7" breaks flat_tensor::FT_VERSION,
        from "ptd/valid/explicit-version" => |file| file.scalar("version", 7_u32);

    /// Keys and indexes are all there, and a verifier requires no field. A look-up finds the key, and then asks a null
    /// pointer how many segments there are.
    reject "ptd/structure/segments-absent": "segments absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 1, 0);

    /// A file without entries has an empty list. Without any, the first question to a data file, for the number of its
    /// keys, goes through a null pointer.
    reject "ptd/structure/named-data-absent": "named_data absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 2, 0);

    /// `weight`, in front, is still found. Any other name is compared with a null pointer on the way, also one that is
    /// not in the file.
    reject "ptd/structure/key-absent": "key absent" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0);

    /// Both entries lead to the one string `weight`, one for floats and one for integers. The first is found, or the
    /// last, or the file is refused.
    reject "ptd/structure/key-twice": "the same key twice" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/tensors" => |file| {
            let key = file.at("named_data[0].key", PartKind::Count);
            file.point("named_data[1].key", key);
        };

    /// Two keys that are strings of their own, and the same bytes: a reader that compares their places finds them different.
    reject "ptd/structure/key-of-equal-bytes": "two keys of the same bytes" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/prefix-keys" => |file| {
            file.elements("named_data[1].key", 1, &[0]);
            file.count("named_data[1].key", 1);
        };

    /// The tensor counts as an entry, and is lost where keys are joined, split or printed. Asked for by an empty name,
    /// which mostly is a caller's mistake, it is found.
    either "ptd/structure/key-empty": "empty key" about flat_tensor::FT_KEY_NONEMPTY,
        from "ptd/valid/tensors" => |file| {
            file.elements("named_data[1].key", 0, &[0]);
            file.count("named_data[1].key", 0);
        };
}
