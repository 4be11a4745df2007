//! A program's segment table: ranges, order, overlap, and what refers to it.

use alloc::vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema::DataSegment;
use crate::rules::{constants, delegates, mutable_data, segments as rules};

cases! {
    /// One byte more than the header counts, and behind the file: where it is mapped, the byte is there all the same,
    /// since the last page is filled up, and nothing faults.
    reject "pte/segments/past-data": "segment ends one byte past the data" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/constants" => |file| file.scalar("segments[0].size", 17_u64);

    /// With the older header the file's end is the only bound. The constant is inside its segment and inside the file,
    /// so a reader that holds constants against their segment, and the segment against nothing, finds nothing wrong.
    reject "pte/segments/past-file": "segment ends past the file, 24-byte header" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| file.scalar("segments[0].size", 1_u64 << 20);

    /// A blob a terabyte past the file. A reader that looks at segments only when it loads them notices late, and not
    /// at all while nobody asks for its names.
    reject "pte/segments/past-file-by-offset": "segment begins past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/named-data" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// Of no bytes none is read, so a reader that skips empty segments never looks at the place. One that makes an
    /// address of it hands out a pointer a terabyte past the file, with a length of 0.
    reject "pte/segments/empty-past-file": "segment of no bytes past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// The file's end as the bound lets it pass, since the file was padded: only the header tells that 32 of the
    /// segment's 48 bytes belong to no one, and can be changed by whoever appends.
    reject "pte/segments/past-data-inside-file": "segment reaches into trailing bytes" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 48_u64);
            file.append(&[0; 64]);
        };

    /// 128 and 2^64 − 1 wrap to 127: the segment ends before it begins, and a comparison of its end with the size of
    /// the data passes. The length that is handed out is without bound.
    reject "pte/segments/end-wraps": "offset + size wraps" breaks rules::SEG_END_NO_OVERFLOW,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// Base and offset wrap to the file's first byte: the reader hands out the header as a constant. A loader is asked
    /// for 16 bytes from byte 0, and has no reason to refuse.
    reject "pte/segments/base-sum-wraps": "base + offset wraps to the file's start" breaks rules::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#16704", "pytorch/executorch#19268"] => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(24) as u64);
            file.scalar("segments[0].offset", offset);
        };

    /// A look-up by name adds base and offset in a place of its own, so that a check on the constants' way does not
    /// protect it. `beta` and `gamma` come out as the file's first five bytes.
    reject "pte/segments/named-blob-base-sum-wraps": "a named blob at base + offset = 0" breaks rules::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/named-data" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(24) as u64);
            file.scalar("segments[2].offset", offset);
        };

    /// The constants' segment reaches through the padding to the first byte of `alpha`. A comparison of its end with
    /// the next beginning that is off by one takes them for neighbours.
    reject "pte/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[0].size", 129_u64);

    /// `alpha` begins where the constants do, and is longer, so it is not the same segment under another index: what
    /// was checked as a weight is handed out as a blob.
    reject "pte/segments/overlap-equal": "two segments at the same place" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].offset", 0_u64);

    /// `alpha` was made to reach to the end of the data, over the last segment. Both end at the same byte, so no bound
    /// on the end finds it.
    reject "pte/segments/overlap-nested": "a segment inside another" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", 133_u64);

    /// A small segment lies inside the large one that is listed behind it. A reader that compares neighbours sees one
    /// that begins before the other, which is disorder and allowed, and asks no more.
    reject "pte/segments/overlap-out-of-order": "overlap between segments out of order" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[2].size", 133_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[1].offset", 256_u64);
        };

    /// The schema's text asks for them sorted, and nothing that goes by indexes needs it. A tool that finds the segment
    /// of a byte by bisection finds the wrong one.
    either "pte/segments/out-of-order": "segments not sorted by offset" about rules::SEG_SORTED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 256_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 48_u64);
        };

    /// A blob one byte off the writer's alignment: where the file is mapped, whatever it holds is unaligned, and where
    /// it is copied, nobody ever notices.
    either "pte/segments/unaligned": "segment not at a multiple of 16" about rules::SEG_ALIGNED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 129_u64);
            file.scalar("segments[1].size", 47_u64);
        };

    /// An empty segment at 0 hides that the first one with bytes begins at 16. The bytes in front of it are data by the
    /// header and belong to no segment.
    build "pte/segments/first-not-at-0": "first segment with bytes not at 0" about rules::SEG_FIRST_ZERO => || {
        let segment = |offset: u64, size: u64| TableTree::new(DataSegment::TYPE).with("offset", offset).with("size", size);
        let root = base::headerless_tree()
            .with("segments", vec![segment(0, 0), segment(16, 32)])
            .with("named_data", vec![base::program_named("only", 1)]);
        let mut data = vec![0; 16];
        data.extend(base::ramp(32));
        base::write_program(&root, &[&[], &data])
    };

    /// These bytes are data by the header, so a check for trailing bytes does not see them; no index and no name leads
    /// to them.
    either "pte/segments/padding-not-zero": "bytes hidden between segments" about rules::SEG_PADDING_ZERO,
        from "pte/valid/named-data" => |file| file.put(file.u64_at(24) + 64, b"hidden!!");

    /// `alpha` leads to the segment of `beta`, and its own 48 bytes are left over: nothing loads them, nothing checks
    /// them, and they stay in the file.
    either "pte/segments/unreferenced": "segment that nothing refers to" about rules::SEG_REFERENCED,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// `alpha` leads to the constants. A reader that gives a backend the blob, to change it in place or to free it
    /// afterwards, changes or frees the weights.
    either "pte/segments/two-roles": "segment in two roles" about rules::SEG_ROLE_DISJOINT,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 0_u32);

    /// One past the list of three, where a table begins: its distance to its vtable, taken for a reference, leads
    /// almost 4 GiB ahead, and place and size of all constants are read there.
    reject "pte/segments/constant-index-past-end": "constant segment index past the list" breaks constants::CONST_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("constant_segment.segment_index", 3_u32);

    /// As a signed number it is −1, below every count. Times four it wraps in 32 bits to the word in front of the list,
    /// so that the list's own count is taken for a reference.
    reject "pte/segments/mutable-index-max": "mutable segment index 2^32 − 1" breaks mutable_data::MUT_SEG_INDEX,
        from "pte/valid/everything" => |file| file.scalar("mutable_data_segments[0].segment_index", u32::MAX);

    /// The index is held against the list only when the method is prepared, so that the program opens with it.
    /// Unchecked, the backend is given bytes whose place and size come from behind the list.
    reject "pte/segments/delegate-index-past-end": "delegate segment index past the list"
        breaks delegates::DEL_SEGMENT_INDEX,
        from "pte/valid/everything" => |file| file.scalar("execution_plan[0].delegates[1].processed.index", 4_u32);

    /// The header gives a base and 16 bytes of data, so all seems to be there. Place and size of the constants are
    /// asked of entry 0 of a list that is a null pointer.
    reject "pte/segments/list-absent": "segments absent, and referred to" breaks rules::SEG_NULL_TABLE,
        from "pte/valid/constants" => |file| file.slot("", 4, 0);
}
