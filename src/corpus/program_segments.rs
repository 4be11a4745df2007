//! Cases about a program's segments: ranges, order, overlap and references.

use alloc::vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema::DataSegment;
use crate::rules::{constants, delegates, mutable_data, segments as rules};

cases! {
    /// The segment ends one byte after the data that the header counts, which is also the file's end. In a mapped
    /// file that byte reads as 0 and nothing fails.
    reject "pte/segments/past-data": "segment ends one byte past the data" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/constants" => |file| file.scalar("segments[0].size", 17_u64);

    /// With a 24-byte header, the end of the file is the only bound. A reader that bounds constants by their
    /// segment, but never bounds the segment, accepts it.
    reject "pte/segments/past-file": "segment ends past the file, 24-byte header" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| file.scalar("segments[0].size", 1_u64 << 20);

    /// The segment begins a terabyte past the file. A reader that checks segments only on load notices late, or
    /// never if no one requests the blob.
    reject "pte/segments/past-file-by-offset": "segment begins past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/named-data" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// The segment has no bytes, so a reader that skips empty segments never checks its offset. A reader that
    /// computes an address returns a pointer a terabyte past the file.
    reject "pte/segments/empty-past-file": "empty segment past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// The segment ends inside the file but 32 bytes after the data that the header counts. A reader that checks
    /// only the file's end accepts it. Whoever appends bytes controls that part.
    reject "pte/segments/past-data-inside-file": "segment reaches into trailing bytes" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 48_u64);
            file.append(&[0; 64]);
        };

    /// Offset 128 plus size 2^64 − 1 wraps to 127, so the segment ends before it begins. A comparison of its end
    /// with the data size passes, and the size has no bound.
    reject "pte/segments/end-wraps": "segment offset + size wraps" breaks rules::SEG_END_NO_OVERFLOW,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// Base plus offset wraps to 0, so the reader returns the header as a constant. The loader gets a valid request
    /// for 16 bytes at offset 0.
    reject "pte/segments/base-sum-wraps": "base + segment offset wraps to the file's start"
        breaks rules::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#19268"] => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(24) as u64);
            file.scalar("segments[0].offset", offset);
        };

    /// A lookup by name adds base and offset in its own code path, so a check on constants does not cover it.
    /// `beta` and `gamma` return the file's first five bytes.
    reject "pte/segments/named-blob-base-sum-wraps": "base + offset of a named blob wraps to 0"
        breaks rules::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/named-data" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(24) as u64);
            file.scalar("segments[2].offset", offset);
        };

    /// The constants' segment extends through the padding to the first byte of `alpha`. An off-by-one comparison of
    /// end and next start treats them as neighbours.
    reject "pte/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[0].size", 129_u64);

    /// `alpha` begins where the constants do but is longer, so the two are not one shared segment. The reader
    /// returns verified weights as a blob.
    reject "pte/segments/overlap-equal": "two segments at the same offset" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].offset", 0_u64);

    /// `alpha` extends to the end of the data and contains the last segment. Both end at the same byte, so a bound
    /// on the end does not detect it.
    reject "pte/segments/overlap-nested": "segment inside another" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", 133_u64);

    /// A small segment lies inside a larger one that follows it in the list. A reader that compares only neighbours
    /// finds no overlap.
    reject "pte/segments/overlap-out-of-order": "overlap between segments out of order" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[2].size", 133_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[1].offset", 256_u64);
        };

    /// The schema comment asks for sorted segments, but access by index does not need the order. A tool that
    /// bisects to find the segment of a byte finds the wrong one.
    either "pte/segments/out-of-order": "segments not sorted by offset" about rules::SEG_SORTED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 256_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 48_u64);
        };

    /// The segment begins one byte after an aligned offset. In a mapped file its content is unaligned; in a copy
    /// nothing shows it.
    either "pte/segments/unaligned": "segment not at a multiple of 16" about rules::SEG_ALIGNED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 129_u64);
            file.scalar("segments[1].size", 47_u64);
        };

    /// An empty segment at 0 precedes the first one with bytes, which begins at 16. The 16 bytes before it count as
    /// data but belong to no segment.
    build "pte/segments/first-not-at-0": "first segment with bytes not at 0" about rules::SEG_FIRST_ZERO => || {
        let segment = |offset: u64, size: u64| TableTree::new(DataSegment::TYPE).with("offset", offset).with("size", size);
        let root = base::headerless_tree()
            .with("segments", vec![segment(0, 0), segment(16, 32)])
            .with("named_data", vec![base::program_named("only", 1)]);
        let mut data = vec![0; 16];
        data.extend(base::ramp(32));
        base::write_program(&root, &[&[], &data])
    };

    /// The header counts these bytes as data, so a check for trailing bytes misses them. No index or name leads to
    /// them.
    either "pte/segments/padding-not-zero": "hidden bytes between segments" about rules::SEG_PADDING_ZERO,
        from "pte/valid/named-data" => |file| file.put(file.u64_at(24) + 64, b"hidden!!");

    /// `alpha` names the segment of `beta`, so nothing refers to its own 48 bytes. No reader loads or checks them,
    /// and they stay in the file.
    either "pte/segments/unreferenced": "segment without any reference" about rules::SEG_REFERENCED,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// `alpha` names the constants' segment. A reader that lets a backend change or free the blob changes or frees
    /// the weights.
    either "pte/segments/two-roles": "segment used as constants and named data" about rules::SEG_ROLE_DISJOINT,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 0_u32);

    /// The index is one past the list of three segments. The word there leads almost 4 GiB ahead, and the reader
    /// takes offset and size of all constants from that place.
    reject "pte/segments/constant-index-past-end": "constant segment index past the list"
        breaks constants::CONST_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("constant_segment.segment_index", 3_u32);

    /// As a signed integer, the index is −1, below every count. Multiplied by 4, the index wraps in 32 bits to the
    /// list's own count, which the reader then follows as an offset.
    reject "pte/segments/mutable-index-max": "mutable segment index 2^32 − 1" breaks mutable_data::MUT_SEG_INDEX,
        from "pte/valid/everything" => |file| file.scalar("mutable_data_segments[0].segment_index", u32::MAX);

    /// Readers check this index only when they load the method, so the program opens. Without a check, the backend
    /// gets bytes at an arbitrary offset.
    reject "pte/segments/delegate-index-past-end": "delegate segment index past the list"
        breaks delegates::DEL_SEGMENT_INDEX,
        from "pte/valid/everything" => |file| file.scalar("execution_plan[0].delegates[1].processed.index", 4_u32);

    /// The header declares a base and 16 bytes of data, so the file looks complete. A reader that takes entry 0 of the
    /// absent list dereferences a null pointer.
    reject "pte/segments/list-absent": "segments absent but referenced" breaks rules::SEG_NULL_TABLE,
        from "pte/valid/constants" => |file| file.slot("", 4, 0);
}
