//! A program's segment table: ranges, order, overlap, and what refers to it.

use alloc::vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema::DataSegment;
use crate::rules::{constants, delegates, mutable_data, segments as rules};

cases! {
    /// A segment one byte longer than the data.
    reject "pte/segments/past-data": "segment ends one byte past the data" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/constants" => |file| file.scalar("segments[0].size", 17_u64);

    /// A segment that ends past the file: with the older header the file's end is the only bound.
    reject "pte/segments/past-file": "segment ends past the file, 24-byte header" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/header-24" => |file| file.scalar("segments[0].size", 1_u64 << 20);

    /// A blob's segment past the end of the file: readers that look at segments only when they load them notice late.
    reject "pte/segments/past-file-by-offset": "segment begins past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/named-data" => |file| file.scalar("segments[2].offset", 1_u64 << 40);

    /// A segment of no bytes past the end of the file: it has a place like any other.
    reject "pte/segments/empty-past-file": "segment of no bytes past the file" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/empty-blob" => |file| file.scalar("segments[1].offset", 1_u64 << 40);

    /// A segment inside the file and past the data that the header counts: it reaches into the padding of a packed file.
    reject "pte/segments/past-data-inside-file": "segment reaches into trailing bytes" breaks rules::SEG_WITHIN_DATA,
        from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 48_u64);
            file.append(&[0; 64]);
        };

    /// Offset and size wrap to a small number.
    reject "pte/segments/end-wraps": "offset + size wraps" breaks rules::SEG_END_NO_OVERFLOW,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", u64::MAX);

    /// Base and offset wrap to the file's first byte: the reader hands out the header as a constant.
    reject "pte/segments/base-sum-wraps": "base + offset wraps to the file's start" breaks rules::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#16704", "pytorch/executorch#19268"] => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(24) as u64);
            file.scalar("segments[0].offset", offset);
        };

    /// The same through a named blob, whose readers add the two without looking.
    reject "pte/segments/named-blob-base-sum-wraps": "a named blob at base + offset = 0" breaks rules::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/named-data" => |file| {
            let offset = 0_u64.wrapping_sub(file.u64_at(24) as u64);
            file.scalar("segments[2].offset", offset);
        };

    /// Two segments share one byte.
    reject "pte/segments/overlap-by-one-byte": "two segments share a byte" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[0].size", 129_u64);

    /// Two segments that begin at the same place: what one is checked for, the other reads as something else.
    reject "pte/segments/overlap-equal": "two segments at the same place" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].offset", 0_u64);

    /// A segment inside another.
    reject "pte/segments/overlap-nested": "a segment inside another" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| file.scalar("segments[1].size", 133_u64);

    /// Segments out of order, one of them overlapping: the order hides it from a reader that compares neighbours.
    reject "pte/segments/overlap-out-of-order": "overlap between segments out of order" breaks rules::SEG_NO_OVERLAP,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[2].size", 133_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[1].offset", 256_u64);
        };

    /// Segments in another order than their offsets. The schema's text asks for them sorted; readers do not look.
    either "pte/segments/out-of-order": "segments not sorted by offset" about rules::SEG_SORTED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 256_u64);
            file.scalar("segments[1].size", 5_u64);
            file.scalar("segments[2].offset", 128_u64);
            file.scalar("segments[2].size", 48_u64);
        };

    /// A segment at a place that suits no tensor.
    either "pte/segments/unaligned": "segment not at a multiple of 16" about rules::SEG_ALIGNED,
        from "pte/valid/named-data" => |file| {
            file.scalar("segments[1].offset", 129_u64);
            file.scalar("segments[1].size", 47_u64);
        };

    /// The first segment with bytes does not begin where the header says that the data does.
    build "pte/segments/first-not-at-0": "first segment with bytes not at 0" about rules::SEG_FIRST_ZERO => || {
        let segment = |offset: u64, size: u64| TableTree::new(DataSegment::TYPE).with("offset", offset).with("size", size);
        let root = base::headerless_tree()
            .with("segments", vec![segment(0, 0), segment(16, 32)])
            .with("named_data", vec![base::program_named("only", 1)]);
        let mut data = vec![0; 16];
        data.extend(base::ramp(32));
        base::write_program(&root, &[&[], &data])
    };

    /// Something stands between two segments, where nobody looks.
    either "pte/segments/padding-not-zero": "bytes hidden between segments" about rules::SEG_PADDING_ZERO,
        from "pte/valid/named-data" => |file| {
            let base = file.u64_at(24);
            file.put(base + 64, b"hidden!!");
        };

    /// A segment that nothing refers to.
    either "pte/segments/unreferenced": "segment that nothing refers to" about rules::SEG_REFERENCED,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 2_u32);

    /// One segment as constants and as a named blob.
    either "pte/segments/two-roles": "segment in two roles" about rules::SEG_ROLE_DISJOINT,
        from "pte/valid/named-data" => |file| file.scalar("named_data[0].segment_index", 0_u32);

    /// The constants are said to be in a segment that is not there.
    reject "pte/segments/constant-index-past-end": "constant segment index past the list" breaks constants::CONST_SEG_INDEX,
        from "pte/valid/named-data" => |file| file.scalar("constant_segment.segment_index", 3_u32);

    /// The largest index there is.
    reject "pte/segments/mutable-index-max": "mutable segment index 2^32 − 1" breaks mutable_data::MUT_SEG_INDEX,
        from "pte/valid/everything" => |file| file.scalar("mutable_data_segments[0].segment_index", u32::MAX);

    /// A delegate's blob is said to be in a segment that is not there.
    reject "pte/segments/delegate-index-past-end": "delegate segment index past the list"
        breaks delegates::DEL_SEGMENT_INDEX,
        from "pte/valid/everything" => |file| file.scalar("execution_plan[0].delegates[1].processed.index", 4_u32);

    /// The constants are in a segment, and there is no list of segments.
    reject "pte/segments/list-absent": "segments absent, and referred to" breaks rules::SEG_NULL_TABLE,
        from "pte/valid/constants" => |file| file.slot("", 4, 0);
}
