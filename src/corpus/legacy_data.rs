//! Cases about legacy data files. A reader of only the current layout must reject every legacy data file, even a valid
//! one, rather than misread it.

use super::cases;
use crate::annotate::PartKind;
use crate::rules::{flat_tensor, flatbuffer, legacy_flat_tensor as rules, ptd_header};

cases! {
    /// Two tensors share the vtable and have no names; the third is named `tied`. A lookup of `tied` compares two null
    /// pointers first.
    reject "ptd-legacy/tensors/name-absent": "fully_qualified_name absent" breaks rules::PTDB_FQN,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[1]", 0, 0);

    /// One tensor named `bias` has four integers at 32, and the other has six floats at 0. A linear search finds the
    /// integers, and a map keeps the floats.
    reject "ptd-legacy/tensors/name-twice": "same tensor name twice" breaks rules::PTDB_FQN_UNIQUE,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[2].fully_qualified_name", 0, b"bias");

    /// As a C string, the name is `weight!`, because padding ends the name. Without padding, the name would continue
    /// into the weights. A lookup by C string does not find `weight`.
    reject "ptd-legacy/tensors/name-not-terminated": "tensor name without a NUL terminator"
        breaks flatbuffer::FB_STRING_NUL,
        from "ptd-legacy/valid/tensors" => |file| file.terminator("tensors[0].fully_qualified_name", b'!');

    /// The segment with its 64 bytes exists, but no tensor names any of them. A lookup dereferences a null pointer to
    /// get the number of tensors.
    reject "ptd-legacy/tensors/list-absent": "tensors absent" breaks rules::PTDB_LISTS_NONNULL,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 2, 0);

    /// There is one segment and the index is 1. The reader follows the word after the list a megabyte ahead.
    reject "ptd-legacy/tensors/segment-index-past-end": "tensor segment index past the list"
        breaks rules::PTDB_SEG_INDEX,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// `bias` begins at 48, inside its segment, and ends 16 bytes past it. A reader that checks only the offset
    /// accepts it.
    reject "ptd-legacy/tensors/past-segment": "tensor ends past its segment" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 48_u64);

    /// The offset is 2^64 − 16, and adding 32 bytes wraps to 16, inside the segment. The tensor begins 16 bytes before
    /// the segment, in the FlatBuffer.
    reject "ptd-legacy/tensors/offset-wraps": "tensor offset + bytes wraps" breaks rules::PTDB_OFFSET,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", u64::MAX - 15);

    /// The file declares an alignment of 16 and the tensor is at 24. A kernel that relies on the alignment and
    /// loads two integers at once faults.
    reject "ptd-legacy/tensors/offset-unaligned": "tensor offset not a multiple of tensor_alignment"
        breaks rules::PTDB_OFFSET_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].offset", 24_u64);

    /// The alignment is absent. A reader that detects the layout by slot 1 then cannot distinguish the file from a
    /// current one without segments.
    either "ptd-legacy/tensors/alignment-absent": "tensor_alignment absent" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.slot("", 1, 0);

    /// The root table determines the layout, so a reader may read the root table before the header. This file has known
    /// tables and a header with unknown fields.
    reject "ptd-legacy/header/magic-next-version": "header magic FH02" breaks ptd_header::FH_MAGIC_EXACT,
        from "ptd-legacy/valid/tensors" => |file| file.header("magic", b"FH02");

    /// Both layouts share the header format. A reader with separate code for legacy files may omit the check of the
    /// header length.
    reject "ptd-legacy/header/length-39": "header length 39" breaks ptd_header::FH_LENGTH,
        from "ptd-legacy/valid/tensors" => |file| file.header("length", 39_u32);

    /// The FlatBuffer has no bytes. A reader that detects the layout in the whole file finds the root table there, and
    /// then verifies an empty buffer.
    reject "ptd-legacy/header/flatbuffer-sum-wraps-to-0": "flatbuffer_offset + flatbuffer_size wraps to 0"
        breaks ptd_header::FH_FB_SUM,
        from "ptd-legacy/valid/tensors" => |file| file.header("flatbuffer_size", 0_u64.wrapping_sub(48));

    /// The base is 0, and the tensors' offsets count from the base, so `weight` becomes the file's first 24 bytes.
    /// `bias` begins inside the header.
    reject "ptd-legacy/header/base-0": "segment_base_offset 0" breaks ptd_header::FH_BASE_GE_FB,
        from "ptd-legacy/valid/tensors" => |file| file.header("segment_base_offset", 0_u64);

    /// The sum wraps to 16, inside the file. The header's data size, just under 2^64, then does not limit the segment.
    reject "ptd-legacy/header/data-sum-wraps": "base + segment_data_size wraps" breaks ptd_header::FH_BASE_DATA_SUM,
        from "ptd-legacy/valid/tensors" => |file| {
            let size = 0_u64.wrapping_sub(file.u64_at(32) as u64).wrapping_add(16);
            file.header("segment_data_size", size);
        };

    /// Tensors and blobs have separate lists. A lookup of a tensor works, and the first lookup of a blob dereferences a
    /// null pointer.
    reject "ptd-legacy/named-data/key-absent": "named blob without a key" breaks flat_tensor::FT_KEY_NONNULL,
        from "ptd-legacy/valid/named-data" => |file| file.slot("named_data[0]", 0, 0);

    /// The blob's segment begins at 64 and ends at 63. The tensors' segment is valid, so nothing fails until a
    /// lookup of the blob.
    reject "ptd-legacy/segments/end-wraps": "segment offset + size wraps" breaks flat_tensor::FT_SEG_END_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// Base plus offset wraps to 0, so the reader returns the file's first 40 bytes as the blob.
    reject "ptd-legacy/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks flat_tensor::FT_SEG_ABS_NO_OVERFLOW,
        from "ptd-legacy/valid/named-data" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(32) as u64);
            file.scalar("segments[1].offset", offset);
        };

    /// The blob begins at the first byte of `bias`, inside the tensors' segment. Lookups use different lists, so no
    /// lookup compares the two ranges.
    reject "ptd-legacy/segments/overlap": "two segments share bytes" breaks flat_tensor::FT_SEG_NO_OVERLAP,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("segments[1].offset", 32_u64);

    /// The alignment is 0. A reader that divides by the alignment crashes.
    either "ptd-legacy/tensors/alignment-0": "tensor_alignment 0" about rules::PTDB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensor_alignment", 0_u32);

    /// Verifiers require no field. A reader computes the tensor's end from its sizes and dereferences a null pointer.
    reject "ptd-legacy/layout/sizes-absent": "tensor sizes absent" breaks rules::PTDB_LAYOUT_SIZES,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 2, 0);

    /// In this layout, `sizes` and `dim_order` are fields of the tensor itself. A reader that assumes that both fields
    /// exist dereferences a null pointer.
    reject "ptd-legacy/layout/dim-order-absent": "tensor dim_order absent" breaks rules::PTDB_LAYOUT_DIMORDER,
        from "ptd-legacy/valid/tensors" => |file| file.slot("tensors[0]", 3, 0);

    /// `dim_order` has one entry for two sizes. A loop over `dim_order` leaves one stride unset; a loop over the sizes
    /// reads past `dim_order`.
    reject "ptd-legacy/layout/dim-order-short": "tensor dim_order shorter than sizes" breaks rules::PTDB_LAYOUT_RANK,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors[0].dim_order", 1);

    /// Both entries are below the rank. In this order, the sizes are 2 × 2 instead of 2 × 3, so the reader loses two
    /// elements silently.
    reject "ptd-legacy/layout/dim-order-twice": "repeated dimension in a tensor dim_order"
        breaks rules::PTDB_LAYOUT_PERM,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].dim_order", 0, &[0, 0]);

    /// The byte count is −12, so the tensor ends before it begins. The offset plus the byte count is below every bound.
    reject "ptd-legacy/layout/size-negative": "tensor size −1" breaks rules::PTDB_LAYOUT_SIZES_NONNEG,
        from "ptd-legacy/valid/tensors" => |file| file.elements("tensors[0].sizes", 0, &(-1_i32).to_le_bytes());

    /// The element count, just under 2^62, fits, but at 8 bytes per element the byte count exceeds 2^64. As a signed
    /// number, the remainder is negative and below every bound.
    reject "ptd-legacy/layout/nbytes-overflow": "tensor byte count above 64 bits" breaks rules::PTDB_LAYOUT_NBYTES,
        from "ptd-legacy/valid/tensors" => |file| {
            file.elements("tensors[0].sizes", 0, &i32::MAX.to_le_bytes());
            file.elements("tensors[0].sizes", 4, &i32::MAX.to_le_bytes());
            file.scalar("tensors[0].scalar_type", 7_i8);
        };

    /// A reader needs the element width to compute the tensor's end. Type 99 has no width, so the lookup fails
    /// before any bounds check.
    reject "ptd-legacy/layout/scalar-type-99": "tensor scalar type 99" breaks rules::PTDB_LAYOUT_SCALAR,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("tensors[1].scalar_type", 99_i8);

    /// Each tensor is inside its segment, but the segment is larger than the data and the file. A check that each
    /// tensor is inside its segment then does not detect the fault.
    reject "ptd-legacy/segments/past-data": "segment ends past the data" breaks flat_tensor::FT_SEG_BOUND,
        from "ptd-legacy/valid/tensors" => |file| file.scalar("segments[0].size", 1000_u64);

    /// Blobs and tensors share one list of segments but store the segment index in separate fields. A reader that
    /// checks only the tensors' field reads past the list.
    reject "ptd-legacy/named-data/index-past-end": "named blob segment index past the list"
        breaks flat_tensor::FT_SEG_INDEX,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// `weight` names the blob's segment, which is large enough. A reader that takes all tensors from the first segment
    /// returns wrong bytes without an error.
    either "ptd-legacy/tensors/second-segment": "tensor in the second segment" about rules::PTDB_ONE_SEGMENT,
        from "ptd-legacy/valid/named-data" => |file| file.scalar("tensors[0].segment_index", 1_u32);

    /// The root offset points to itself. The root table determines the layout, so the layout is unknown.
    reject "ptd-legacy/structure/root-0": "root offset 0" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(0);

    /// The root offset points to the identifier, and its letters form a vtable offset.
    reject "ptd-legacy/structure/root-in-identifier": "root offset 4" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(4);

    /// The root offset equals the FlatBuffer's end. A reader that first detects the layout by the root table reads past
    /// the FlatBuffer.
    reject "ptd-legacy/structure/root-past-end": "root offset past the FlatBuffer"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(file.u64_at(16) + file.u64_at(24));

    /// As a signed integer, the offset is −1, which is below every bound and leads before the file.
    reject "ptd-legacy/structure/root-max": "root offset 2^32 − 1" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "ptd-legacy/valid/tensors" => |file| file.root(u32::MAX as usize);

    /// The root offset is two bytes too large. The word at that position mixes bytes of the vtable offset and of a
    /// field.
    reject "ptd-legacy/structure/root-unaligned": "root table not at a multiple of 4" breaks flatbuffer::FB_ROOT_ALIGNED,
        from "ptd-legacy/valid/tensors" => |file| {
            let root = file.at("", PartKind::Table);
            file.root(root + 2);
        };

    /// The count is a million tensors. A search for an unknown name continues past the third tensor and follows a word
    /// as an offset out of the file.
    reject "ptd-legacy/structure/tensors-length-forged": "tensors of a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/tensors" => |file| file.count("tensors", 0x0010_0000);

    /// The list of blobs is longer than the file. Multiplied by 4, the count wraps to 4 in 32 bits.
    reject "ptd-legacy/structure/named-data-length-forged": "named_data of a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "ptd-legacy/valid/named-data" => |file| file.count("named_data", 0x4000_0001);

    /// The 64-bit offset field of the segment is aligned to four bytes only. All tensors count from this offset.
    reject "ptd-legacy/structure/segment-offset-unaligned": "segment offset not at a multiple of 8"
        breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "offset", PartKind::Scalar);

    /// The 64-bit size field of the segment is aligned to four bytes only. A reader that compares tensors only with the
    /// file's end never loads the size.
    reject "ptd-legacy/structure/segment-size-unaligned": "segment size not at a multiple of 8"
        breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.misalign("segments[0]", "size", PartKind::Scalar);

    /// No release wrote this version. Two layouts already share version 0, so a reader that ignores the version cannot
    /// know the layout.
    reject "ptd-legacy/structure/version-1": "schema version 1" breaks flat_tensor::FT_VERSION,
        from "ptd-legacy/valid/explicit-defaults" => |file| file.scalar("version", 1_u32);

    /// The offset to the tensor is two bytes too large. The word at that position mixes bytes of two fields, and as an
    /// offset it leads two megabytes before the file.
    reject "ptd-legacy/structure/tensor-unaligned": "tensor table not at a multiple of 4" breaks flatbuffer::FB_ALIGNMENT,
        from "ptd-legacy/valid/tensors" => |file| {
            let table = file.at("tensors[1]", PartKind::Table);
            file.point("tensors[1]", table + 2);
        };
}
