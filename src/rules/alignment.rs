//! Alignment and padding in writers: chapter `alignment` of the book.

rules! {
    AL_POW2 = "al-pow2", Must, Writer, Data, "alignment" {
        "A writer rejects a tensor or inline delegate alignment that is not a power of two."
        why: "Many builders compute padding with masks, and `force_align` accepts powers of two only. With another \
            number, offsets have no useful alignment."
        readers: "Readers cannot detect it, because the file does not record the number; a misaligned blob breaks \
            `fb-force-align`."
        source: "ExecuTorch's writer raises ValueError in `_patch_schema_alignment`, before it puts the number into \
            the schema's `force_align`. Segment and blob alignments need only be above 0."
    }
    AL_ZERO_FILL = "al-zero-fill", Should, Writer, Data, "alignment" {
        "A writer fills every byte that it skips for alignment with zero."
        why: "Bytes that a writer does not fill contain remains of its memory. Such bytes also make two exports of one \
            model differ."
        readers: "No reader checks padding."
        source: "All official writers fill padding with zeros. In a file, `eh-padding-zero`, `eh-gap-zero`, \
            `seg-padding-zero`, `fh-padding-zero` and `ft-seg-padding-zero` report violations."
        refs: ["H-15"]
    }
    AL_RELATIVE = "al-relative", Should, Writer, Data, "alignment" {
        "A writer places a segment at a multiple of its blob's alignment counted from `segment_base_offset`, not from \
            byte 0."
        why: "The position in the file is such a multiple only if the base is also a multiple of that alignment. With \
            the default base, a multiple of 128, a mapped blob of alignment 256 can be off by 128 bytes."
        readers: "Readers cannot detect it, because the file records no alignment. Loaders that copy a segment choose \
            the alignment of the copy."
        source: "ExecuTorch's writers align offsets to the least common multiple of the segment's and the blob's \
            alignment, and the base to the segment alignment alone. The rule is a should because no text promises \
            alignment in the file."
        refs: ["S-07"]
    }
    AL_NOT_RECORDED = "al-not-recorded", May, Writer, Data, "alignment" {
        "A writer that rewrites a file gets a blob's alignment from another source, because current files record no \
            alignment."
        why: "A file that is read and written again loses every alignment above the writer's default, and with it the \
            alignment that a backend needs."
        readers: "ExecuTorch's Python readers set each blob's alignment to 1 when they read a file for editing."
        source: "No table of the current schemas has a field for the alignment, so each writer decides how to keep the \
            alignment. The legacy data file's `tensor_alignment` is the only exception."
    }
}
