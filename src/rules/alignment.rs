//! Rules about alignment and padding in writers (chapter `alignment` of the book).

rules! {
    AL_POW2 = "al-pow2", Must, Writer, Writer, Data, "alignment" {
        "A writer rejects a tensor alignment or an inline delegate alignment that is not a power of two."
        rationale: "Many FlatBuffers builders compute padding with bit masks, and the attribute `force_align` accepts \
            only powers of two. If the alignment is not a power of two, bit masks compute misaligned offsets."
        readers: "Readers cannot detect a violation, because the file does not record the alignment. A misaligned blob \
            breaks the rule `fb-force-align`."
        source: "If the alignment is not a power of two, ExecuTorch's `_patch_schema_alignment` raises ValueError. For \
            a power of two, the function writes the alignment to `force_align` in `schema/program.fbs`. The alignment \
            of a segment or blob can be any positive number."
    }
    AL_POSITIVE = "al-positive", Must, Policy, Writer, Data, "alignment" {
        "A writer rejects an alignment of 0 for a segment or a blob."
        rationale: "Padding to a multiple of 0 is a division by 0. If a writer omits the padding for an alignment of \
            0, the caller gets a misaligned blob and no error."
        readers: "Readers cannot detect a violation, because the file does not record the alignment."
        source: "ExecuTorch's writers compute paddings and least common multiples, which are undefined for an \
            alignment of 0. Any positive alignment is valid. The rule `al-pow2` covers tensor alignments and inline \
            delegate alignments."
        cwe: ["CWE-369"]
    }
    AL_ZERO_FILL = "al-zero-fill", Should, Writer, Writer, Data, "alignment" {
        "A writer writes zero to every byte that it skips for alignment."
        rationale: "Unfilled padding can disclose the memory contents of the writer. Unfilled padding can also make \
            two exports of one model differ."
        readers: "No reader checks padding."
        source: "ExecuTorch's writers fill padding with zeros. The rules `eh-padding-zero`, `eh-gap-zero`, \
            `seg-padding-zero`, `fh-padding-zero` and `ft-seg-padding-zero` report non-zero padding in a file."
        refs: ["H-15"]
    }
    AL_RELATIVE = "al-relative", Should, Writer, Writer, Data, "alignment" {
        "A writer aligns a segment's `offset` to the alignment of the segment's blob; `offset` is relative to \
            `segment_base_offset`, not to byte 0."
        rationale: "A segment is aligned in the file only if `segment_base_offset` is also a multiple of the blob's \
            alignment. By default, `segment_base_offset` is a multiple of 128, so a mapped blob of alignment 256 can \
            be misaligned by 128 bytes."
        readers: "Readers cannot detect a violation, because the file records no alignment. A loader that copies a \
            segment chooses the alignment of the copy."
        source: "ExecuTorch's writers align a segment's offset to the least common multiple of the segment alignment \
            and the blob's alignment. ExecuTorch's writers align `segment_base_offset` only to the segment alignment. \
            The rule's strength is `should` because no document promises that a segment's position in the file is \
            aligned."
        refs: ["S-07"]
    }
    AL_NOT_RECORDED = "al-not-recorded", May, Text, Writer, Data, "alignment" {
        "A writer that rewrites a file gets each blob's alignment from a source other than the file, because current \
            files record no alignment."
        rationale: "A tool that reads and rewrites a file loses every blob alignment above the writer's default. A \
            backend can depend on the lost alignment."
        readers: "When ExecuTorch's Python readers read a file for editing, they set the alignment of each blob to 1."
        source: "No table of `schema/program.fbs` or the current `flat_tensor.fbs` has a field for the alignment, so \
            each writer decides how to preserve the alignment. Only legacy data files record an alignment, in \
            `tensor_alignment`."
    }
}
