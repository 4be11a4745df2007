//! Rules about `Program.segments`, the segment table of a program (chapter `segments` of the book).

rules! {
    SEG_RELATIVE = "seg-relative", Must, Text, Reader, Data, "segments" {
        "A reader MUST locate a segment at byte `segment_base_offset + offset` in the file."
        rationale: "A reader that counts from byte 0, or from the end of the FlatBuffer, gets the wrong bytes for \
            every segment, so its results are silently wrong. ExecuTorch's readers add the base for constants, mutable \
            data, delegates and named data."
        source: "The comment on `DataSegment.offset` in ExecuTorch's `schema/program.fbs` says so, as does \
            `docs/source/pte-file-format.md`."
        refs: ["E-01"]
    }
    SEG_END_NO_OVERFLOW = "seg-end-no-overflow", Must, Loader, File, Data, "segments" {
        "A segment's `offset + size` MUST be at most 2^64 - 1."
        rationale: "A sum that wraps passes every later comparison: a segment with offset 16 and size 2^64 - 1 seems \
            to end at byte 15. ExecuTorch's data loaders for memory (since 1.2.0) and for files (since 1.3.0) return \
            InvalidArgument (0x12)."
        source: "No file can contain a segment whose end exceeds 64 bits."
        refs: ["S-06", "pytorch/executorch#18676", "pytorch/executorch#16707"]
        cwe: ["CWE-190", "CWE-125"]
    }
    SEG_ABS_NO_OVERFLOW = "seg-abs-no-overflow", Must, Loader, File, Data, "segments" {
        "`segment_base_offset` plus a segment's `offset` and `size` MUST be at most 2^64 - 1."
        rationale: "An offset of 2^64 minus the base selects byte 0, so the header and the FlatBuffer are used as \
            weights or a delegate's blob. Since 1.3.0, ExecuTorch returns InvalidProgram (0x23) for delegates and \
            mutable data when it prepares the method; its Python reader raises ValueError for any segment. Every \
            lookup needs the check."
        source: "`Program::LoadSegment` and `load_mutable_subsegment_into` check the sum; see `seg-end-no-overflow`."
        refs: ["S-05", "pytorch/executorch#19268"]
        cwe: ["CWE-190", "CWE-125"]
    }
    SEG_WITHIN_DATA = "seg-within-data", Must, Text, File, Data, "segments" {
        "A segment MUST end within `segment_data_size` or, if that size is absent or 0, within the file."
        rationale: "A reader that accepts a segment past the declared end uses appended bytes as weights. ExecuTorch's \
            C++ reader compares a segment only with the file's end, when it loads the segment (InvalidArgument, 0x12). \
            Its Python reader compares all segments when it opens the file (ValueError)."
        source: "ExecuTorch's `docs/source/pte-file-format.md` defines `segment_data_size` as the size from the base \
            to the end of the segments."
        refs: ["S-04", "H-10"]
        cwe: ["CWE-130", "CWE-125"]
    }
    SEG_SORTED = "seg-sorted", Should, Text, File, Data, "segments" {
        "Entries in `segments` SHOULD be sorted by `offset`; equal offsets are allowed."
        rationale: "A reader that streams the file, or searches the list by offset, may rely on the order. \
            ExecuTorch's readers do not, because they find segments by index."
        source: "A comment in ExecuTorch's `schema/program.fbs` calls the list sorted, and writers store segments in \
            that order."
        refs: ["S-07"]
    }
    SEG_NO_OVERLAP = "seg-no-overlap", Must, Policy, File, Data, "segments" {
        "Segments MUST NOT overlap: the ranges from `offset` to `offset + size` are disjoint."
        rationale: "If segments overlap, a write to mutable data can change constants, and bytes that were checked for \
            one purpose can be used for another. A reader that loads segments one by one never notices. A segment of \
            size 0 overlaps nothing."
        source: "This project chose the rule: no text forbids an overlap, but it can make read-only data writable. \
            Official writers store segments one after another."
        refs: ["S-07"]
    }
    SEG_FIRST_ZERO = "seg-first-zero", Should, Text, File, Data, "segments" {
        "The smallest `offset` among the non-empty segments SHOULD be 0."
        rationale: "Bytes between the base and the first segment belong to no segment, so readers neither load nor \
            check them."
        source: "According to ExecuTorch's `docs/source/pte-file-format.md`, the first segment starts at the header's \
            base."
    }
    SEG_ALIGNED = "seg-aligned", Should, Writer, File, Data, "segments" {
        "A segment's `offset` SHOULD be a multiple of 16."
        rationale: "In a mapped file, a weight's position decides its alignment in memory. A misaligned weight has to \
            be copied, because kernels that use aligned loads would crash. No reader checks the offset, and loaders \
            that copy segments align the copies."
        source: "Writers align to 128 (4096 up to release 0.3), and since 0.6 also to the blob's alignment. Files do \
            not record the alignment; 16 is the smallest value that exporters use for tensors."
        refs: ["S-07"]
    }
    SEG_PADDING_ZERO = "seg-padding-zero", Should, Writer, File, Data, "segments" {
        "Between `segment_base_offset` and the end of the last segment, every byte outside the segments SHOULD be zero."
        rationale: "No reader looks at the bytes between segments, so they can hide data."
        source: "ExecuTorch's `serialize_pte_binary` pads with zeros between segments and writes nothing after the \
            last segment."
        refs: ["H-15"]
    }
    SEG_INDEX_RANGE = "seg-index-range", Must, Loader, Reader, Method, "segments" {
        "A reader MUST compare every segment index with the number of segments before it uses the index."
        rationale: "Past the segment table, a segment's offset and size come from bytes that the file's author \
            controls. ExecuTorch returns InvalidProgram (0x23) for the constant segment, NotFound (0x20) for delegates \
            and mutable data, and InvalidArgument (0x12) for named data. An unused index may have any value."
        source: "In ExecuTorch's `schema/program.fbs`, an index can be any `u32`. The rules for files are \
            `const-seg-index`, `mut-seg-index`, `del-segment-index` and `nd-seg-index`."
        refs: ["S-02", "S-09", "D-10"]
        cwe: ["CWE-129", "CWE-125"]
    }
    SEG_REFERENCED = "seg-referenced", Should, Writer, File, Data, "segments" {
        "Every segment SHOULD be used by a constant segment, a mutable segment, a delegate or named data."
        rationale: "No reader loads or checks an unused segment, so it can hide a large amount of data. A \
            `constant_segment` whose only offset is the placeholder does not use the segment that it names."
        source: "Writers create segments for these four purposes only."
        refs: ["H-15"]
    }
    SEG_ROLE_DISJOINT = "seg-role-disjoint", May, Writer, File, Data, "segments" {
        "A reader MAY reject a non-empty segment with more than one role: constants, mutable data, delegate data or \
            named data."
        rationale: "If mutable data shares a segment with constants or blobs, writing it in place changes them. \
            ExecuTorch's readers resolve each reference separately, so they accept such a segment. A \
            `constant_segment` whose only offset is the placeholder does not count as a role."
        source: "Writers share a segment only among equal delegates or among several keys. No text forbids more."
    }
    SEG_NULL_TABLE = "seg-null-table", Must, Loader, File, Method, "segments" {
        "A program with a mutable segment, a SEGMENT delegate, or a constant segment with more than one offset MUST \
            have `segments`."
        rationale: "If the table is absent, a reader that looks up a segment dereferences null. ExecuTorch returns \
            InvalidProgram (0x23): for constants when it loads the program and, since 1.4.0, for delegates and mutable \
            data when it prepares the method (pytorch/executorch#19916)."
        source: "Every vector in ExecuTorch's `schema/program.fbs` is optional, so verifiers do not require `segments`. \
            `nd-segments-present` is the rule for named data."
        refs: ["S-08", "pytorch/executorch#19916"]
        cwe: ["CWE-476"]
    }
}
