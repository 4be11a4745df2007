//! Cases about legacy data files. Their tables differ from those of the current layout, so a reader that supports only
//! the current one must reject every legacy file.

use super::{base, cases};
use crate::annotate::PartKind;
use crate::rules::{flat_tensor, flatbuffer, legacy_flat_tensor as rules, ptd_header};

cases! {
    /// Two tensors share a vtable in which the name is absent. Looking up the third, `tied`, compares it with null first.
    reject "ptd-legacy/tensors/name-absent": "fully_qualified_name absent" breaks rules::PTDB_FQN,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[1]", 0, 0);

    /// An integer tensor and a float tensor are both called `bias`, so the search order decides which one is found.
    reject "ptd-legacy/tensors/name-twice": "same tensor name twice" breaks rules::PTDB_FQN_UNIQUE,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[2].fully_qualified_name", 0, b"bias");

    /// A tensor and a blob are both called `tied`. They are in separate lists, so readers may accept the file, but a
    /// look-up finds only one of the two.
    build "ptd-legacy/tensors/name-in-both-lists": "same name for a tensor and a blob" about rules::PTDB_NAME_ONE_LIST
        => || base::legacy_blob("tied");

    /// A `!` replaces the NUL. Readers of C strings see the name `weight!`, but readers that use the length see `weight`.
    reject "ptd-legacy/tensors/name-not-terminated": "tensor name without a NUL terminator"
        breaks flatbuffer::FB_STRING_NUL,
        from "ptd-legacy/valid/tensors" => |file| file.terminator("tensors[0].fully_qualified_name", b'!');

    /// The 64 bytes of tensor data are there, but the list of tensors is absent, so reading its length dereferences null.
    reject "ptd-legacy/tensors/list-absent": "tensors absent" breaks rules::PTDB_LISTS_NONNULL,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 2, 0);

    /// The index is 1, but there is only one segment. A reader that does not check uses the word after the list as an offset.
    reject "ptd-legacy/tensors/segment-index-past-end": "tensor segment index past the list"
        breaks rules::PTDB_SEG_INDEX,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// `bias` begins inside its segment but ends 16 bytes past it, so checking only the offset is not enough.
    reject "ptd-legacy/tensors/past-segment": "tensor ends past its segment" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 48_u64);

    /// The offset, 2^64 − 16, plus the byte count wraps to 16. That is inside the segment, but the tensor would begin
    /// 16 bytes before it.
    reject "ptd-legacy/tensors/offset-wraps": "tensor offset + bytes wraps" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", u64::MAX - 15);

    /// The offset is 24, but the file declares an alignment of 16. Kernels that rely on that alignment can fault.
    either "ptd-legacy/tensors/offset-unaligned": "tensor offset not a multiple of tensor_alignment"
        about rules::PTDB_OFFSET_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 24_u64);

    /// A reader that recognizes the legacy layout by this field takes the file for one in the current layout.
    either "ptd-legacy/tensors/alignment-absent": "tensor_alignment absent" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 1, 0);

    /// The tables are valid, but the header's version is unknown. A reader has to check the header before it uses the
    /// root table to detect the layout.
    reject "ptd-legacy/header/magic-next-version": "header magic FH02" breaks ptd_header::FH_MAGIC_EXACT,
        from "ptd-legacy/valid/tensors" => |file| file.header("magic", b"FH02");

    /// This header is one byte shorter than the shortest. If legacy files have their own code path, it must compare as well.
    reject "ptd-legacy/header/length-39": "header length 39" breaks ptd_header::FH_LENGTH,
        from "ptd-legacy/valid/tensors" => |file| file.header("length", 39_u32);

    /// A reader that detects the layout before it checks the sum ends up verifying an empty FlatBuffer.
    reject "ptd-legacy/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// `weight` begins at the file's first byte, and `bias` begins inside the header. The base must come after the FlatBuffer.
    reject "ptd-legacy/header/base-0": "segment_base_offset 0" breaks ptd_header::FH_BASE_GE_FB,
        from "ptd-legacy/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The sum wraps to 16, which is inside the file. If a reader accepts it, segments of any size pass the bounds check.
    reject "ptd-legacy/header/data-sum-wraps": "base + segment_data_size wraps" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors"
        => |file| file.header("segment_data_size", 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16));

    /// Looking up a tensor works, because tensors are in a separate list. Looking up a blob dereferences null.
    reject "ptd-legacy/named-data/key-absent": "named blob without a key" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd-legacy/valid/named-data" => |file| file.slot("named_data[0]", 0, 0);

    /// The end of the blob's segment wraps to 63, before its start. A reader must also check segments without tensors.
    reject "ptd-legacy/segments/end-wraps": "segment offset + size wraps" breaks flat_tensor::FT_SEG_END_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// The base plus the offset wraps to 0, so the blob seems to be the file's first 40 bytes.
    reject "ptd-legacy/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks flat_tensor::FT_SEG_ABS_NO_OVERFLOW, from "ptd-legacy/valid/named-data"
        => |file| file.scalar("segments[1].offset", 0_u64.wrapping_sub(file.u64_at(32) as u64));

    /// The blob's segment begins inside the tensors' segment. Blobs and tensors are in separate lists, so a reader has
    /// to compare the segments themselves.
    reject "ptd-legacy/segments/overlap": "two segments share bytes" breaks flat_tensor::FT_SEG_NO_OVERLAP,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].offset", 32_u64);

    /// A reader that divides an offset by the alignment crashes.
    either "ptd-legacy/tensors/alignment-0": "tensor_alignment 0" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensor_alignment", 0_u32);

    /// Multiplying the sizes in an absent list dereferences null.
    reject "ptd-legacy/layout/sizes-absent": "tensor sizes absent" breaks rules::PTDB_LAYOUT_SIZES,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 2, 0);

    /// Computing strides from an absent list dereferences null.
    reject "ptd-legacy/layout/dim-order-absent": "tensor dim_order absent" breaks rules::PTDB_LAYOUT_DIMORDER,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 3, 0);

    /// There are two sizes, but `dim_order` has one entry, so reading one entry per size goes past its end.
    reject "ptd-legacy/layout/dim-order-short": "tensor dim_order shorter than sizes" breaks rules::PTDB_LAYOUT_RANK,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors[0].dim_order", 1);

    /// Dimension 0 appears twice, and dimension 1 is missing. Both entries are below the rank, so a range check passes.
    reject "ptd-legacy/layout/dim-order-twice": "repeated dimension in a tensor dim_order"
        breaks rules::PTDB_LAYOUT_PERM,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].dim_order", 0, &[0, 0]);

    /// The byte count is −12, so the tensor ends before it starts. A reader that checks only the upper limit accepts
    /// the file.
    reject "ptd-legacy/layout/size-negative": "tensor size −1" breaks rules::PTDB_LAYOUT_SIZES_NONNEG,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].sizes", 0, -1_i32);

    /// The element count fits into 64 bits, but the byte count does not.
    reject "ptd-legacy/layout/nbytes-overflow": "tensor byte count above 64 bits" breaks rules::PTDB_LAYOUT_NBYTES,
        from "ptd-legacy/valid/tensors" => |file| {
            file.elements("tensors[0].sizes", 0, i32::MAX);
            file.elements("tensors[0].sizes", 4, i32::MAX);
            file.scalar("tensors[0].scalar_type", 7_i8);
        };

    /// No scalar type has this number, so a reader has to reject the file before it computes the tensor's byte count.
    reject "ptd-legacy/layout/scalar-type-99": "tensor scalar type 99" breaks rules::PTDB_LAYOUT_SCALAR,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].scalar_type", 99_i8);

    /// Each tensor is inside the segment, but the segment itself is larger than the data and the whole file.
    reject "ptd-legacy/segments/past-data": "segment ends past the data" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("segments[0].size", 1000_u64);

    /// The blob's segment index is 2, but there are only two segments. Tensors have a separate index field, and a
    /// reader must check both fields.
    reject "ptd-legacy/named-data/index-past-end": "named blob segment index past the list"
        breaks flat_tensor::FT_SEG_INDEX,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// `weight` is in the second segment, which is large enough. A reader that looks for all tensors in the first
    /// segment returns the wrong bytes.
    either "ptd-legacy/tensors/second-segment": "tensor in the second segment" about rules::PTDB_ONE_SEGMENT,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// The root offset points to itself. The table there has no fields, so it does not show which layout the file has.
    reject "ptd-legacy/structure/root-0": "root offset 0" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(0);

    /// Read as a vtable offset, the identifier's letters point outside the file. A reader has to check the root offset
    /// before it detects the layout.
    reject "ptd-legacy/structure/root-in-identifier": "root offset 4" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(4);

    /// The root offset equals the FlatBuffer's end, so reading the root table to detect the layout goes past the FlatBuffer.
    reject "ptd-legacy/structure/root-past-end": "root offset past the FlatBuffer"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(file.u64_at(16) + file.u64_at(24));

    /// As a signed integer, the offset is −1, which is below any upper limit.
    reject "ptd-legacy/structure/root-max": "root offset 2^32 − 1" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root offset is two bytes too large, so the first word of the table combines halves of two fields.
    reject "ptd-legacy/structure/root-unaligned": "root table not aligned to 4 bytes"
        breaks flatbuffer::FB_ROOT_ALIGNED, from "ptd-legacy/valid/tensors" => |file| file.root(file.u32_at(0) + 2);

    /// The vector declares one million tensors but has three. A search for an unknown name continues after the third
    /// tensor and reads the bytes there as offsets.
    reject "ptd-legacy/structure/tensors-length-forged": "tensors with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors", 0x0010_0000);

    /// In 32-bit arithmetic, 2^30 + 1 offsets need only 4 bytes. Tensors and blobs have separate counts, and a reader
    /// must check both.
    reject "ptd-legacy/structure/named-data-length-forged": "named_data with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/named-data" => |file| file.count("named_data", 0x4000_0001);

    /// Every tensor's position depends on this offset, but it is aligned to only 4 bytes, so loading it faults on some hosts.
    reject "ptd-legacy/structure/segment-offset-unaligned": "segment offset not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "offset", PartKind::Scalar);

    /// The size is aligned to only 4 bytes. A verifier has to notice that even if the reader never uses the size.
    reject "ptd-legacy/structure/segment-size-unaligned": "segment size not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "size", PartKind::Scalar);

    /// No release wrote version 1, so the tables of that version may differ.
    reject "ptd-legacy/structure/version-1": "schema version 1" breaks flat_tensor::FT_VERSION,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.scalar("version", 1_u32);

    /// The offset to a tensor is two bytes too large, so the first word of the tensor's table combines halves of two fields.
    reject "ptd-legacy/structure/tensor-unaligned": "tensor table not aligned to 4 bytes"
        breaks flatbuffer::FB_ALIGNMENT, from "ptd-legacy/valid/tensors" => |file| {
            let table = file.at("tensors[1]", PartKind::Table);
            file.point("tensors[1]", table + 2);
        };
}
