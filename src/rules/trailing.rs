//! Bytes behind the last segment (specification, section 1.20).

use super::rules;

rules! {
    TR_PTE = "tr-pte", Either, File, Meta, "1.20" {
        "A program with a header ends at `segment_base_offset + segment_data_size`; where that size is 0, at the end \
            of its last segment, or at `program_size` if it has no segment data."
        source: "Writers stop there, but packers of assets pad files to whole pages and ExecuTorch's readers accept \
            more. Without a header the whole file is the FlatBuffer, and there is no end to compare with."
        refs: ["H-14"]
    }
    TR_PTD = "tr-ptd", Either, File, Header, "1.20" {
        "A data file ends at `segment_base_offset + segment_data_size`."
        source: "Writers stop there. ExecuTorch 1.0 refused more, and accepts it since 1.1.0 for files that are \
            padded to whole pages."
        refs: ["H-14"]
    }
}
