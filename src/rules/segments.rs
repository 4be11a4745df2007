//! The segment table of a program, `Program.segments` (specification, section 1.3).

rules! {
    SEG_RELATIVE = "seg-relative", Must, Reader, Data, "1.3" {
        "A reader finds a segment at `segment_base_offset + offset` from byte 0."
        why: "Counted from byte 0, or from the FlatBuffer's end, every segment is found at the wrong place, and wrong \
            weights make wrong answers without an error."
        readers: "ExecuTorch's readers all add the two, for constants, mutable data, delegates and named data alike."
        source: "The comment on `DataSegment.offset` in `schema/program.fbs`, and the format's text."
        refs: ["E-01"]
    }
    SEG_END_NO_OVERFLOW = "seg-end-no-overflow", Must, File, Data, "1.3" {
        "A segment's `offset + size` is at most 2^64 - 1."
        why: "A sum that wraps is small, and passes every later comparison with the end of the data or of the file."
        readers: "ExecuTorch's data loaders add a segment's place and size and answer InvalidArgument (0x12) when that \
            wraps, those over memory since 1.2.0 and those over files since 1.3.0. Its Python reader raises \
            ValueError, since its integers do not wrap."
        source: "Derived: no segment that wraps can be in a file, and a check of its end is worth nothing if the end \
            is not one."
        refs: ["S-06", "pytorch/executorch#18676", "pytorch/executorch#16707"]
        cwe: ["CWE-190", "CWE-125"]
    }
    SEG_ABS_NO_OVERFLOW = "seg-abs-no-overflow", Must, File, Data, "1.3" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        why: "A sum that wraps lands at the file's beginning: an offset of 2^64 minus the base selects byte 0, and \
            header and FlatBuffer are handed out as weights or as a delegate's blob."
        readers: "ExecuTorch answers InvalidProgram (0x23) for delegates and mutable data since 1.3.0, when it \
            prepares the method; before, the sum wrapped. Its Python reader raises ValueError for every segment. Not \
            every other look-up checks the sum."
        source: "Derived, as `seg-end-no-overflow`; `Program::LoadSegment` and `load_mutable_subsegment_into` check it."
        refs: ["S-05", "pytorch/executorch#19268"]
        cwe: ["CWE-190", "CWE-125"]
    }
    SEG_WITHIN_DATA = "seg-within-data", Must, File, Data, "1.3" {
        "A segment's `offset + size` is at most `segment_data_size` where the header gives one other than 0, and \
            `segment_base_offset + offset + size` is at most the file's size where it does not."
        why: "Bytes past the declared end are ones that the header does not vouch for: whatever was appended to the \
            file becomes weights, and past the file's end there is nothing to read."
        readers: "ExecuTorch's C++ reader compares a segment with the file's end when it loads it, InvalidArgument \
            (0x12) from the loader. Its Python reader compares all segments at once, and raises ValueError."
        source: "The format's text defines `segment_data_size` as the size from the base to the end of the segments. \
            Where the header has none, the file's end is the only bound left."
        refs: ["S-04", "H-10"]
        cwe: ["CWE-130", "CWE-125"]
    }
    SEG_SORTED = "seg-sorted", Should, File, Data, "1.3" {
        "The segments' offsets never decrease from one entry of the table to the next."
        why: "A reader that streams the file, or searches the table by offset, may rely on it."
        readers: "No reader of ExecuTorch's depends on it: segments are found by index."
        source: "A comment in `schema/program.fbs` says that the table is sorted, and writers lay segments out in its \
            order. It is a should because no reader needs it."
        refs: ["S-07"]
    }
    SEG_NO_OVERLAP = "seg-no-overlap", Must, File, Data, "1.3" {
        "No byte belongs to two segments: the ranges from `offset` to `offset + size` are disjoint, and one of size 0 \
            is disjoint from all."
        why: "Overlap lets a write to mutable data change constants, or one check cover bytes that another use \
            reinterprets."
        readers: "Not every reader compares segments with each other; loading them one by one does not need it."
        source: "Derived: writers put segments one behind another, each followed by padding, and share a segment by \
            its index. It is a must because the format's picture leaves no room for overlap, and what is loaded \
            read-only could then be written."
        refs: ["S-07"]
    }
    SEG_FIRST_ZERO = "seg-first-zero", Should, File, Data, "1.3" {
        "The smallest `offset` among the segments with bytes is 0."
        why: "The bytes before the first segment would belong to nothing, and be loaded by nobody."
        readers: "No reader checks it."
        source: "The format's text lets the first segment start where the header's base points, and writers do."
    }
    SEG_ALIGNED = "seg-aligned", Should, File, Data, "1.3" {
        "A segment's `offset` is a multiple of 16."
        why: "A weight's place in memory follows its place in the file where a reader maps it, so one that is not \
            aligned costs a copy, or faults in a kernel that relies on it."
        readers: "No reader checks it; loaders that copy put the bytes into aligned memory of their own."
        source: "Writers align it to 128, up to 0.3 to 4096, and since 0.6 also to what its blob asks for, and do not \
            record it. 16 is the smallest alignment that the exporters give tensors, and so the most that can be said \
            of every file."
        refs: ["S-07"]
    }
    SEG_PADDING_ZERO = "seg-padding-zero", Should, File, Data, "1.3" {
        "The bytes from `segment_base_offset` to the end of the last segment that belong to no segment are zero."
        why: "Nothing refers to these bytes, so anything can hide in them, inside what looks like segment data."
        readers: "No reader looks."
        source: "`serialize_pte_binary` pads between segments with zeros and puts nothing behind the last."
        refs: ["H-15"]
    }
    SEG_INDEX_RANGE = "seg-index-range", Must, Reader, Method, "1.3" {
        "A reader compares every segment index with the number of segments before it uses it, be it the constant \
            segment's, a mutable segment's, a delegate's or a named blob's."
        why: "An index past the table reads a reference from behind it and follows that, so the file chooses where \
            offset and size of the segment come from."
        readers: "ExecuTorch answers InvalidProgram (0x23) for the constant segment when it loads the program, \
            NotFound (0x20) for delegates and mutable data when it prepares a method, and InvalidArgument (0x12) for \
            named data when it looks it up. Its Python reader raises ValueError."
        source: "Derived from the schema, where an index is any `u32` to a verifier. What a file must keep is \
            `const-seg-index`, `mut-seg-index`, `del-segment-index` and `nd-seg-index`. An index that nobody uses, as \
            that of a constant segment with only its placeholder, may be any."
        refs: ["S-02", "S-09", "D-10"]
        cwe: ["CWE-129", "CWE-125"]
    }
    SEG_REFERENCED = "seg-referenced", Should, File, Data, "1.3" {
        "Every segment is referred to by a constant segment, a mutable segment, a delegate or named data."
        why: "A segment that nothing refers to is data that no one will load or check, and the largest place in a file \
            to hide something."
        readers: "No reader asks that each segment is referred to. ExecuTorch's C++ reader never touches one that is \
            not."
        source: "Writers make segments for constants, mutable data, delegates and named data, and for nothing else."
        refs: ["H-15"]
    }
    SEG_ROLE_DISJOINT = "seg-role-disjoint", May, File, Data, "1.3" {
        "A segment with bytes is used in one role only: constants, mutable data, delegate data or named data."
        why: "A segment that is both mutable data and something else is read as one thing and changed as another, if a \
            reader writes in place."
        readers: "ExecuTorch's readers accept it, as they look at one reference at a time."
        source: "Writers share a segment among equal delegates or among several keys, never across roles. Nothing \
            forbids it, so it is a may."
    }
    SEG_NULL_TABLE = "seg-null-table", Must, File, Method, "1.3" {
        "`segments` is present in a program with a constant segment of more than one offset, a mutable segment or a \
            delegate whose data is in a segment."
        why: "A reader that has an index and no table to hold it against follows a null pointer."
        readers: "ExecuTorch answers InvalidProgram (0x23): for constants when it loads the program, and for delegates \
            and mutable data when it prepares the method, there since 1.4.0. Before, it followed the null."
        source: "Derived from the references, since the schema lets any vector be absent and a verifier passes that. \
            Named data has `nd-segments-present`."
        refs: ["S-08", "pytorch/executorch#19916"]
        cwe: ["CWE-476"]
    }
}
