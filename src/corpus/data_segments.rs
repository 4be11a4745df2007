//! Cases about a data file's segments: ranges, order, overlap and references.

use super::cases;
use crate::patch::Patcher;
use crate::rules::flat_tensor as rules;

/// Moves the second of two segments so that it ends 16 bytes past the data.
fn past_data(file: &mut Patcher<'_>) {
    file.scalar("segments[1].offset", 144_u64);
}

cases! {
    /// The index is 3, but there are only three segments. A reader that does not check the index uses the word after
    /// the list as the offset to a segment.
    reject "ptd/segments/index-past-end": "segment index past the list" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors", refs ["pytorch/executorch#19057"]
        => |file| file.scalar("named_data[1].segment_index", 3_u32);

    /// In 32-bit arithmetic, the index plus 1 wraps to 0, so a reader that compares that sum with the count accepts the index.
    reject "ptd/segments/index-max": "segment index 2^32 − 1" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[1].segment_index", u32::MAX);

    /// `scale`'s segment declares 1 000 bytes but has 16. In a mapped file, the rest of the page silently reads as zeros.
    reject "ptd/segments/past-data": "segment ends past the data" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].size", 1000_u64);

    /// The segment's end is relative to the base. A reader that compares it with the data's absolute end accepts the file.
    reject "ptd/segments/weight-past-data": "segment of a constant ends 16 bytes past the data"
        breaks rules::FT_SEG_BOUND, from "ptd/valid/external-tensors" => |file| {
            file.scalar("named_data[0].segment_index", 1_u32);
            file.scalar("named_data[1].segment_index", 0_u32);
            past_data(file);
        };

    /// A reader that copies the 24 bytes of `second` reads past the end of the file.
    reject "ptd/segments/second-past-data": "segment of a mutable tensor ends 16 bytes past the data"
        breaks rules::FT_SEG_BOUND, from "ptd/valid/external-tensors" => past_data;

    /// The segment ends past the data but inside the file, so comparing its end with the file's size is not enough.
    reject "ptd/segments/past-data-inside-file": "segment that extends into trailing bytes" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[2].size", 64_u64);
            file.append(&[0; 64]);
        };

    /// `scale` begins a terabyte past the file. Truncated to 32 bits, its offset is 0, so `scale` gets the first bytes
    /// of `weight`.
    reject "ptd/segments/past-file-by-offset": "segment begins past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// The segment has no bytes, but its offset is a terabyte past the file. A tool that copies segments to their
    /// offsets creates a huge file.
    reject "ptd/segments/empty-past-file": "empty segment past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// The end of `bias`, its offset plus its size, wraps to 127. That is inside the data, but before the segment's start.
    reject "ptd/segments/end-wraps": "segment offset + size wraps" breaks rules::FT_SEG_END_NO_OVERFLOW,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", u64::MAX);

    /// The base plus the offset wraps to 0, so `bias` would begin at the file's first byte. Comparing the offset with
    /// the data size prevents this.
    reject "ptd/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks rules::FT_SEG_ABS_NO_OVERFLOW, from "ptd/valid/tensors"
        => |file| file.scalar("segments[1].offset", 0_u64.wrapping_sub(file.u64_at(32) as u64));

    /// `weight` has 129 bytes, but `bias` begins at 128. A tool that changes one of the two tensors can damage the other.
    reject "ptd/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[0].size", 129_u64);

    /// `weight` and `bias` both begin at offset 0. Each is inside the data, so a reader has to compare the two with
    /// each other to notice the overlap.
    reject "ptd/segments/overlap-equal": "two segments at the same offset" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].offset", 0_u64);

    /// `bias` includes all of `scale`'s bytes, although each segment is valid by itself.
    reject "ptd/segments/overlap-nested": "segment inside another segment" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", 144_u64);

    /// In the list, `scale` comes after `bias`; in the file, it begins first and reaches into `bias`. A reader that
    /// assumes sorted segments does not notice.
    reject "ptd/segments/overlap-out-of-order": "overlap of segments that are not sorted"
        breaks rules::FT_SEG_NO_OVERLAP, from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 100_u64);
        };

    /// Readers that rely on sorted segments reject the file; all other readers accept it.
    either "ptd/segments/out-of-order": "segments not sorted by offset" about rules::FT_SEG_SORTED,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
        };

    /// Offset 120 is a multiple of 8 but not of 16, so kernels that load four floats at once can fault or run slowly.
    either "ptd/segments/unaligned": "segment not aligned to 16 bytes" about rules::FT_SEG_ALIGNED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("segments[1].offset", 120_u64);

    /// The padding contains text. Copying the file keeps the text, but a tool that copies tensors one by one drops it.
    either "ptd/segments/padding-not-zero": "hidden bytes between segments" about rules::FT_SEG_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(file.u64_at(32) + 64, b"hidden!!");

    /// Both entries use the first segment, so no look-up ever returns the eight bytes of the second segment.
    either "ptd/segments/unreferenced": "segment without any reference" about rules::FT_SEG_REFERENCED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("named_data[1].segment_index", 0_u32);
}
