//! What writers do about alignment and padding (specification, section 1.19).

rules! {
    AL_POW2 = "al-pow2", Must, Writer, Data, "1.19" {
        "A writer refuses a tensor or inline delegate alignment that is not a power of two."
        why: "Padding is computed with masks in many builders, and `force_align` takes powers of two only: another \
            number gives offsets that are aligned to nothing."
        readers: "Readers cannot tell, since the number is not in the file; a misaligned blob shows as \
            `fb-force-align`."
        source: "ExecuTorch's writer raises ValueError, in `_patch_schema_alignment`, before it puts the number into \
            the schema's `force_align`. Segment and blob alignments need only be above 0."
    }
    AL_ZERO_FILL = "al-zero-fill", Should, Writer, Data, "1.19" {
        "A writer fills every byte that it skips for alignment with zero."
        why: "Bytes that were left as they were in the writer's memory go out with the file, and make two exports of \
            one model differ."
        readers: "No reader looks at padding."
        source: "All official writers do. In a file it shows at the places of `eh-padding-zero`, `eh-gap-zero`, \
            `seg-padding-zero`, `fh-padding-zero` and `ft-seg-padding-zero`, which report it."
        refs: ["H-15"]
    }
    AL_RELATIVE = "al-relative", Should, Writer, Data, "1.19" {
        "A writer puts a segment at a multiple of its blob's alignment counted from `segment_base_offset`, which is a \
            multiple counted from byte 0 only if the base is one too."
        why: "A backend that asked for 256 and maps the file gets it only if the base is a multiple of 256 too: with \
            the default base, at a multiple of 128, its blob can be off by half."
        readers: "Readers cannot tell, since no alignment is recorded. Loaders that copy a segment align the copy as \
            they like."
        source: "ExecuTorch's writers align offsets to the least common multiple of the segment's and the blob's \
            alignment, and the base to the segment's alone. It is a should, as no text promises alignment in the file."
        refs: ["S-07"]
    }
    AL_NOT_RECORDED = "al-not-recorded", May, Writer, Data, "1.19" {
        "A writer that keeps a file it has read takes a blob's alignment from elsewhere, as current files record none."
        why: "A file that is read and written again loses every alignment above the writer's default, and with it what \
            a backend asked for."
        readers: "ExecuTorch's Python readers set each blob's alignment back to 1 when they read a file to be edited."
        source: "No table of the current schemas has a field for it, so how to keep it is left to the writer. The \
            older data file's `tensor_alignment` was the one exception."
    }
}
