//! Rules about alignment and padding in writers (chapter `alignment` of the book).

rules! {
    AL_POW2 = "al-pow2", Must, Writer, Writer, Data, "alignment" {
        "A writer MUST reject a tensor or inline delegate alignment that is not a power of two."
        rationale: "Builders compute padding with bit masks, which produce misaligned offsets for an alignment such as \
            24; `force_align` accepts only powers of two. Readers cannot tell, because the file does not record the \
            alignment; a misaligned blob breaks `fb-force-align`."
        source: "ExecuTorch's `_patch_schema_alignment` raises ValueError for other values and writes powers of two to \
            `force_align`. Segments and blobs may have any positive alignment."
    }
    AL_POSITIVE = "al-positive", Must, Policy, Writer, Data, "alignment" {
        "A writer MUST reject an alignment of 0 for a segment or a blob."
        rationale: "Padding to a multiple of 0 divides by 0, and a writer that skips the padding silently stores a \
            misaligned blob. Readers cannot tell, because the file does not record the alignment."
        source: "ExecuTorch's writers compute padding and least common multiples, which are undefined for 0. `al-pow2` \
            covers tensors and inline delegates."
        cwe: ["CWE-369"]
    }
    AL_ZERO_FILL = "al-zero-fill", Should, Writer, Writer, Data, "alignment" {
        "A writer SHOULD write zero to every byte that it skips for alignment."
        rationale: "Uninitialized padding discloses the writer's memory, and makes exports of one model differ."
        source: "ExecuTorch's writers fill padding with zeros. For files, `eh-padding-zero`, `eh-gap-zero`, \
            `seg-padding-zero`, `fh-padding-zero` and `ft-seg-padding-zero` report nonzero bytes."
        refs: ["H-15"]
    }
    AL_RELATIVE = "al-relative", Should, Writer, Writer, Data, "alignment" {
        "A writer SHOULD align a segment's `offset` to the alignment of its blob; `offset` is relative to \
            `segment_base_offset`, not to byte 0."
        rationale: "The segment is aligned in the file only if the base is too. By default, the base is a multiple of \
            128, so in a mapped file, a blob with alignment 256 can be off by 128. No document promises more, and \
            readers cannot tell."
        source: "ExecuTorch's writers align a segment to the least common multiple of the segment and blob alignments, \
            but they align the base only to the segment alignment."
        refs: ["S-07"]
    }
    AL_NOT_RECORDED = "al-not-recorded", May, Text, Writer, Data, "alignment" {
        "A writer that rewrites a file MAY get each blob's alignment from a source other than the file, because \
            current files record no alignment."
        rationale: "Otherwise, every alignment above the writer's default is lost, although a backend may depend on \
            it. ExecuTorch's Python readers set each blob's alignment to 1 when they read a file for editing."
        source: "Neither `schema/program.fbs` nor the current `flat_tensor.fbs` has a field for the alignment; only \
            legacy data files have one (`tensor_alignment`)."
    }
}
