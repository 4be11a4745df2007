//! Cases about legacy data files. Their tables differ from those of the current layout, so a reader that supports only
//! the current one must reject every legacy file.

use super::{base, cases};
use crate::annotate::PartKind;
use crate::rules::{flat_tensor, flatbuffer, legacy_flat_tensor as rules, ptd_header};

cases! {
    /// Two tensors share a vtable, so neither has a name. A look-up of the third, `tied`, meets null on the way.
    reject "ptd-legacy/tensors/name-absent": "fully_qualified_name absent" breaks rules::PTDB_FQN,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[1]", 0, 0);

    /// `bias` names an integer tensor and a float tensor, and the search order decides which one a look-up returns.
    reject "ptd-legacy/tensors/name-twice": "same tensor name twice" breaks rules::PTDB_FQN_UNIQUE,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[2].fully_qualified_name", 0, b"bias");

    /// `tied` names both a tensor and a blob. Their lists are separate, so readers may accept the file, but a look-up
    /// finds only one of them.
    build "ptd-legacy/tensors/name-in-both-lists": "name of a tensor and of a blob" about rules::PTDB_NAME_ONE_LIST
        => || base::legacy_blob("tied");

    /// The NUL is replaced by `!`, so the name is `weight!` to a C-string reader but `weight` by its length.
    reject "ptd-legacy/tensors/name-not-terminated": "tensor name without a NUL terminator"
        breaks flatbuffer::FB_STRING_NUL,
        from "ptd-legacy/valid/tensors" => |file| file.terminator("tensors[0].fully_qualified_name", b'!');

    /// The segment holds 64 bytes of tensors, but reading their absent list's length dereferences null.
    reject "ptd-legacy/tensors/list-absent": "tensors absent" breaks rules::PTDB_LISTS_NONNULL,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 2, 0);

    /// The index is 1, but there is one segment. Unchecked, the word after the list becomes the offset to a segment.
    reject "ptd-legacy/tensors/segment-index-past-end": "tensor segment index past the list"
        breaks rules::PTDB_SEG_INDEX,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// `bias` begins inside its segment and ends 16 bytes past it, so checking the offset is not enough.
    reject "ptd-legacy/tensors/past-segment": "tensor ends past its segment" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 48_u64);

    /// 2^64 − 16 plus the byte count wraps to 16, which is inside the segment, while the tensor begins 16 bytes before
    /// it.
    reject "ptd-legacy/tensors/offset-wraps": "tensor offset + bytes wraps" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", u64::MAX - 15);

    /// The offset is 24, but the file declares an alignment of 16. Kernels that rely on it can fault.
    either "ptd-legacy/tensors/offset-unaligned": "tensor offset not a multiple of tensor_alignment"
        about rules::PTDB_OFFSET_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 24_u64);

    /// A reader that recognizes the legacy layout by this field mistakes the file for one in the current layout.
    either "ptd-legacy/tensors/alignment-absent": "tensor_alignment absent" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 1, 0);

    /// The tables are valid, but the header's version is unknown, so the header has to be checked before the root table
    /// decides the layout.
    reject "ptd-legacy/header/magic-next-version": "header magic FH02" breaks ptd_header::FH_MAGIC_EXACT,
        from "ptd-legacy/valid/tensors" => |file| file.header("magic", b"FH02");

    /// The length is one byte short of the shortest header. Separate code for legacy files has to check that as well.
    reject "ptd-legacy/header/length-39": "header length 39" breaks ptd_header::FH_LENGTH,
        from "ptd-legacy/valid/tensors" => |file| file.header("length", 39_u32);

    /// A reader that detects the layout before it checks the sum ends up verifying an empty FlatBuffer.
    reject "ptd-legacy/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// `weight` begins at the file's first byte, and `bias` inside the header. The base must be after the FlatBuffer.
    reject "ptd-legacy/header/base-0": "segment_base_offset 0" breaks ptd_header::FH_BASE_GE_FB,
        from "ptd-legacy/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The sum wraps to 16, which is inside the file, and then segments of any size pass.
    reject "ptd-legacy/header/data-sum-wraps": "base + segment_data_size wraps" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors"
        => |file| file.header("segment_data_size", 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16));

    /// Tensors are in a separate list, so looking them up works. Looking up a blob dereferences null.
    reject "ptd-legacy/named-data/key-absent": "named blob without a key" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd-legacy/valid/named-data" => |file| file.slot("named_data[0]", 0, 0);

    /// The end of the blob's segment wraps to 63, before its start. Segments without tensors must be checked too.
    reject "ptd-legacy/segments/end-wraps": "segment offset + size wraps" breaks flat_tensor::FT_SEG_END_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// The base plus the offset wraps to 0, so the blob is the file's first 40 bytes.
    reject "ptd-legacy/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks flat_tensor::FT_SEG_ABS_NO_OVERFLOW, from "ptd-legacy/valid/named-data"
        => |file| file.scalar("segments[1].offset", 0_u64.wrapping_sub(file.u64_at(32) as u64));

    /// The blob's segment begins inside the tensors' segment. Blobs and tensors are in separate lists, so the segments
    /// themselves have to be compared.
    reject "ptd-legacy/segments/overlap": "two segments share bytes" breaks flat_tensor::FT_SEG_NO_OVERLAP,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].offset", 32_u64);

    /// A reader that divides by the alignment crashes.
    either "ptd-legacy/tensors/alignment-0": "tensor_alignment 0" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensor_alignment", 0_u32);

    /// Multiplying the sizes in an absent list dereferences null.
    reject "ptd-legacy/layout/sizes-absent": "tensor sizes absent" breaks rules::PTDB_LAYOUT_SIZES,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 2, 0);

    /// Computing strides from an absent list dereferences null.
    reject "ptd-legacy/layout/dim-order-absent": "tensor dim_order absent" breaks rules::PTDB_LAYOUT_DIMORDER,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 3, 0);

    /// There are two sizes but one entry, so reading one entry per size goes past the end of `dim_order`.
    reject "ptd-legacy/layout/dim-order-short": "tensor dim_order shorter than sizes" breaks rules::PTDB_LAYOUT_RANK,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors[0].dim_order", 1);

    /// Dimension 0 appears twice and 1 is missing. Both entries are below the rank, so a range check does not notice.
    reject "ptd-legacy/layout/dim-order-twice": "repeated dimension in a tensor dim_order"
        breaks rules::PTDB_LAYOUT_PERM,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].dim_order", 0, &[0, 0]);

    /// The byte count is −12, so the tensor ends before it starts. A reader that checks only the upper limit accepts
    /// it.
    reject "ptd-legacy/layout/size-negative": "tensor size −1" breaks rules::PTDB_LAYOUT_SIZES_NONNEG,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].sizes", 0, -1_i32);

    /// The element count fits into 64 bits, but the byte count does not.
    reject "ptd-legacy/layout/nbytes-overflow": "tensor byte count above 64 bits" breaks rules::PTDB_LAYOUT_NBYTES,
        from "ptd-legacy/valid/tensors" => |file| {
            file.elements("tensors[0].sizes", 0, i32::MAX);
            file.elements("tensors[0].sizes", 4, i32::MAX);
            file.scalar("tensors[0].scalar_type", 7_i8);
        };

    /// No type has this number, so the byte count cannot be computed, and the file has to be rejected before that.
    reject "ptd-legacy/layout/scalar-type-99": "tensor scalar type 99" breaks rules::PTDB_LAYOUT_SCALAR,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].scalar_type", 99_i8);

    /// Each tensor is inside the segment, but the segment is larger than the data and the file.
    reject "ptd-legacy/segments/past-data": "segment ends past the data" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("segments[0].size", 1000_u64);

    /// The blob's index is 2, but there are only two segments. Tensors have a separate index field, and both must be
    /// checked.
    reject "ptd-legacy/named-data/index-past-end": "named blob segment index past the list"
        breaks flat_tensor::FT_SEG_INDEX,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// `weight` is in the second segment, which is large enough. A reader that looks for all tensors in the first
    /// segment returns the wrong bytes.
    either "ptd-legacy/tensors/second-segment": "tensor in the second segment" about rules::PTDB_ONE_SEGMENT,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// The root offset points to itself, and a table without fields does not say which layout the file has.
    reject "ptd-legacy/structure/root-0": "root offset 0" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(0);

    /// Read as a vtable offset, the identifier's letters point outside the file, so the root offset has to be checked
    /// before the layout is detected.
    reject "ptd-legacy/structure/root-in-identifier": "root offset 4" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(4);

    /// The root offset equals the FlatBuffer's end, so it has to be checked before the root table decides the layout.
    reject "ptd-legacy/structure/root-past-end": "root offset past the FlatBuffer"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(file.u64_at(16) + file.u64_at(24));

    /// As a signed integer, the offset is −1, which passes the upper limit.
    reject "ptd-legacy/structure/root-max": "root offset 2^32 − 1" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root offset is two bytes too large, so the first word of the table mixes two fields.
    reject "ptd-legacy/structure/root-unaligned": "root table not aligned to 4 bytes"
        breaks flatbuffer::FB_ROOT_ALIGNED, from "ptd-legacy/valid/tensors" => |file| file.root(file.u32_at(0) + 2);

    /// The vector declares one million tensors but has three. A search for an unknown name goes on and reads the next
    /// bytes as offsets.
    reject "ptd-legacy/structure/tensors-length-forged": "tensors with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors", 0x0010_0000);

    /// In 32-bit arithmetic, 2^30 + 1 four-byte blobs wrap to 4. Tensors and blobs have separate counts, and both need
    /// checks.
    reject "ptd-legacy/structure/named-data-length-forged": "named_data with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/named-data" => |file| file.count("named_data", 0x4000_0001);

    /// The offset, which every tensor's position depends on, is aligned to only 4 bytes.
    reject "ptd-legacy/structure/segment-offset-unaligned": "segment offset not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "offset", PartKind::Scalar);

    /// The size is aligned to only 4 bytes, which a verifier has to notice even if the reader never uses it.
    reject "ptd-legacy/structure/segment-size-unaligned": "segment size not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "size", PartKind::Scalar);

    /// No release wrote version 1, so its tables may differ.
    reject "ptd-legacy/structure/version-1": "schema version 1" breaks flat_tensor::FT_VERSION,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.scalar("version", 1_u32);

    /// The offset to a tensor is two bytes too large, so the first word of its table mixes two fields.
    reject "ptd-legacy/structure/tensor-unaligned": "tensor table not aligned to 4 bytes"
        breaks flatbuffer::FB_ALIGNMENT, from "ptd-legacy/valid/tensors" => |file| {
            let table = file.at("tensors[1]", PartKind::Table);
            file.point("tensors[1]", table + 2);
        };
}
