//! Rules about the bytes after the last segment (chapter `trailing` of the book).

rules! {
    TR_PTE = "tr-pte", May, Writer, File, Meta, "trailing" {
        "A program with a header ends at the end of its segment data or, without segment data, at `program_size`."
        rationale: "Trailing bytes belong to no part of the program. Trailing bytes may pad the file to whole pages, \
            or may be an appended file, such as a ZIP archive. ZIP tools search for an archive from the end of a file."
        readers: "ExecuTorch's readers accept trailing bytes at both verification levels. `Program::load` requires \
            only that the file is not truncated."
        source: "Writers write no trailing bytes, but asset packers pad files to whole pages, so the rule's strength \
            is `may`. The segment data ends at `segment_base_offset + segment_data_size` or, if the size is 0, at the \
            end of the last segment. Without a header, the FlatBuffer fills the whole file, and the rule does not \
            apply."
        refs: ["H-14", "H-15"]
    }
    TR_PTD = "tr-ptd", May, Loader, File, Header, "trailing" {
        "A data file ends at `segment_base_offset + segment_data_size`."
        rationale: "Trailing bytes belong to no part of the data file. Trailing bytes may pad the file to whole pages, \
            or may be an appended file."
        readers: "ExecuTorch 1.0 rejects trailing bytes with InvalidExternalData (0x24). ExecuTorch 1.1.0 and later \
            accept trailing bytes. ExecuTorch's Python reader does not check for trailing bytes."
        source: "Writers write no trailing bytes. Since 1.1.0, ExecuTorch accepts trailing bytes because packers pad \
            files to whole pages, so the rule's strength is `may`."
        refs: ["H-14", "pytorch/executorch#14188", "pytorch/executorch#15334"]
    }
}
