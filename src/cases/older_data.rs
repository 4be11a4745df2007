//! Data files of the older layout, broken in its own ways. A reader of the current layout only must refuse them all, valid ones
//! included, rather than misread them.

use super::cases;
use crate::annotate::What;
use crate::rules::{envelope, flat_tensor, older_flat_tensor as rules, ptd_header};

cases! {
    /// Tensors without a name.
    reject "ptd-legacy/tensors/name-absent": "fully_qualified_name absent" breaks rules::PTDB_FQN,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[1]", 0, 0);

    /// The same name twice.
    reject "ptd-legacy/tensors/name-twice": "the same name twice" breaks rules::PTDB_FQN_UNIQUE,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[2].fully_qualified_name", 0, b"bias");

    /// A name without its zero byte.
    reject "ptd-legacy/tensors/name-not-terminated": "name without its zero byte" breaks envelope::FB_STRING_NUL,
        from "ptd-legacy/valid/tensors" => |file| file.terminator("tensors[0].fully_qualified_name", b'!');

    /// No list of tensors.
    reject "ptd-legacy/tensors/list-absent": "tensors absent" breaks rules::PTDB_LISTS_NONNULL,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 2, 0);

    /// A segment that is not there.
    reject "ptd-legacy/tensors/segment-index-past-end": "segment index past the list" breaks rules::PTDB_SEG_INDEX,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// A tensor whose bytes end past its segment.
    reject "ptd-legacy/tensors/past-segment": "tensor ends past its segment" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 48_u64);

    /// Offset and bytes wrap to a small number.
    reject "ptd-legacy/tensors/offset-wraps": "offset + bytes wraps" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", u64::MAX - 15);

    /// An offset that the file's own alignment forbids.
    reject "ptd-legacy/tensors/offset-unaligned": "offset not a multiple of tensor_alignment"
        breaks rules::PTDB_OFFSET_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 24_u64);

    /// No alignment at all. Slot 1, by which a reader may tell the layouts apart, is then as absent as a current file without
    /// segments would have it.
    either "ptd-legacy/tensors/alignment-absent": "tensor_alignment absent" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 1, 0);

    /// Another version of the header.
    reject "ptd-legacy/header/magic-next-version": "header magic FH02" breaks ptd_header::FH_MAGIC_EXACT,
        from "ptd-legacy/valid/tensors" => |file| file.header("magic", b"FH02");

    /// One byte less than the header has.
    reject "ptd-legacy/header/length-39": "header length 39" breaks ptd_header::FH_LENGTH,
        from "ptd-legacy/valid/tensors" => |file| file.header("length", 39_u32);

    /// The FlatBuffer's end wraps to 0.
    reject "ptd-legacy/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// Tensors are read from the header.
    reject "ptd-legacy/header/base-0": "segment_base_offset 0" breaks ptd_header::FH_BASE_GE_FB,
        from "ptd-legacy/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// Base and size wrap to a small number.
    reject "ptd-legacy/header/data-sum-wraps": "base + segment_data_size wraps" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// A blob without a key.
    reject "ptd-legacy/named-data/key-absent": "blob without a key" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd-legacy/valid/named-data" => |file| file.slot("named_data[0]", 0, 0);

    /// Offset and size wrap to a small number.
    reject "ptd-legacy/segments/end-wraps": "offset + size wraps" breaks flat_tensor::FT_SEG_END_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// Base and offset wrap to the file's first byte.
    reject "ptd-legacy/segments/base-sum-wraps": "base + offset wraps to the file's start"
        breaks flat_tensor::FT_SEG_ABS_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(32) as u64);
            file.scalar("segments[1].offset", offset);
        };

    /// A blob's segment begins inside the tensors'.
    reject "ptd-legacy/segments/overlap": "two segments share bytes" breaks flat_tensor::FT_SEG_NO_OVERLAP,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].offset", 32_u64);

    /// An alignment of 0: a reader that divides by it dies.
    either "ptd-legacy/tensors/alignment-0": "tensor_alignment 0" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensor_alignment", 0_u32);

    /// Tensors without sizes.
    reject "ptd-legacy/layout/sizes-absent": "sizes absent" breaks rules::PTDB_LAYOUT_SIZES,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 2, 0);

    /// Tensors without an order of dimensions.
    reject "ptd-legacy/layout/dim-order-absent": "dim_order absent" breaks rules::PTDB_LAYOUT_DIMORDER,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 3, 0);

    /// Fewer dimensions in the order than there are sizes.
    reject "ptd-legacy/layout/dim-order-short": "dim_order shorter than sizes" breaks rules::PTDB_LAYOUT_RANK,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors[0].dim_order", 1);

    /// The same dimension twice.
    reject "ptd-legacy/layout/dim-order-twice": "a dimension twice in dim_order" breaks rules::PTDB_LAYOUT_PERM,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].dim_order", 0, &[0, 0]);

    /// A negative size.
    reject "ptd-legacy/layout/size-negative": "size −1" breaks rules::PTDB_LAYOUT_SIZES_NONNEG,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].sizes", 0, &(-1_i32).to_le_bytes());

    /// Sizes whose product, times the eight bytes of an element, wraps.
    reject "ptd-legacy/layout/nbytes-overflow": "bytes past 64 bits" breaks rules::PTDB_LAYOUT_NBYTES,
        from "ptd-legacy/valid/tensors" => |file| {
            file.elements("tensors[0].sizes", 0, &i32::MAX.to_le_bytes());
            file.elements("tensors[0].sizes", 4, &i32::MAX.to_le_bytes());
            file.scalar("tensors[0].scalar_type", 7_i8);
        };

    /// A scalar type that is none.
    reject "ptd-legacy/layout/scalar-type-99": "scalar type 99" breaks rules::PTDB_LAYOUT_SCALAR,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].scalar_type", 99_i8);

    /// The segment is longer than the data.
    reject "ptd-legacy/segments/past-data": "segment ends past the data" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("segments[0].size", 1000_u64);

    /// A blob leads to a segment that is not there.
    reject "ptd-legacy/named-data/index-past-end": "blob's segment index past the list" breaks flat_tensor::FT_SEG_INDEX,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// A tensor outside segment 0, where the writers put every tensor.
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
        from "ptd-legacy/valid/tensors" => |file| {
            let end = file.u64_at(16) + file.u64_at(24);
            file.root(end);
        };

    /// The largest root offset there is, which as a signed number is −1: below every bound, and before the file.
    reject "ptd-legacy/structure/root-max": "root offset 2^32 − 1" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root table between two words: what a reader finds there is half of one distance and half of a field.
    reject "ptd-legacy/structure/root-unaligned": "root table not at a multiple of 4" breaks envelope::FB_ROOT_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| {
            let root = file.at("", What::Table(""));
            file.root(root + 2);
        };

    /// The list of tensors is longer than the file.
    reject "ptd-legacy/structure/tensors-length-forged": "tensors of a forged length" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors", 0x0010_0000);

    /// A list of blobs that is longer than the file. Times four the count is 4 in 32 bits.
    reject "ptd-legacy/structure/named-data-length-forged": "named_data of a forged length"
        breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/named-data" => |file| file.count("named_data", 0x4000_0001);

    /// A segment's offset at a multiple of four only, in a layout whose tensors count from it.
    reject "ptd-legacy/structure/segment-offset-unaligned": "offset of a segment not at a multiple of 8"
        breaks envelope::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "offset", What::Scalar);

    /// A segment's size at a multiple of four only: a reader that bounds tensors by the file's end never looks at it.
    reject "ptd-legacy/structure/segment-size-unaligned": "size of a segment not at a multiple of 8"
        breaks envelope::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "size", What::Scalar);

    /// A version that no release wrote. Two layouts share version 0 already, so a reader that does not look at it has nothing
    /// left to go by.
    reject "ptd-legacy/structure/version-1": "version 1" breaks flat_tensor::FT_VERSION,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.scalar("version", 1_u32);

    /// A tensor's table is between two words.
    reject "ptd-legacy/structure/tensor-unaligned": "tensor's table not at a multiple of 4" breaks envelope::FB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| {
            let table = file.at("tensors[1]", What::Table(""));
            file.point("tensors[1]", table + 2);
        };
}
