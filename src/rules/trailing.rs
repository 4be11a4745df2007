//! Bytes behind the last segment (specification, section 1.20).

rules! {
    TR_PTE = "tr-pte", May, File, Meta, "1.20" {
        "A program with a header ends at `segment_base_offset + segment_data_size`; where that size is 0, at the end \
            of its last segment, or at `program_size` if it has no segment data."
        why: "Bytes behind the data belong to no one: page padding by a packer, or another file that was appended, \
            such as a ZIP archive, which its own tools find from the end."
        readers: "ExecuTorch's readers accept more at both levels: `Program::load` asks only that the file is not \
            shorter."
        source: "Writers stop there, but packers of assets pad files to whole pages, so it is a may. Without a \
            header the whole file is the FlatBuffer, and there is no end to compare with."
        refs: ["H-14", "H-15"]
    }
    TR_PTD = "tr-ptd", May, File, Header, "1.20" {
        "A data file ends at `segment_base_offset + segment_data_size`."
        why: "Bytes behind the data belong to no one: page padding by a packer, or another file that was appended."
        readers: "ExecuTorch 1.0 refused more with InvalidExternalData (0x24), since it wanted equal sizes, and \
            accepts it since 1.1.0. Its Python reader never compares."
        source: "Writers stop there. The change in 1.1.0 was made for files that are padded to whole pages, so it is \
            a may."
        refs: ["H-14", "pytorch/executorch#14188", "pytorch/executorch#15334"]
    }
}
