//! Cases about a program's segments: ranges, order, overlap and references.

use alloc::vec;

use super::{base, cases};
use crate::rules::{constants, delegates, mutable_data, segments as rules};

cases! {
    /// The only offset is the placeholder, so there are no constants and the index means nothing. A reader that
    /// mistakes the blob for a constant segment rejects the file.
    accept "pte/valid/placeholder-names-blob": "placeholder constant segment with the index of a blob"
        shows rules::SEG_ROLE_DISJOINT,
        from "pte/valid/named-without-constants" => |file| file.scalar("constant_segment.segment_index", 1_u32);

    /// The segment's last byte is past the data and past the end of the file. In a mapped file, it reads as 0 without an error.
    reject "pte/segments/past-data": "segment ends one byte past the data" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/constants" => |file| file.scalar("segments[0].size", 17_u64);

    /// A 24-byte header has no data size, so a reader must compare the whole segment with the file's size, not just the
    /// constant in it.
    reject "pte/segments/past-file": "segment ends past the file, 24-byte header" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| file.scalar("segments[0].size", 1_u64 << 20);

    /// The segment begins a terabyte past the end. A reader that checks a segment only when it loads it fails late or
    /// never.
    reject "pte/segments/past-file-by-offset": "segment begins past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/named-data" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// The segment has no bytes, but its offset is a terabyte past the end, so a pointer to it is invalid.
    reject "pte/segments/empty-past-file": "empty segment past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// The segment ends 32 bytes after the data but inside the file, so bytes that anyone can append become part of the segment.
    reject "pte/segments/past-data-inside-file": "segment that extends into trailing bytes"
        breaks rules::SEG_WITHIN_DATA, from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 48_u64);
            file.append(&[0; 64]);
        };

    /// The offset, 128, plus the size wraps to 127, which is below both the offset and the data size.
    reject "pte/segments/end-wraps": "segment offset + size wraps" breaks rules::SEG_END_NO_OVERFLOW,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// The base plus the offset wraps to 0, so the constant would be the file's first 16 bytes. Comparing the offset
    /// with the data size also prevents this.
    reject "pte/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks rules::SEG_ABS_NO_OVERFLOW, from "pte/valid/explicit-defaults", refs ["pytorch/executorch#19268"]
        => |file| file.scalar("segments[0].offset", 0_u64.wrapping_sub(file.u64_at(24) as u64));

    /// For two named blobs, the base plus the offset wraps to 0. If a reader loads blobs and constants in separate
    /// code, both places must check.
    reject "pte/segments/named-blob-base-sum-wraps": "base + offset of a named blob wraps to 0"
        breaks rules::SEG_ABS_NO_OVERFLOW, from "pte/valid/named-data"
        => |file| file.scalar("segments[2].offset", 0_u64.wrapping_sub(file.u64_at(24) as u64));

    /// The constants end one byte after the next segment begins. A reader whose comparison is off by one accepts this.
    reject "pte/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[0].size", 129_u64);

    /// Two segments have the same offset but different sizes. Two entries may share a segment, but two segments must
    /// not share bytes.
    reject "pte/segments/overlap-equal": "two segments at the same offset" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].offset", 0_u64);

    /// The second segment contains the third, and both end at the same byte, so comparing ends is not enough.
    reject "pte/segments/overlap-nested": "segment inside another segment" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", 133_u64);

    /// A small segment is inside a larger one that comes later in the list. A reader that assumes sorted segments does
    /// not notice.
    reject "pte/segments/overlap-out-of-order": "overlap of segments that are not sorted" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[2].size", 133_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[1].offset", 256_u64);
        };

    /// A comment in the schema says that segments are sorted. Access by index still works here, but a binary search
    /// over the offsets finds the wrong segment.
    either "pte/segments/out-of-order": "segments not sorted by offset" about rules::SEG_SORTED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 256_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 48_u64);
        };

    /// Offset 129 is not a multiple of 16, so kernels that use the segment in a mapped file can fault or run slowly.
    either "pte/segments/unaligned": "segment not aligned to 16 bytes" about rules::SEG_ALIGNED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 129_u64);
            file.scalar("segments[1].size", 47_u64);
        };

    /// An empty segment is at offset 0, and the first segment with bytes is at 16. The bytes before it belong to no segment.
    build "pte/segments/first-not-at-0": "first nonempty segment not at offset 0" about rules::SEG_FIRST_ZERO => || {
        let root = base::headerless_tree()
            .with("segments", vec![base::segment(0, 0), base::segment(16, 32)])
            .with("named_data", vec![base::program_named("only", 1)]);
        let mut data = vec![0; 16];
        data.extend(base::ramp(32));
        base::write_program(&root, &[&[], &data])
    };

    /// Padding between segments contains text. It is part of the data size, so a check for bytes after the data misses it.
    either "pte/segments/padding-not-zero": "hidden bytes between segments" about rules::SEG_PADDING_ZERO,
        from "pte/valid/named-data" => |file| file.put(file.u64_at(24) + 64, b"hidden!!");

    /// `alpha` refers to the segment of `beta`, so nothing ever loads or checks the second segment's 48 bytes.
    either "pte/segments/unreferenced": "segment without any reference" about rules::SEG_REFERENCED,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// `alpha` uses the constants' segment, so a backend that changes or frees its blob changes or frees the weights.
    either "pte/segments/two-roles": "segment used as constants and named data" about rules::SEG_ROLE_DISJOINT,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 0_u32);

    /// The index is 3, but only segments 0 to 2 exist. A reader that does not check uses the word after the list as the
    /// offset to the constants' segment.
    reject "pte/segments/constant-index-past-end": "constant segment index past the list"
        breaks constants::CONST_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("constant_segment.segment_index", 3_u32);

    /// Read as a signed integer, the index is −1. Multiplied by 4 in 32-bit arithmetic, it selects the list's count,
    /// which the reader then uses as an offset.
    reject "pte/segments/mutable-index-max": "mutable segment index 2^32 − 1" breaks mutable_data::MUT_SEG_INDEX,
        from "pte/valid/everything" => |file| file.scalar("mutable_data_segments[0].segment_index", u32::MAX);

    /// The index is 4, but only segments 0 to 3 exist, so loading the method hands arbitrary bytes to the backend.
    reject "pte/segments/delegate-index-past-end": "delegate segment index past the list"
        breaks delegates::DEL_SEGMENT_INDEX,
        from "pte/valid/everything" => |file| file.scalar("execution_plan[0].delegates[1].processed.index", 4_u32);

    /// The constant segment has index 0, but the segment list is absent, so looking up the segment dereferences null.
    reject "pte/segments/list-absent": "segments absent but referenced" breaks rules::SEG_NULL_TABLE,
        from "pte/valid/constants" => |file| file.slot("", 4, 0);
}
