//! A data file's segment table: ranges, order, overlap, and what refers to it.

use super::cases;
use crate::rules::flat_tensor as rules;

cases! {
    /// An entry leads to a segment that is not there.
    reject "ptd/segments/index-past-end": "segment index past the list" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors", refs ["pytorch/executorch#19057"] => |file| file.scalar("named_data[1].segment_index", 3_u32);

    /// Minus one.
    reject "ptd/segments/index-max": "segment index 2^32 − 1" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[1].segment_index", u32::MAX);

    /// A segment longer than the data.
    reject "ptd/segments/past-data": "segment ends past the data" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].size", 1000_u64);

    /// A segment past the data that the header counts and inside a padded file. A reader that compares the end from the base
    /// with the end from the file's start hands out the padding.
    reject "ptd/segments/past-data-inside-file": "segment reaches into trailing bytes" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[2].size", 64_u64);
            file.append(&[0; 64]);
        };

    /// A segment past the end of the file.
    reject "ptd/segments/past-file-by-offset": "segment begins past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// A segment of no bytes past the end of the file: it has a place like any other.
    reject "ptd/segments/empty-past-file": "segment of no bytes past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// Offset and size wrap to a small number.
    reject "ptd/segments/end-wraps": "offset + size wraps" breaks rules::FT_SEG_END_NO_OVERFLOW,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", u64::MAX);

    /// Base and offset wrap to the file's first byte.
    reject "ptd/segments/base-sum-wraps": "base + offset wraps to the file's start" breaks rules::FT_SEG_ABS_NO_OVERFLOW,
        from "ptd/valid/tensors" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(32) as u64);
            file.scalar("segments[1].offset", offset);
        };

    /// Two segments share one byte.
    reject "ptd/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[0].size", 129_u64);

    /// Two segments that begin at the same place.
    reject "ptd/segments/overlap-equal": "two segments at the same place" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].offset", 0_u64);

    /// A segment inside another.
    reject "ptd/segments/overlap-nested": "a segment inside another" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", 144_u64);

    /// Segments out of order, one of them overlapping: the order hides it from a reader that compares neighbours.
    reject "ptd/segments/overlap-out-of-order": "overlap between segments out of order" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 100_u64);
        };

    /// Segments in another order than their offsets.
    either "ptd/segments/out-of-order": "segments not sorted by offset" about rules::FT_SEG_SORTED,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
        };

    /// A segment at a place that suits no tensor.
    either "ptd/segments/unaligned": "segment not at a multiple of 16" about rules::FT_SEG_ALIGNED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("segments[1].offset", 120_u64);

    /// Something stands between two segments, where nobody looks.
    either "ptd/segments/padding-not-zero": "bytes hidden between segments" about rules::FT_SEG_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| {
            let base = file.u64_at(32);
            file.put(base + 64, b"hidden!!");
        };

    /// A segment that nothing refers to.
    either "ptd/segments/unreferenced": "segment that nothing refers to" about rules::FT_SEG_REFERENCED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("named_data[1].segment_index", 0_u32);
}
