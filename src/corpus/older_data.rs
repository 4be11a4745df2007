//! Data files of the older layout, broken in its own ways. A reader of the current layout only must refuse them all, valid ones
//! included, rather than misread them.

use super::cases;
use crate::annotate::PartKind;
use crate::rules::{envelope, flat_tensor, older_flat_tensor as rules, ptd_header};

cases! {
    /// Two tensors share the vtable and lose their names; the third, `tied`, keeps it. Looking it up compares two null
    /// pointers on the way.
    reject "ptd-legacy/tensors/name-absent": "fully_qualified_name absent" breaks rules::PTDB_FQN,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[1]", 0, 0);

    /// One `bias` has four integers at 32 and the other six floats at 0. A reader that walks the list finds the
    /// integers, and one that fills a map the floats.
    reject "ptd-legacy/tensors/name-twice": "the same name twice" breaks rules::PTDB_FQN_UNIQUE,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[2].fully_qualified_name", 0, b"bias");

    /// It is the last string of the FlatBuffer: here padding ends it as `weight!`, and in a file that has none it would
    /// run into the weights. A look-up by C strings does not find `weight`.
    reject "ptd-legacy/tensors/name-not-terminated": "name without its zero byte" breaks envelope::FB_STRING_NUL,
        from "ptd-legacy/valid/tensors" => |file| file.terminator("tensors[0].fully_qualified_name", b'!');

    /// The segment with its 64 bytes is there, and nothing names what is in it. A look-up begins with the number of
    /// tensors, asked of a null pointer.
    reject "ptd-legacy/tensors/list-absent": "tensors absent" breaks rules::PTDB_LISTS_NONNULL,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 2, 0);

    /// There is one segment, so 1 looks like counting from 1. What stands behind the list, the segment's vtable, is
    /// taken for a reference, and leads a megabyte ahead.
    reject "ptd-legacy/tensors/segment-index-past-end": "segment index past the list" breaks rules::PTDB_SEG_INDEX,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// `bias` begins inside its segment, at 48, and ends 16 bytes past it. A reader that holds the offset against the
    /// segment, and not the end, is content.
    reject "ptd-legacy/tensors/past-segment": "tensor ends past its segment" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 48_u64);

    /// An offset of −16 and 32 bytes wrap to an end of 16, inside the segment. The tensor begins 16 bytes before it, in
    /// the FlatBuffer, with the letters of `weight`.
    reject "ptd-legacy/tensors/offset-wraps": "offset + bytes wraps" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", u64::MAX - 15);

    /// The file promises multiples of 16 and the tensor is at 24. Its integers are aligned there, so nothing fails
    /// until a kernel that trusts the promise loads two at once.
    reject "ptd-legacy/tensors/offset-unaligned": "offset not a multiple of tensor_alignment"
        breaks rules::PTDB_OFFSET_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 24_u64);

    /// No alignment at all. Slot 1, by which a reader may tell the layouts apart, is then as absent as a current file without
    /// segments would have it.
    either "ptd-legacy/tensors/alignment-absent": "tensor_alignment absent" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 1, 0);

    /// The root table tells which layout a file has, so a reader may look at it before the header. It then finds known
    /// tables, and a header whose fields it does not know.
    reject "ptd-legacy/header/magic-next-version": "header magic FH02" breaks ptd_header::FH_MAGIC_EXACT,
        from "ptd-legacy/valid/tensors" => |file| file.header("magic", b"FH02");

    /// The layouts differ in their tables and not in their header. A reader that keeps a way of its own for older files
    /// may have left this check on the other one.
    reject "ptd-legacy/header/length-39": "header length 39" breaks ptd_header::FH_LENGTH,
        from "ptd-legacy/valid/tensors" => |file| file.header("length", 39_u32);

    /// The FlatBuffer is cut to nothing. A reader that asks the root table for the layout first does so in the whole
    /// file, finds it, and then verifies an empty buffer.
    reject "ptd-legacy/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// The base serves all tensors, whose own offsets count from it: `weight` becomes the file's first 24 bytes, and
    /// `bias` begins with the header's base and size.
    reject "ptd-legacy/header/base-0": "segment_base_offset 0" breaks ptd_header::FH_BASE_GE_FB,
        from "ptd-legacy/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The sum wraps to 16, inside the file. Tensors are at offsets within one segment, so the header's size is the
    /// last bound behind the segment's own, and it is just under 2^64.
    reject "ptd-legacy/header/data-sum-wraps": "base + segment_data_size wraps" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// Tensors have names of their own and blobs have keys, in two lists. A look-up of a tensor passes by, and the
    /// first look-up of any blob compares a null pointer.
    reject "ptd-legacy/named-data/key-absent": "blob without a key" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd-legacy/valid/named-data" => |file| file.slot("named_data[0]", 0, 0);

    /// The blob's segment begins at 64 and ends at 63, within the data. The tensors' segment in front of it is sound,
    /// so nothing fails until someone asks for the blob.
    reject "ptd-legacy/segments/end-wraps": "offset + size wraps" breaks flat_tensor::FT_SEG_END_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// The blob's offset is the base with its sign turned: added up, it is byte 0, and the first 40 bytes of the file
    /// are handed out as the blob.
    reject "ptd-legacy/segments/base-sum-wraps": "base + offset wraps to the file's start"
        breaks flat_tensor::FT_SEG_ABS_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(32) as u64);
            file.scalar("segments[1].offset", offset);
        };

    /// The blob begins in the middle of the tensors' segment, with the first byte of `bias`. The two are looked up in
    /// different lists, so no look-up compares them.
    reject "ptd-legacy/segments/overlap": "two segments share bytes" breaks flat_tensor::FT_SEG_NO_OVERLAP,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].offset", 32_u64);

    /// An alignment of 0: a reader that divides by it dies.
    either "ptd-legacy/tensors/alignment-0": "tensor_alignment 0" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensor_alignment", 0_u32);

    /// A verifier lets it pass, since no field is required. Where a tensor ends in the segment that it shares follows
    /// from its sizes, which are asked of a null pointer.
    reject "ptd-legacy/layout/sizes-absent": "sizes absent" breaks rules::PTDB_LAYOUT_SIZES,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 2, 0);

    /// In this layout sizes and order stand in the tensor's own table, so there is no layout that could be absent as a
    /// whole: readers take both for given.
    reject "ptd-legacy/layout/dim-order-absent": "dim_order absent" breaks rules::PTDB_LAYOUT_DIMORDER,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 3, 0);

    /// One entry for two sizes. A loop over the order makes one stride and leaves the other as it was; a loop over the
    /// sizes reads behind the order.
    reject "ptd-legacy/layout/dim-order-short": "dim_order shorter than sizes" breaks rules::PTDB_LAYOUT_RANK,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors[0].dim_order", 1);

    /// Both entries are below the rank, and so in range. Sizes that are put in this order are 2 by 2, where `weight`
    /// has 2 by 3: two of its elements are lost without an error.
    reject "ptd-legacy/layout/dim-order-twice": "a dimension twice in dim_order" breaks rules::PTDB_LAYOUT_PERM,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].dim_order", 0, &[0, 0]);

    /// −1 by 3 floats are −12 bytes, so that the tensor ends before it begins: its offset plus its bytes is below every
    /// bound.
    reject "ptd-legacy/layout/size-negative": "size −1" breaks rules::PTDB_LAYOUT_SIZES_NONNEG,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].sizes", 0, &(-1_i32).to_le_bytes());

    /// The number of elements, just under 2^62, fits; times eight bytes it passes 2^64. What is left is a negative
    /// number to whoever counts with a sign, and so below every bound.
    reject "ptd-legacy/layout/nbytes-overflow": "bytes past 64 bits" breaks rules::PTDB_LAYOUT_NBYTES,
        from "ptd-legacy/valid/tensors" => |file| {
            file.elements("tensors[0].sizes", 0, &i32::MAX.to_le_bytes());
            file.elements("tensors[0].sizes", 4, &i32::MAX.to_le_bytes());
            file.scalar("tensors[0].scalar_type", 7_i8);
        };

    /// Where a tensor ends in its segment follows from the width of its elements, which is looked up before any bound
    /// can be checked. Of 99 there is none.
    reject "ptd-legacy/layout/scalar-type-99": "scalar type 99" breaks rules::PTDB_LAYOUT_SCALAR,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].scalar_type", 99_i8);

    /// Each tensor is inside its segment, and the segment is larger than data and file. A tensor's bound is worth what
    /// that of its segment is.
    reject "ptd-legacy/segments/past-data": "segment ends past the data" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("segments[0].size", 1000_u64);

    /// Blobs and tensors index one list of segments, each by a field of its own. A reader that checks the tensors'
    /// leaves this one to whatever stands behind the list.
    reject "ptd-legacy/named-data/index-past-end": "blob's segment index past the list" breaks flat_tensor::FT_SEG_INDEX,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// `weight` is read from the blob's segment, where its bytes fit. A reader that takes all tensors from the first
    /// segment gets others, as many, and no error.
    either "ptd-legacy/tensors/second-segment": "tensor in another segment" about rules::PTDB_ONE_SEGMENT,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// The root offset leads to itself. Which of the two layouts the file has is told by its root table, so nothing is known
    /// of it.
    reject "ptd-legacy/structure/root-0": "root offset 0" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(0);

    /// The root offset leads to the identifier, whose letters are then the distance to a vtable.
    reject "ptd-legacy/structure/root-in-identifier": "root offset 4" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(4);

    /// The root offset leads to where the FlatBuffer ends. A reader that asks the root table for the layout first reads
    /// behind it.
    reject "ptd-legacy/structure/root-past-end": "root offset past the FlatBuffer" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(file.u64_at(16) + file.u64_at(24));

    /// The largest root offset there is, which as a signed number is −1: below every bound, and before the file.
    reject "ptd-legacy/structure/root-max": "root offset 2^32 − 1" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root table between two words: what a reader finds there is half of one distance and half of a field.
    reject "ptd-legacy/structure/root-unaligned": "root table not at a multiple of 4" breaks envelope::FB_ROOT_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| {
            let root = file.at("", PartKind::Table);
            file.root(root + 2);
        };

    /// A million tensors by the count. Looking for a name that is not there goes on behind the third, where a vtable is
    /// taken for a reference to a place past the file.
    reject "ptd-legacy/structure/tensors-length-forged": "tensors of a forged length" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors", 0x0010_0000);

    /// A list of blobs that is longer than the file. Times four the count is 4 in 32 bits.
    reject "ptd-legacy/structure/named-data-length-forged": "named_data of a forged length"
        breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/named-data" => |file| file.count("named_data", 0x4000_0001);

    /// A segment's offset at a multiple of four only, in a layout whose tensors count from it.
    reject "ptd-legacy/structure/segment-offset-unaligned": "offset of a segment not at a multiple of 8"
        breaks envelope::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "offset", PartKind::Scalar);

    /// A segment's size at a multiple of four only: a reader that bounds tensors by the file's end never looks at it.
    reject "ptd-legacy/structure/segment-size-unaligned": "size of a segment not at a multiple of 8"
        breaks envelope::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "size", PartKind::Scalar);

    /// A version that no release wrote. Two layouts share version 0 already, so a reader that does not look at it has nothing
    /// left to go by.
    reject "ptd-legacy/structure/version-1": "version 1" breaks flat_tensor::FT_VERSION,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.scalar("version", 1_u32);

    /// Two bytes on, the first word is made of the distance to the vtable and of the offset behind it, and leads two
    /// megabytes before the file.
    reject "ptd-legacy/structure/tensor-unaligned": "tensor's table not at a multiple of 4" breaks envelope::FB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| {
            let table = file.at("tensors[1]", PartKind::Table);
            file.point("tensors[1]", table + 2);
        };
}
