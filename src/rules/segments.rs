//! The segment table of a program, `Program.segments` (specification, section 1.3).

use super::rules;

rules! {
    SEG_RELATIVE = "seg-relative", Must, Reader, Data, "1.3" {
        "A reader finds a segment at `segment_base_offset + offset` from byte 0."
        source: "The schema and the format's text say so, and all readers agree."
        refs: []
    }
    SEG_END_NO_OVERFLOW = "seg-end-no-overflow", Must, File, Data, "1.3" {
        "A segment's `offset + size` is at most 2^64 - 1."
        source: "A sum that wraps passes every later comparison. ExecuTorch's mutable path, its data loaders and its \
            Python reader refuse it."
        refs: ["S-06", "pytorch/executorch#18676"]
    }
    SEG_ABS_NO_OVERFLOW = "seg-abs-no-overflow", Must, File, Data, "1.3" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        source: "A sum that wraps lands in the file's own header. ExecuTorch refuses it for delegates and mutable \
            data since 1.2.0, and its Python reader for every segment."
        refs: ["S-05", "pytorch/executorch#16704", "pytorch/executorch#19268"]
    }
    SEG_WITHIN_DATA = "seg-within-data", Must, File, Data, "1.3" {
        "A segment's `offset + size` is at most `segment_data_size` where the header gives one other than 0, and \
            `segment_base_offset + offset + size` is at most the file's size where it does not."
        source: "The header's field is defined as the size of all segment data. ExecuTorch's C++ reader compares a \
            segment with the file's end when it loads it; its Python reader compares all segments at once."
        refs: ["S-04", "H-10"]
    }
    SEG_SORTED = "seg-sorted", Should, File, Data, "1.3" {
        "The segments' offsets never decrease from one entry of the table to the next."
        source: "A comment in the schema says that the table is sorted, and writers lay segments out in its order. \
            No reader depends on it."
        refs: ["S-07"]
    }
    SEG_NO_OVERLAP = "seg-no-overlap", Must, File, Data, "1.3" {
        "No byte belongs to two segments: the ranges from `offset` to `offset + size` are disjoint, and one of size \
            0 is disjoint from all."
        source: "Writers put segments one behind another, each followed by padding, and share a segment by its \
            index. No reader looks; it is a must because the format's picture leaves no room for it and overlap lets a write to mutable data change constants, or one check cover bytes that another use \
            reinterprets."
        refs: ["S-07"]
    }
    SEG_FIRST_ZERO = "seg-first-zero", Should, File, Data, "1.3" {
        "The smallest `offset` among the segments with bytes is 0."
        source: "The format's text lets the first segment start where the header's base points, and writers do. No \
            reader checks it."
        refs: []
    }
    SEG_ALIGNED = "seg-aligned", Should, File, Data, "1.3" {
        "A segment's `offset` is a multiple of 16."
        source: "Writers align it to 128, up to 0.3 to 4096, and since 0.6 also to what its blob asks for, and do \
            not record it; 16 is the smallest alignment that the exporters give tensors. No reader checks it."
        refs: ["S-07"]
    }
    SEG_PADDING_ZERO = "seg-padding-zero", Should, File, Data, "1.3" {
        "The bytes from `segment_base_offset` to the end of the last segment that belong to no segment are zero."
        source: "Writers pad between segments with zeros and put nothing behind the last. No reader looks."
        refs: ["H-15"]
    }
    SEG_INDEX_RANGE = "seg-index-range", Must, File, Method, "1.3" {
        "The segment index of a constant segment with more than one offset, of a mutable segment and of a delegate \
            whose data is in a segment is below the number of segments."
        source: "ExecuTorch refuses the first when it loads the program and the others when it prepares a method. A \
            constant segment with only its placeholder is never looked up; named data has `nd-seg-index`."
        refs: ["S-02", "S-09", "D-10", "pytorch/executorch#19916"]
    }
    SEG_REFERENCED = "seg-referenced", Should, File, Data, "1.3" {
        "Every segment is referred to by a constant segment, a mutable segment, a delegate or named data."
        source: "Writers make segments for nothing else. Bytes that nothing refers to can hide anything."
        refs: ["H-15"]
    }
    SEG_ROLE_DISJOINT = "seg-role-disjoint", Either, File, Data, "1.3" {
        "A segment with bytes is used in one role only: constants, mutable data, delegate data or named data."
        source: "Writers share a segment among equal delegates or among several keys, never across roles. Nothing \
            forbids it and readers accept it."
        refs: []
    }
    SEG_NULL_TABLE = "seg-null-table", Must, File, Method, "1.3" {
        "`segments` is present in a program with a constant segment of more than one offset, a mutable segment or a \
            delegate whose data is in a segment."
        source: "ExecuTorch refuses its absence when it loads the program or prepares a method, whichever needs it \
            first. Named data has `nd-segments-present`."
        refs: ["S-08", "pytorch/executorch#19916"]
    }
}
