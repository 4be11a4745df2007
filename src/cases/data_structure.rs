//! A data file's FlatBuffer: a reader that does not verify it follows every one of these as it stands.

use super::{Edit, cases};
use crate::annotate::What;
use crate::rules::{envelope as rules, flat_tensor};

cases! {
    /// The root offset leads out of the FlatBuffer.
    reject "ptd/structure/root-past-end": "root offset past the FlatBuffer" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors", refs ["pytorch/executorch#22118"] => |file| file.root(0x10_0000);

    /// The root offset leads to itself.
    reject "ptd/structure/root-0": "root offset 0" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(0);

    /// Minus one.
    reject "ptd/structure/root-max": "root offset 2^32 − 1" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root offset leads to the identifier.
    reject "ptd/structure/root-in-identifier": "root offset 4" breaks rules::FB_ROOT_OFFSET_RANGE,
        from "ptd/valid/tensors" => |file| file.root(4);

    /// The root table is between two words.
    reject "ptd/structure/root-unaligned": "root table not at a multiple of 4" breaks rules::FB_ROOT_ALIGNED,
        from "ptd/valid/tensors" => |file| {
            let root = file.at("", What::Table(""));
            file.root(root + 1);
        };

    /// An entry's vtable is outside the FlatBuffer.
    reject "ptd/structure/vtable-before-start": "vtable before the file" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MAX);

    /// An entry's vtable is behind the FlatBuffer's end.
    reject "ptd/structure/vtable-past-end": "vtable past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", -0x10_0000);

    /// The farthest distance there is, which overflows where it is negated.
    reject "ptd/structure/vtable-distance-min": "vtable distance −2^31" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.table("named_data[1]", i32::MIN);

    /// A vtable of no bytes.
    reject "ptd/structure/vtable-length-0": "vtable length 0" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 0);

    /// A vtable whose length is odd.
    reject "ptd/structure/vtable-length-odd": "vtable length odd" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[1]", 5);

    /// A field that begins behind the FlatBuffer's end.
    reject "ptd/structure/field-past-end": "field past the FlatBuffer" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0xfff0);

    /// An element of the list of entries that leads to itself.
    reject "ptd/structure/element-0": "element of a vector of tables 0" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.reference("named_data[1]", 0);

    /// A reference backward, by its sign.
    reject "ptd/structure/reference-negative": "reference 2^32 − 4" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.reference("named_data[0].tensor_layout", u32::MAX - 3);

    /// A key longer than the file.
    reject "ptd/structure/key-too-long": "key longer than the FlatBuffer" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].key", 0x1000);

    /// A key of bytes that are no UTF-8.
    either "ptd/structure/key-not-utf-8": "key that is not UTF-8" about rules::FB_STRING_UTF8,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 0, &[0xff, 0xfe]);

    /// An entry's vtable claims more than there is.
    reject "ptd/structure/vtable-length-max": "vtable length 65534" breaks rules::FB_VTABLE_VALID,
        from "ptd/valid/tensors" => |file| file.vtable_len("named_data[0]", 65534);

    /// The list of entries is longer than the file.
    reject "ptd/structure/named-data-length-forged": "named_data of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data", 0x0010_0000);

    /// The list of segments is longer than the file.
    reject "ptd/structure/segments-length-forged": "segments of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("segments", 0x4000_0001);

    /// A tensor's sizes are longer than the file.
    reject "ptd/structure/sizes-length-forged": "sizes of a forged length" breaks rules::FB_VECTOR_IN_BOUNDS,
        from "ptd/valid/tensors" => |file| file.count("named_data[0].tensor_layout.sizes", 0x7fff_ffff);

    /// A layout that leads to itself.
    reject "ptd/structure/layout-reference-0": "layout reference 0" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.reference("named_data[0].tensor_layout", 0);

    /// A key far behind the end: readers print or compare whatever is there, up to the next zero byte.
    reject "ptd/structure/key-past-end": "key past the FlatBuffer" breaks rules::FB_UOFFSET_VALID,
        from "ptd/valid/tensors" => |file| file.reference("named_data[0].key", 0x10_0000);

    /// A key without its zero byte.
    reject "ptd/structure/key-not-terminated": "key without its zero byte" breaks rules::FB_STRING_NUL,
        from "ptd/valid/tensors" => |file| file.terminator("named_data[0].key", b'!');

    /// A 64-bit number at a multiple of four only.
    reject "ptd/structure/scalar-unaligned": "64-bit field not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| {
            let segment = file.at("segments[1]", What::Table(""));
            let offset = file.at("segments[1].offset", What::Scalar);
            let shifted = u16::try_from(offset - segment).unwrap_or(0) ^ 4;
            file.own_slot("segments[1]", 0, shifted);
        };

    /// A segment's size at a multiple of four only. Data files are read without a verifier more often than programs.
    reject "ptd/structure/segment-size-unaligned": "size of a segment not at a multiple of 8" breaks rules::FB_ALIGNMENT,
        from "ptd/valid/tensors" => |file| file.misalign("segments[1]", "size", What::Scalar);

    /// A root table inside the header, whose length is also the table's distance to its vtable.
    either "ptd/structure/root-in-header": "root table inside the header" about rules::FB_ROOT_NOT_IN_HEADER,
        from "ptd/valid/tensors" => Edit::root_into_header;

    /// A zero byte inside a key: a reader that stops there takes two keys for one.
    either "ptd/structure/key-with-nul": "zero byte inside a key" about rules::FB_STRING_NO_EMBEDDED_NUL,
        from "ptd/valid/tensors" => |file| file.elements("named_data[0].key", 2, &[0]);

    /// The schema's version is one that no release wrote. A reader that does not look at it reads other tables as these.
    reject "ptd/structure/version-7": "version 7" breaks flat_tensor::FT_VERSION,
        from "ptd/valid/explicit-version" => |file| file.scalar("version", 7_u32);

    /// No list of segments.
    reject "ptd/structure/segments-absent": "segments absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 1, 0);

    /// No list of entries.
    reject "ptd/structure/named-data-absent": "named_data absent" breaks flat_tensor::FT_LISTS_NONNULL,
        from "ptd/valid/tensors" => |file| file.slot("", 2, 0);

    /// An entry without a key: readers that compare keys follow a null pointer.
    reject "ptd/structure/key-absent": "key absent" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd/valid/tensors" => |file| file.own_slot("named_data[1]", 0, 0);

    /// The same key twice: the first is found, or the last, or the file is refused.
    reject "ptd/structure/key-twice": "the same key twice" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/tensors" => |file| {
            let key = file.at("named_data[0].key", What::Count);
            file.point("named_data[1].key", key);
        };

    /// Two keys that are strings of their own, and the same bytes: a reader that compares their places finds them different.
    reject "ptd/structure/key-of-equal-bytes": "two keys of the same bytes" breaks flat_tensor::FT_KEY_UNIQUE,
        from "ptd/valid/prefix-keys" => |file| {
            file.elements("named_data[1].key", 1, &[0]);
            file.count("named_data[1].key", 1);
        };

    /// A key of no letters.
    either "ptd/structure/key-empty": "empty key" about flat_tensor::FT_KEY_NONEMPTY,
        from "ptd/valid/tensors" => |file| {
            file.elements("named_data[1].key", 0, &[0]);
            file.count("named_data[1].key", 0);
        };
}
