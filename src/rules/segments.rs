//! The segment table of a program, `Program.segments`: chapter `segments` of the book.

rules! {
    SEG_RELATIVE = "seg-relative", Must, Reader, Data, "segments" {
        "A reader finds a segment at `segment_base_offset + offset` from byte 0."
        why: "A reader that counts from byte 0, or from the end of the FlatBuffer, reads every segment at the wrong \
            position. Wrong weights produce wrong results without an error."
        readers: "ExecuTorch's readers add the base and the offset for constants, mutable data, delegates and named \
            data."
        source: "The comment on `DataSegment.offset` in `schema/program.fbs`, and the format's documentation."
        refs: ["E-01"]
    }
    SEG_END_NO_OVERFLOW = "seg-end-no-overflow", Must, File, Data, "segments" {
        "A segment's `offset + size` is at most 2^64 - 1."
        why: "A sum that wraps is small, and passes every later comparison with the end of the data or of the file."
        readers: "ExecuTorch's data loaders add a segment's position and size and return InvalidArgument (0x12) if the \
            sum wraps: loaders over memory since 1.2.0, loaders over files since 1.3.0. Its Python reader raises \
            ValueError, because its integers do not wrap."
        source: "This project infers the rule: no file contains a segment that wraps, and a bound check needs a \
            correct end."
        refs: ["S-06", "pytorch/executorch#18676", "pytorch/executorch#16707"]
        cwe: ["CWE-190", "CWE-125"]
    }
    SEG_ABS_NO_OVERFLOW = "seg-abs-no-overflow", Must, File, Data, "segments" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        why: "A sum that wraps leads to the beginning of the file. An offset of 2^64 minus the base selects byte 0, \
            and a reader returns header and FlatBuffer as weights or as a delegate's blob."
        readers: "ExecuTorch returns InvalidProgram (0x23) for delegates and mutable data since 1.3.0, when it \
            prepares the method; in earlier releases the sum wrapped. Its Python reader raises ValueError for every \
            segment. Some other look-ups do not check the sum."
        source: "This project infers the rule, as it infers `seg-end-no-overflow`; `Program::LoadSegment` and \
            `load_mutable_subsegment_into` check the sum."
        refs: ["S-05", "pytorch/executorch#19268"]
        cwe: ["CWE-190", "CWE-125"]
    }
    SEG_WITHIN_DATA = "seg-within-data", Must, File, Data, "segments" {
        "A segment's `offset + size` is at most `segment_data_size` if `segment_data_size` is present and not 0; \
            otherwise `segment_base_offset + offset + size` is at most the file's size."
        why: "The header does not cover bytes past the declared end, so appended bytes become weights. Past the file's \
            end there is nothing to read."
        readers: "ExecuTorch's C++ reader compares a segment with the file's end when it loads the segment; the loader \
            returns InvalidArgument (0x12). Its Python reader compares all segments at once, and raises ValueError."
        source: "The format's documentation defines `segment_data_size` as the size from the base to the end of the \
            segments. Without that field, the file's end is the only bound."
        refs: ["S-04", "H-10"]
        cwe: ["CWE-130", "CWE-125"]
    }
    SEG_SORTED = "seg-sorted", Should, File, Data, "segments" {
        "The segments' offsets never decrease from one entry of the table to the next."
        why: "A reader that streams the file, or searches the table by offset, may rely on the order."
        readers: "No reader of ExecuTorch depends on the order, because all readers find segments by index."
        source: "A comment in `schema/program.fbs` calls the table sorted, and writers place segments in its order. \
            The rule is a should because no reader needs the order."
        refs: ["S-07"]
    }
    SEG_NO_OVERLAP = "seg-no-overlap", Must, File, Data, "segments" {
        "No byte belongs to two segments: the ranges from `offset` to `offset + size` are disjoint."
        why: "With an overlap, a write to mutable data changes constants, or a check of one segment covers bytes that \
            another segment reinterprets."
        readers: "Some readers do not compare segments with each other; a reader that loads segments one by one does \
            not need the comparison."
        source: "This project infers the rule: writers place segments one after another, each followed by padding, and \
            share a segment by its index. A segment of size 0 overlaps nothing. No text forbids an overlap. The rule \
            is a must by this project's decision, because an overlap can make read-only data writable."
        refs: ["S-07"]
    }
    SEG_FIRST_ZERO = "seg-first-zero", Should, File, Data, "segments" {
        "The smallest `offset` among the segments with bytes is 0."
        why: "Otherwise the bytes before the first segment belong to no segment, and no reader loads them."
        readers: "No reader checks the rule."
        source: "The format's documentation starts the first segment at the header's base, and writers do so."
    }
    SEG_ALIGNED = "seg-aligned", Should, File, Data, "segments" {
        "A segment's `offset` is a multiple of 16."
        why: "Where a reader maps the file, a weight's alignment in memory follows its position in the file. An \
            unaligned weight costs a copy, or causes a fault in a kernel that relies on alignment."
        readers: "No reader checks the rule; loaders that copy put the bytes into aligned memory of their own."
        source: "Writers align the offset to 128, or to 4096 up to release 0.3. Since 0.6 they also apply the \
            alignment of the segment's blob. Files record none of these alignments. The smallest alignment that \
            exporters give tensors is 16, so the rule requires no more."
        refs: ["S-07"]
    }
    SEG_PADDING_ZERO = "seg-padding-zero", Should, File, Data, "segments" {
        "Bytes that belong to no segment are zero, from `segment_base_offset` to the end of the last segment."
        why: "No segment contains these bytes, so anything can hide in them, inside the segment data."
        readers: "No reader checks these bytes."
        source: "`serialize_pte_binary` pads between segments with zeros and writes nothing after the last segment."
        refs: ["H-15"]
    }
    SEG_INDEX_RANGE = "seg-index-range", Must, Reader, Method, "segments" {
        "A reader compares every segment index with the number of segments before it uses the index."
        why: "For an index past the table, a reader takes an offset from the bytes after the table and follows that \
            offset. The file's author then controls the segment's offset and size."
        readers: "ExecuTorch returns InvalidProgram (0x23) for the constant segment when it loads the program. It \
            returns NotFound (0x20) for delegates and mutable data when it prepares a method, and InvalidArgument \
            (0x12) for named data at the look-up. Its Python reader raises ValueError."
        source: "Inferred from the schema, where an index can be any `u32`. Constant segments, mutable segments, \
            delegates and named data have indices. The rules for files are `const-seg-index`, `mut-seg-index`, \
            `del-segment-index` and `nd-seg-index`. An unused index, such as that of a constant segment with only a \
            placeholder, may have any value."
        refs: ["S-02", "S-09", "D-10"]
        cwe: ["CWE-129", "CWE-125"]
    }
    SEG_REFERENCED = "seg-referenced", Should, File, Data, "segments" {
        "Every segment is used by a constant segment, a mutable segment, a delegate or named data."
        why: "No reader loads or checks the data of an unused segment. Such a segment is the largest place in a file \
            to hide something."
        readers: "No reader requires that each segment is used. ExecuTorch's C++ reader never reads an unused segment."
        source: "Writers create segments for constants, mutable data, delegates and named data, and for nothing else."
        refs: ["H-15"]
    }
    SEG_ROLE_DISJOINT = "seg-role-disjoint", May, File, Data, "segments" {
        "A segment with bytes has one role only: constants, mutable data, delegate data or named data."
        why: "If a reader writes to mutable data in place, it also changes the constants or blobs in the same segment."
        readers: "ExecuTorch's readers accept a segment with several roles, because they resolve each use separately."
        source: "Writers share a segment among equal delegates or among several keys, never across roles. No text \
            forbids a segment with several roles, so the rule is a may."
    }
    SEG_NULL_TABLE = "seg-null-table", Must, File, Method, "segments" {
        "`segments` is present in a program with a constant segment of more than one offset, a mutable segment or a \
            delegate whose data is in a segment."
        why: "A reader that has an index and no table dereferences a null pointer."
        readers: "ExecuTorch returns InvalidProgram (0x23): for constants when it loads the program; for delegates and \
            mutable data when it prepares the method, since 1.4.0. Earlier releases dereferenced the null pointer."
        source: "This project infers the rule: the schema lets any vector be absent, and a verifier accepts that. For \
            named data the rule is `nd-segments-present`."
        refs: ["S-08", "pytorch/executorch#19916"]
        cwe: ["CWE-476"]
    }
}
