//! Rules about `Program.segments`, the segment table of a program (chapter `segments` of the book).

rules! {
    SEG_RELATIVE = "seg-relative", Must, Text, Reader, Data, "segments" {
        "A reader locates a segment at byte `segment_base_offset + offset` of the file."
        rationale: "A reader that counts from byte 0, or from the end of the FlatBuffer, returns the wrong bytes \
            for every segment. Wrong weights produce wrong results without an error."
        readers: "ExecuTorch's readers add the base and the offset for constants, mutable data, delegates and named \
            data."
        source: "The comment on `DataSegment.offset` in ExecuTorch's `schema/program.fbs` and the document \
            `docs/source/pte-file-format.md` state the rule."
        refs: ["E-01"]
    }
    SEG_END_NO_OVERFLOW = "seg-end-no-overflow", Must, Loader, File, Data, "segments" {
        "A segment's `offset + size` is at most 2^64 - 1."
        rationale: "A sum that wraps is small, so every later comparison with the end of the data or of the file \
            passes."
        readers: "ExecuTorch's data loaders add a segment's position and size, and return InvalidArgument (0x12) if \
            the sum wraps. Loaders that read from memory detect a sum that wraps in 1.2.0 and later. Loaders that \
            read from files detect a sum that wraps in 1.3.0 and later. ExecuTorch's Python reader computes with \
            integers that do not wrap, and raises ValueError for a segment past the end of the file."
        source: "If the end of a segment exceeds 64 bits, no file can contain the segment."
        refs: ["S-06", "pytorch/executorch#18676", "pytorch/executorch#16707"]
        cwe: ["CWE-190", "CWE-125"]
    }
    SEG_ABS_NO_OVERFLOW = "seg-abs-no-overflow", Must, Loader, File, Data, "segments" {
        "`segment_base_offset` plus a segment's `offset` and `size` is at most 2^64 - 1."
        rationale: "A sum that wraps is a position near the beginning of the file: an offset of 2^64 minus the base \
            selects byte 0. A reader that uses byte 0 returns the header and the FlatBuffer as weights or as a \
            delegate's blob."
        readers: "If the sum for a delegate or mutable data wraps, ExecuTorch 1.3.0 and later return InvalidProgram \
            (0x23) when they prepare the method. Releases of ExecuTorch before 1.3.0 do not check the sum. \
            ExecuTorch's Python reader checks every segment and raises ValueError. Some readers have lookups that do \
            not check the sum."
        source: "The rule has the reasons of `seg-end-no-overflow`. ExecuTorch's `Program::LoadSegment` and \
            `load_mutable_subsegment_into` check the sum."
        refs: ["S-05", "pytorch/executorch#19268"]
        cwe: ["CWE-190", "CWE-125"]
    }
    SEG_WITHIN_DATA = "seg-within-data", Must, Text, File, Data, "segments" {
        "A segment ends within `segment_data_size` or, if that size is absent or 0, within the file."
        rationale: "Bytes past the declared end are not part of the segment data. A reader that loads a segment past \
            the declared end uses appended bytes as weights. A segment past the end of the file has no bytes to read."
        readers: "ExecuTorch's C++ reader compares a segment with the file's end when it loads the segment; the loader \
            returns InvalidArgument (0x12). ExecuTorch's Python reader compares all segments when it opens the file, \
            and raises ValueError."
        source: "ExecuTorch's `docs/source/pte-file-format.md` defines `segment_data_size` as the size from the base \
            to the end of the segments. `segment_data_size` limits `offset + size`. Without `segment_data_size`, the \
            end of the file limits `segment_base_offset + offset + size`."
        refs: ["S-04", "H-10"]
        cwe: ["CWE-130", "CWE-125"]
    }
    SEG_SORTED = "seg-sorted", Should, Text, File, Data, "segments" {
        "The segments' offsets never decrease from one entry of the table to the next."
        rationale: "A reader that streams the file, or searches the table by offset, may rely on the order of the \
            offsets."
        readers: "ExecuTorch's readers find segments by index, so they do not depend on the order of the offsets."
        source: "A comment in ExecuTorch's `schema/program.fbs` calls the table sorted, and writers store segments in \
            the order of the table. The rule's strength is `should` because no reader needs sorted offsets."
        refs: ["S-07"]
    }
    SEG_NO_OVERLAP = "seg-no-overlap", Must, Policy, File, Data, "segments" {
        "No byte belongs to two segments: the ranges from `offset` to `offset + size` are disjoint."
        rationale: "If two segments overlap, a write to mutable data can change constants. A reader can also use the \
            shared bytes for two purposes, but check them for only one of them."
        readers: "Some readers load segments separately and do not compare them with each other."
        source: "This project chose the strength `must`: no text forbids an overlap, and readers accept it. No \
            official writer makes overlapping segments, because writers store segments one after another. An overlap \
            can make read-only data writable, so this project rejects files with overlapping segments. A segment of \
            size 0 overlaps no other segment."
        refs: ["S-07"]
    }
    SEG_FIRST_ZERO = "seg-first-zero", Should, Text, File, Data, "segments" {
        "The smallest `offset` among the non-empty segments is 0."
        rationale: "If the first segment starts after the base, no segment contains the bytes between the base and \
            the first segment. No reader loads bytes that no segment contains."
        readers: "No reader checks the rule."
        source: "According to ExecuTorch's `docs/source/pte-file-format.md`, the first segment starts at the header's \
            base, and writers follow this layout."
    }
    SEG_ALIGNED = "seg-aligned", Should, Writer, File, Data, "segments" {
        "A segment's `offset` is a multiple of 16."
        rationale: "If a reader maps the file, a weight's position in the file determines its alignment in memory. \
            A reader that maps the file must copy a misaligned weight. Without the copy, a kernel that requires \
            alignment can crash."
        readers: "No reader checks the rule. Loaders that copy segments into memory align the copies."
        source: "Writers align each segment's offset to 128; up to release 0.3, writers aligned it to 4096. Since 0.6, \
            writers also apply the alignment of the segment's blob. Files do not record the alignment of segments. The \
            rule requires only 16, the smallest alignment that exporters give tensors."
        refs: ["S-07"]
    }
    SEG_PADDING_ZERO = "seg-padding-zero", Should, Writer, File, Data, "segments" {
        "Between `segment_base_offset` and the end of the last segment, every byte outside the segments is zero."
        rationale: "No segment contains the bytes between segments, so they can hide other content."
        readers: "No reader checks the bytes between segments."
        source: "ExecuTorch's `serialize_pte_binary` pads between segments with zeros and writes nothing after the \
            last segment."
        refs: ["H-15"]
    }
    SEG_INDEX_RANGE = "seg-index-range", Must, Loader, Reader, Method, "segments" {
        "A reader compares every segment index with the number of segments before it uses the index."
        rationale: "If the index is past the segment table, a reader uses the bytes after the table as an offset \
            and a size. The author of the file controls the bytes after the table."
        readers: "For an index out of range in the constant segment, ExecuTorch returns InvalidProgram (0x23) when it \
            loads the program. For delegates and mutable data, ExecuTorch returns NotFound (0x20) when it prepares a \
            method. For named data, ExecuTorch returns InvalidArgument (0x12) at the lookup. ExecuTorch's Python \
            reader raises ValueError for an index out of range."
        source: "The rule follows from ExecuTorch's `schema/program.fbs`, where an index can be any `u32`. Constant \
            segments, mutable segments, delegates and named data contain segment indices. The rules for files are \
            `const-seg-index`, `mut-seg-index`, `del-segment-index` and `nd-seg-index`. A segment index that no reader \
            uses may have any value, for example in a constant segment with only a placeholder offset."
        refs: ["S-02", "S-09", "D-10"]
        cwe: ["CWE-129", "CWE-125"]
    }
    SEG_REFERENCED = "seg-referenced", Should, Writer, File, Data, "segments" {
        "Every segment is used by a constant segment, a mutable segment, a delegate or named data."
        rationale: "No reader loads or checks the data of an unused segment. An unused segment can therefore hide a \
            large amount of data."
        readers: "No reader rejects an unused segment. ExecuTorch's C++ reader never reads an unused segment."
        source: "Writers create segments only for constants, mutable data, delegates and named data. A \
            `constant_segment` with only the placeholder offset does not use the segment that it names."
        refs: ["H-15"]
    }
    SEG_ROLE_DISJOINT = "seg-role-disjoint", May, Writer, File, Data, "segments" {
        "A non-empty segment has only one role: constants, mutable data, delegate data or named data."
        rationale: "If a segment has two roles, a reader that writes to mutable data in place also changes \
            constants or blobs."
        readers: "ExecuTorch's readers accept a segment with several roles, because they resolve each reference to a \
            segment separately."
        source: "Writers share a segment only among equal delegates or among several keys, and never between different \
            roles. A `constant_segment` with only the placeholder offset does not use its segment for constants. No \
            text forbids a segment with several roles, so the rule's strength is `may`."
    }
    SEG_NULL_TABLE = "seg-null-table", Must, Loader, File, Method, "segments" {
        "A program has `segments` if it has a constant segment with more than one offset, a mutable segment, or a \
            SEGMENT delegate."
        rationale: "If a reader uses a segment index without a segment table, it dereferences a null pointer."
        readers: "If constants need the absent table, ExecuTorch returns InvalidProgram (0x23) when it loads the \
            program. If delegates or mutable data need the table, ExecuTorch 1.4.0 and later return InvalidProgram \
            during the preparation of the method. If the table is absent, releases before 1.4.0 dereference a null \
            pointer."
        source: "In ExecuTorch's `schema/program.fbs` every vector is optional, and FlatBuffers verifiers accept an \
            absent vector. For named data, the rule is `nd-segments-present`."
        refs: ["S-08", "pytorch/executorch#19916"]
        cwe: ["CWE-476"]
    }
}
