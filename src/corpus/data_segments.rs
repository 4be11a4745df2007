//! Cases about a data file's segments: ranges, order, overlap and references.

use super::cases;
use crate::patch::Patcher;
use crate::rules::flat_tensor as rules;

/// Moves the second of two segments so that it ends 16 bytes past the data.
fn past_data(file: &mut Patcher<'_>) {
    file.scalar("segments[1].offset", 144_u64);
}

cases! {
    /// The segment index is 3, but the file has three segments. If a reader does not check the index, it uses the word
    /// after the list of segments as an offset to a segment.
    reject "ptd/segments/index-past-end": "segment index past the list" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors", refs ["pytorch/executorch#19057"]
        => |file| file.scalar("named_data[1].segment_index", 3_u32);

    /// The segment index is 2^32 − 1. In 32-bit arithmetic, the index plus 1 is 0, so a reader that compares this sum
    /// with the count accepts the index.
    reject "ptd/segments/index-max": "segment index 2^32 − 1" breaks rules::FT_SEG_INDEX,
        from "ptd/valid/tensors" => |file| file.scalar("named_data[1].segment_index", u32::MAX);

    /// The segment of `scale` has 1 000 bytes, but the file contains only 16 bytes of the segment. In a memory-mapped
    /// file, reads of the missing bytes return zeros up to the end of the page, without an error.
    reject "ptd/segments/past-data": "segment ends past the data" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].size", 1000_u64);

    /// The segment of `weight` ends 16 bytes past the file. The segment's end is relative to the segment base. A reader
    /// that compares the relative end of the segment with the absolute end of the data finds no defect.
    reject "ptd/segments/weight-past-data": "segment of a constant ends 16 bytes past the data"
        breaks rules::FT_SEG_BOUND, from "ptd/valid/external-tensors" => |file| {
            file.scalar("named_data[0].segment_index", 1_u32);
            file.scalar("named_data[1].segment_index", 0_u32);
            past_data(file);
        };

    /// The segment of `second` ends 16 bytes past the file. If a reader copies 24 bytes from the segment's start, it
    /// reads past the file.
    reject "ptd/segments/second-past-data": "segment of a mutable tensor ends 16 bytes past the data"
        breaks rules::FT_SEG_BOUND, from "ptd/valid/external-tensors" => past_data;

    /// The segment ends past the data that the header declares, but inside the file. A reader that compares the segment
    /// only with the file's size returns bytes that follow the data.
    reject "ptd/segments/past-data-inside-file": "segment that extends into trailing bytes" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[2].size", 64_u64);
            file.append(&[0; 64]);
        };

    /// The segment of `scale` begins a terabyte past the file. A reader that truncates the offset to 32 bits gets 0 and
    /// returns the first bytes of `weight`.
    reject "ptd/segments/past-file-by-offset": "segment begins past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/tensors" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// The segment is empty, but its offset is a terabyte past the file. A reader must also check the offsets of empty
    /// segments. A tool that copies segments to their offsets creates a huge file.
    reject "ptd/segments/empty-past-file": "empty segment past the file" breaks rules::FT_SEG_BOUND,
        from "ptd/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// For the segment of `bias`, the sum of offset and size wraps to 127, which is less than the offset. A reader that
    /// compares only the wrapped sum with the data size accepts the segment.
    reject "ptd/segments/end-wraps": "segment offset + size wraps" breaks rules::FT_SEG_END_NO_OVERFLOW,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", u64::MAX);

    /// The sum of segment base and segment offset wraps to 0. A reader that uses the wrapped sum returns the file's
    /// first bytes as `bias`. A reader must detect the overflow of the sum, or compare the offset with the data size.
    reject "ptd/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks rules::FT_SEG_ABS_NO_OVERFLOW, from "ptd/valid/tensors"
        => |file| file.scalar("segments[1].offset", 0_u64.wrapping_sub(file.u64_at(32) as u64));

    /// The segment of `weight` has 129 bytes, but the segment of `bias` begins at byte 128. Segments must not overlap,
    /// because a tool that changes one of two overlapping segments damages the other segment.
    reject "ptd/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[0].size", 129_u64);

    /// The segments of `weight` and `bias` both begin at offset 0. Each segment alone is inside the data, so a reader
    /// must compare the segments with each other.
    reject "ptd/segments/overlap-equal": "two segments at the same offset" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].offset", 0_u64);

    /// The segment of `bias` contains the segment of `scale`. A reader must compare the segments with each other,
    /// because each segment is valid alone.
    reject "ptd/segments/overlap-nested": "segment inside another segment" breaks rules::FT_SEG_NO_OVERLAP,
        from "ptd/valid/tensors" => |file| file.scalar("segments[1].size", 144_u64);

    /// In the list of segments, the segment of `scale` follows the segment of `bias`. In the file, the segment of
    /// `scale` begins before the segment of `bias`. The two segments overlap. A reader that assumes sorted segments
    /// does not detect the overlap.
    reject "ptd/segments/overlap-out-of-order": "overlap of segments that are not sorted"
        breaks rules::FT_SEG_NO_OVERLAP, from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 100_u64);
        };

    /// The segments are not sorted by offset. Readers that require sorted segments reject the file, and other readers
    /// accept the file.
    either "ptd/segments/out-of-order": "segments not sorted by offset" about rules::FT_SEG_SORTED,
        from "ptd/valid/tensors" => |file| {
            file.scalar("segments[1].offset", 224_u64);
            file.scalar("segments[2].offset", 128_u64);
        };

    /// The segment begins at offset 120, a multiple of 8 but not of 16. Kernels that load four floats at once can fault
    /// or run slowly.
    either "ptd/segments/unaligned": "segment not aligned to 16 bytes" about rules::FT_SEG_ALIGNED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("segments[1].offset", 120_u64);

    /// The padding between two segments contains text instead of zeros. Copies of the file preserve the hidden text,
    /// but tools that copy single tensors omit it.
    either "ptd/segments/padding-not-zero": "hidden bytes between segments" about rules::FT_SEG_PADDING_ZERO,
        from "ptd/valid/tensors" => |file| file.put(file.u64_at(32) + 64, b"hidden!!");

    /// Both entries use the first segment, so no entry refers to the second segment. All lookups succeed, but no lookup
    /// returns the eight bytes of the second segment.
    either "ptd/segments/unreferenced": "segment without any reference" about rules::FT_SEG_REFERENCED,
        from "ptd/valid/prefix-keys" => |file| file.scalar("named_data[1].segment_index", 0_u32);
}
