//! Cases about a program's segments: ranges, order, overlap and references.

use alloc::vec;

use super::{base, cases};
use crate::rules::{constants, delegates, mutable_data, segments as rules};

cases! {
    /// The `constant_segment` has only the placeholder offset, and its `segment_index` is the index of a named blob's
    /// segment. The program is valid, because the index has no meaning if there are no constants. If a reader treats
    /// the blob's segment as the segment of the constants, it rejects the file.
    accept "pte/valid/placeholder-names-blob": "placeholder constant segment with the index of a blob"
        shows rules::SEG_ROLE_DISJOINT,
        from "pte/valid/named-without-constants" => |file| file.scalar("constant_segment.segment_index", 1_u32);

    /// The segment ends one byte past the end of the data, which is also the end of the file. In a memory-mapped file,
    /// a read of the missing byte returns 0 without an error. A reader must therefore compare the segment with the data
    /// size.
    reject "pte/segments/past-data": "segment ends one byte past the data" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/constants" => |file| file.scalar("segments[0].size", 17_u64);

    /// The segment ends past the end of the file. A 24-byte header has no data size, so a reader must compare the
    /// segment with the file's size. A reader must check the segment itself, not only the constant inside the segment.
    reject "pte/segments/past-file": "segment ends past the file, 24-byte header" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| file.scalar("segments[0].size", 1_u64 << 20);

    /// The segment begins a terabyte past the end of the file. If a reader checks a segment only when it loads that
    /// segment, it accepts the file and fails late or never.
    reject "pte/segments/past-file-by-offset": "segment begins past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/named-data" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// The segment is empty, but its offset is a terabyte past the end of the file. A reader must also check empty
    /// segments. A reader that computes the segment's address gets an invalid pointer.
    reject "pte/segments/empty-past-file": "empty segment past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// The segment ends 32 bytes after the data that the header declares, but inside the file. If a reader compares the
    /// segment only with the file's size, it uses bytes that anyone can append to the file.
    reject "pte/segments/past-data-inside-file": "segment that extends into trailing bytes"
        breaks rules::SEG_WITHIN_DATA, from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 48_u64);
            file.append(&[0; 64]);
        };

    /// The sum of segment offset and size wraps to 127, which is less than the segment's offset, 128. If a reader
    /// compares only the wrapped sum with the data size, it accepts the segment.
    reject "pte/segments/end-wraps": "segment offset + size wraps" breaks rules::SEG_END_NO_OVERFLOW,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// The sum of segment base and segment offset wraps to 0. A reader that uses the wrapped sum returns the file's
    /// first 16 bytes as the constant. A reader must detect the overflow of the sum, or compare the offset with the
    /// data size.
    reject "pte/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks rules::SEG_ABS_NO_OVERFLOW, from "pte/valid/explicit-defaults", refs ["pytorch/executorch#19268"]
        => |file| file.scalar("segments[0].offset", 0_u64.wrapping_sub(file.u64_at(24) as u64));

    /// The sum of segment base and segment offset wraps to 0 for the segment of two named blobs. Readers can compute
    /// the positions of named data in separate code, so a check in the code for constants is not enough.
    reject "pte/segments/named-blob-base-sum-wraps": "base + offset of a named blob wraps to 0"
        breaks rules::SEG_ABS_NO_OVERFLOW, from "pte/valid/named-data"
        => |file| file.scalar("segments[2].offset", 0_u64.wrapping_sub(file.u64_at(24) as u64));

    /// The segment of the constants ends one byte after the start of the next segment. A reader with an off-by-one
    /// comparison of adjacent segments accepts the overlap.
    reject "pte/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[0].size", 129_u64);

    /// The segments of the constants and of `alpha` have the same offset but different sizes. Entries may share a
    /// segment, but two segments must not overlap.
    reject "pte/segments/overlap-equal": "two segments at the same offset" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].offset", 0_u64);

    /// The second segment contains the third, and the two segments end at the same byte. A reader that checks only the
    /// end of each segment accepts the overlap.
    reject "pte/segments/overlap-nested": "segment inside another segment" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", 133_u64);

    /// The segments are not sorted: a small segment lies inside a larger segment that comes later in the list of
    /// segments. A reader that assumes sorted segments does not detect the overlap.
    reject "pte/segments/overlap-out-of-order": "overlap of segments that are not sorted" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[2].size", 133_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[1].offset", 256_u64);
        };

    /// The segments are not sorted by offset, although a comment in the schema requires sorted segments. Readers that
    /// access segments by index accept the file. Tools that find a segment by a binary search over the offsets can
    /// return the wrong segment.
    either "pte/segments/out-of-order": "segments not sorted by offset" about rules::SEG_SORTED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 256_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 48_u64);
        };

    /// The segment begins at offset 129, which is not a multiple of 16. In a memory-mapped file, the segment's data is
    /// unaligned, and kernels can fault or run slowly.
    either "pte/segments/unaligned": "segment not aligned to 16 bytes" about rules::SEG_ALIGNED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 129_u64);
            file.scalar("segments[1].size", 47_u64);
        };

    /// The first nonempty segment begins at offset 16, after an empty segment at offset 0. The 16 bytes in front of the
    /// second segment are part of the data but belong to no segment.
    build "pte/segments/first-not-at-0": "first nonempty segment not at offset 0" about rules::SEG_FIRST_ZERO => || {
        let root = base::headerless_tree()
            .with("segments", vec![base::segment(0, 0), base::segment(16, 32)])
            .with("named_data", vec![base::program_named("only", 1)]);
        let mut data = vec![0; 16];
        data.extend(base::ramp(32));
        base::write_program(&root, &[&[], &data])
    };

    /// The padding between two segments contains text instead of zeros. The header's data size includes the padding, so
    /// a check for bytes after the data does not detect the hidden text.
    either "pte/segments/padding-not-zero": "hidden bytes between segments" about rules::SEG_PADDING_ZERO,
        from "pte/valid/named-data" => |file| file.put(file.u64_at(24) + 64, b"hidden!!");

    /// The entry `alpha` refers to the segment of `beta`, so no entry refers to the second segment. Readers never load
    /// or check the 48 bytes of the second segment.
    either "pte/segments/unreferenced": "segment without any reference" about rules::SEG_REFERENCED,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// The blob `alpha` uses the segment of the constants. A backend that changes or frees the blob also changes or
    /// frees the weights.
    either "pte/segments/two-roles": "segment used as constants and named data" about rules::SEG_ROLE_DISJOINT,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 0_u32);

    /// The index of the constant segment is 3, but the program has three segments. If a reader does not check the
    /// index, it uses the word after the list of segments as an offset to a segment.
    reject "pte/segments/constant-index-past-end": "constant segment index past the list"
        breaks constants::CONST_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("constant_segment.segment_index", 3_u32);

    /// The segment index of a list of initial values is 2^32 − 1. As a signed integer, the index is −1. In 32-bit
    /// arithmetic, the index times 4 is −4, the position of the segment list's count. A reader then uses this count as
    /// an offset.
    reject "pte/segments/mutable-index-max": "mutable segment index 2^32 − 1" breaks mutable_data::MUT_SEG_INDEX,
        from "pte/valid/everything" => |file| file.scalar("mutable_data_segments[0].segment_index", u32::MAX);

    /// The delegate's segment index is 4, but the program has four segments. If a reader does not check the index, it
    /// passes arbitrary bytes to the backend when it loads the method.
    reject "pte/segments/delegate-index-past-end": "delegate segment index past the list"
        breaks delegates::DEL_SEGMENT_INDEX,
        from "pte/valid/everything" => |file| file.scalar("execution_plan[0].delegates[1].processed.index", 4_u32);

    /// The list of segments is absent, but the constant segment has index 0. A reader without a null check dereferences
    /// a null pointer.
    reject "pte/segments/list-absent": "segments absent but referenced" breaks rules::SEG_NULL_TABLE,
        from "pte/valid/constants" => |file| file.slot("", 4, 0);
}
