//! What writers do about alignment and padding (specification, section 1.19).

use super::rules;

rules! {
    AL_POW2 = "al-pow2", Must, Writer, Data, "1.19" {
        "A writer refuses a tensor or inline delegate alignment that is not a power of two."
        source: "ExecuTorch's writer raises an error, because it puts the number into the schema's `force_align`. \
            Segment and blob alignments need only be above 0."
        refs: []
    }
    AL_ZERO_FILL = "al-zero-fill", Should, Writer, Data, "1.19" {
        "A writer fills every byte that it skips for alignment with zero."
        source: "All official writers do. In a file it shows at the places of `eh-padding-zero`, `eh-gap-zero`, \
            `seg-padding-zero`, `fh-padding-zero` and `ft-seg-padding-zero`, which report it."
        refs: ["H-15"]
    }
    AL_RELATIVE = "al-relative", Should, Writer, Data, "1.19" {
        "A writer puts a segment at a multiple of its blob's alignment counted from `segment_base_offset`, which is \
            a multiple counted from byte 0 only if the base is one too."
        source: "ExecuTorch's writers align offsets to the least common multiple of the segment's and the blob's \
            alignment, and the base to the segment's alone."
        refs: ["S-07"]
    }
    AL_NOT_RECORDED = "al-not-recorded", Either, Writer, Data, "1.19" {
        "A writer that keeps a file it has read takes a blob's alignment from elsewhere, as current files record \
            none."
        source: "No table of the current schemas has a field for it, and ExecuTorch's Python readers set it back to \
            1. The older data file's `tensor_alignment` was the one exception."
        refs: []
    }
}
