//! Cases about legacy data files. A reader that supports only the current layout must reject every legacy file, because
//! the tables of the two layouts differ.

use super::{base, cases};
use crate::annotate::PartKind;
use crate::rules::{flat_tensor, flatbuffer, legacy_flat_tensor as rules, ptd_header};

cases! {
    /// Two tensors, which share a vtable, have no name; the third tensor is named `tied`. A lookup of `tied` compares
    /// the name with a null pointer before the lookup reaches the third tensor.
    reject "ptd-legacy/tensors/name-absent": "fully_qualified_name absent" breaks rules::PTDB_FQN,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[1]", 0, 0);

    /// Two tensors are named `bias`: one tensor of integers and one tensor of floats. A reader must reject the file,
    /// because the result of a lookup would depend on the search order.
    reject "ptd-legacy/tensors/name-twice": "same tensor name twice" breaks rules::PTDB_FQN_UNIQUE,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[2].fully_qualified_name", 0, b"bias");

    /// A tensor and a named blob have the name `tied`. Readers may accept the file, because tensors and blobs have
    /// separate lists. A lookup of this name can return the bytes of the tensor or the bytes of the blob.
    build "ptd-legacy/tensors/name-in-both-lists": "name of a tensor and of a blob" about rules::PTDB_NAME_ONE_LIST
        => || base::legacy_blob("tied");

    /// The terminator of the name `weight` is overwritten with `!`. Readers that use C strings get `weight!`, and
    /// readers that use the length get `weight`. A reader must require the NUL terminator.
    reject "ptd-legacy/tensors/name-not-terminated": "tensor name without a NUL terminator"
        breaks flatbuffer::FB_STRING_NUL,
        from "ptd-legacy/valid/tensors" => |file| file.terminator("tensors[0].fully_qualified_name", b'!');

    /// The list of tensors is absent, although the file has a segment with 64 bytes. If a lookup reads the number of
    /// tensors without a null check, it dereferences a null pointer.
    reject "ptd-legacy/tensors/list-absent": "tensors absent" breaks rules::PTDB_LISTS_NONNULL,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 2, 0);

    /// The tensor's segment index is 1, but the file has one segment. If a reader does not check the index, it uses the
    /// word after the list of segments as an offset to a segment.
    reject "ptd-legacy/tensors/segment-index-past-end": "tensor segment index past the list"
        breaks rules::PTDB_SEG_INDEX,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// The tensor `bias` begins inside its segment but ends 16 bytes past the segment. A reader that checks only the
    /// tensor's offset accepts the file.
    reject "ptd-legacy/tensors/past-segment": "tensor ends past its segment" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 48_u64);

    /// The tensor's offset is 2^64 − 16. The sum of offset and byte count wraps to 16, which is inside the segment.
    /// With an offset of 2^64 − 16, the tensor begins 16 bytes before the segment.
    reject "ptd-legacy/tensors/offset-wraps": "tensor offset + bytes wraps" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", u64::MAX - 15);

    /// The tensor's offset is 24, but the file declares a tensor alignment of 16. Kernels that rely on the alignment
    /// can fault.
    either "ptd-legacy/tensors/offset-unaligned": "tensor offset not a multiple of tensor_alignment"
        about rules::PTDB_OFFSET_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 24_u64);

    /// The field `tensor_alignment` is absent. Readers that use `tensor_alignment` to detect the legacy layout can
    /// misread the file as a file in the current layout.
    either "ptd-legacy/tensors/alignment-absent": "tensor_alignment absent" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 1, 0);

    /// The header magic is `FH02`, an unknown header version, but the tables are valid. A reader that uses the root
    /// table to detect the layout must still check the header first.
    reject "ptd-legacy/header/magic-next-version": "header magic FH02" breaks ptd_header::FH_MAGIC_EXACT,
        from "ptd-legacy/valid/tensors" => |file| file.header("magic", b"FH02");

    /// The header length is 39, one byte less than the required minimum of 40. If a reader has separate code for legacy
    /// files, this code must also check the header length.
    reject "ptd-legacy/header/length-39": "header length 39" breaks ptd_header::FH_LENGTH,
        from "ptd-legacy/valid/tensors" => |file| file.header("length", 39_u32);

    /// The sum of `flatbuffer_offset` and `flatbuffer_size` wraps to 0. A reader that does not check this sum before it
    /// detects the layout verifies an empty FlatBuffer.
    reject "ptd-legacy/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// The segment base is 0, so the tensor `weight` begins at the file's first byte, and `bias` begins inside the
    /// header. A reader must check that the segment base is after the FlatBuffer.
    reject "ptd-legacy/header/base-0": "segment_base_offset 0" breaks ptd_header::FH_BASE_GE_FB,
        from "ptd-legacy/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The sum of segment base and data size of the legacy file wraps to 16. A reader that compares only the wrapped
    /// sum with the file's size accepts segments of any size.
    reject "ptd-legacy/header/data-sum-wraps": "base + segment_data_size wraps" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors"
        => |file| file.header("segment_data_size", 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16));

    /// A named blob has no key. Lookups of tensors succeed, because tensors have a separate list. A lookup of a blob
    /// dereferences a null pointer.
    reject "ptd-legacy/named-data/key-absent": "named blob without a key" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd-legacy/valid/named-data" => |file| file.slot("named_data[0]", 0, 0);

    /// The sum of the blob's segment offset and size wraps to 63, which is before the segment's start. A reader must
    /// check every segment, including segments without tensors.
    reject "ptd-legacy/segments/end-wraps": "segment offset + size wraps" breaks flat_tensor::FT_SEG_END_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// The sum of segment base and segment offset wraps to 0. A reader that uses the wrapped sum returns the file's
    /// first 40 bytes as the blob.
    reject "ptd-legacy/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks flat_tensor::FT_SEG_ABS_NO_OVERFLOW, from "ptd-legacy/valid/named-data"
        => |file| file.scalar("segments[1].offset", 0_u64.wrapping_sub(file.u64_at(32) as u64));

    /// The blob's segment begins inside the segment of the tensors. Tensors and blobs have separate lists, so a reader
    /// must compare the segments themselves.
    reject "ptd-legacy/segments/overlap": "two segments share bytes" breaks flat_tensor::FT_SEG_NO_OVERLAP,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].offset", 32_u64);

    /// The field `tensor_alignment` is 0. A reader that divides by the alignment without a check crashes.
    either "ptd-legacy/tensors/alignment-0": "tensor_alignment 0" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensor_alignment", 0_u32);

    /// The list of sizes of a tensor is absent. If a reader multiplies the sizes without a null check, it dereferences
    /// a null pointer.
    reject "ptd-legacy/layout/sizes-absent": "tensor sizes absent" breaks rules::PTDB_LAYOUT_SIZES,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 2, 0);

    /// The list `dim_order` of a tensor is absent. A reader that computes strides without a null check dereferences a
    /// null pointer.
    reject "ptd-legacy/layout/dim-order-absent": "tensor dim_order absent" breaks rules::PTDB_LAYOUT_DIMORDER,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 3, 0);

    /// The tensor has two sizes but only one entry in `dim_order`. A reader that reads one entry of `dim_order` for
    /// each size reads past the end of `dim_order`.
    reject "ptd-legacy/layout/dim-order-short": "tensor dim_order shorter than sizes" breaks rules::PTDB_LAYOUT_RANK,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors[0].dim_order", 1);

    /// `dim_order` lists dimension 0 twice and omits dimension 1. Both entries of `dim_order` are less than the rank,
    /// so a reader must also check that each dimension occurs once.
    reject "ptd-legacy/layout/dim-order-twice": "repeated dimension in a tensor dim_order"
        breaks rules::PTDB_LAYOUT_PERM,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].dim_order", 0, &[0, 0]);

    /// A size of the tensor is −1, so the byte count is −12. A reader that adds the byte count to the offset gets an
    /// end before the tensor's start. A reader that checks only the upper limit therefore accepts the file.
    reject "ptd-legacy/layout/size-negative": "tensor size −1" breaks rules::PTDB_LAYOUT_SIZES_NONNEG,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].sizes", 0, -1_i32);

    /// The element count fits in 64 bits, but the byte count exceeds 2^64. A reader must also detect overflow in the
    /// multiplication by the element width.
    reject "ptd-legacy/layout/nbytes-overflow": "tensor byte count above 64 bits" breaks rules::PTDB_LAYOUT_NBYTES,
        from "ptd-legacy/valid/tensors" => |file| {
            file.elements("tensors[0].sizes", 0, i32::MAX);
            file.elements("tensors[0].sizes", 4, i32::MAX);
            file.scalar("tensors[0].scalar_type", 7_i8);
        };

    /// The tensor's scalar type is 99, which is undefined. A reader cannot compute the tensor's byte count, so the
    /// reader must reject the file before the bounds check.
    reject "ptd-legacy/layout/scalar-type-99": "tensor scalar type 99" breaks rules::PTDB_LAYOUT_SCALAR,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].scalar_type", 99_i8);

    /// The segment is larger than the data and the file. Each tensor is inside the segment, so a reader must also
    /// compare the segment with the data size.
    reject "ptd-legacy/segments/past-data": "segment ends past the data" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("segments[0].size", 1000_u64);

    /// The blob's segment index is 2, but the file has two segments. Tensors and blobs have separate index fields, so a
    /// reader must check both fields.
    reject "ptd-legacy/named-data/index-past-end": "named blob segment index past the list"
        breaks flat_tensor::FT_SEG_INDEX,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// The tensor `weight` is in the second segment, and the segment is large enough. A reader that assumes that all
    /// tensors are in the first segment returns the wrong bytes.
    either "ptd-legacy/tensors/second-segment": "tensor in the second segment" about rules::PTDB_ONE_SEGMENT,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// The root offset is 0 and points to itself. The zero bytes of the root offset form a table without fields. A
    /// reader that detects the layout by the root table cannot determine the layout.
    reject "ptd-legacy/structure/root-0": "root offset 0" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(0);

    /// The root offset is 4 and points to the identifier. As a vtable offset, the identifier's letters point outside
    /// the file, so a reader must check the root offset first.
    reject "ptd-legacy/structure/root-in-identifier": "root offset 4" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(4);

    /// The root offset equals the FlatBuffer's end. A reader that uses the root table to detect the layout must first
    /// check the root offset.
    reject "ptd-legacy/structure/root-past-end": "root offset past the FlatBuffer"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(file.u64_at(16) + file.u64_at(24));

    /// The root offset is 2^32 − 1. As a signed integer, the offset is −1, so a reader that checks only the upper limit
    /// accepts the file.
    reject "ptd-legacy/structure/root-max": "root offset 2^32 − 1" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root offset is two bytes too large. The word at this position mixes bytes of two fields, so a reader must
    /// check that the root table is aligned to 4 bytes.
    reject "ptd-legacy/structure/root-unaligned": "root table not aligned to 4 bytes"
        breaks flatbuffer::FB_ROOT_ALIGNED, from "ptd-legacy/valid/tensors" => |file| file.root(file.u32_at(0) + 2);

    /// The count of tensors is one million, but the file has three tensors. A search for an unknown name continues
    /// after the third tensor and uses the following bytes as offsets.
    reject "ptd-legacy/structure/tensors-length-forged": "tensors with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors", 0x0010_0000);

    /// The count of named blobs is 2^30 + 1. Multiplied by 4 in 32-bit arithmetic, the count wraps to 4. A reader must
    /// check the counts of both lists, tensors and named blobs.
    reject "ptd-legacy/structure/named-data-length-forged": "named_data with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/named-data" => |file| file.count("named_data", 0x4000_0001);

    /// The 64-bit offset of the segment is aligned to 4 bytes, but not to 8 bytes. The positions of all tensors depend
    /// on the segment's offset.
    reject "ptd-legacy/structure/segment-offset-unaligned": "segment offset not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "offset", PartKind::Scalar);

    /// The 64-bit size of the segment is aligned to 4 bytes, but not to 8 bytes. A verifier must check every field,
    /// even fields that the reader does not use.
    reject "ptd-legacy/structure/segment-size-unaligned": "segment size not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "size", PartKind::Scalar);

    /// The schema version is 1, which no release wrote. A reader must reject unknown versions, because the tables of
    /// another version can differ.
    reject "ptd-legacy/structure/version-1": "schema version 1" breaks flat_tensor::FT_VERSION,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.scalar("version", 1_u32);

    /// The offset to a tensor is two bytes too large, so the tensor's table is not aligned to 4 bytes. The first word
    /// of the misaligned table mixes bytes of two fields.
    reject "ptd-legacy/structure/tensor-unaligned": "tensor table not aligned to 4 bytes"
        breaks flatbuffer::FB_ALIGNMENT, from "ptd-legacy/valid/tensors" => |file| {
            let table = file.at("tensors[1]", PartKind::Table);
            file.point("tensors[1]", table + 2);
        };
}
