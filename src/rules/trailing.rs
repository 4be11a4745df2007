//! Rules about the bytes after the last segment (chapter `trailing` of the book).

rules! {
    TR_PTE = "tr-pte", May, Writer, File, Meta, "trailing" {
        "A reader MAY reject a program with a header if the file continues after the segment data or, if there is \
            none, after `program_size`."
        rationale: "Trailing bytes may pad the file to whole pages, or be an appended file, such as a ZIP archive, \
            which tools locate from the end. ExecuTorch's readers accept them at both verification levels; \
            `Program::load` only requires that nothing is missing."
        source: "Writers write no trailing bytes, but asset packers pad files. If the header has no size, the segment \
            data ends with the last segment; if there is no header, the FlatBuffer fills the file."
        refs: ["H-14", "H-15"]
    }
    TR_PTD = "tr-ptd", May, Loader, File, Header, "trailing" {
        "A reader MAY reject a data file with bytes after `segment_base_offset + segment_data_size`."
        rationale: "Trailing bytes may pad the file to whole pages, or be an appended file. ExecuTorch 1.0 rejects \
            trailing bytes with InvalidExternalData (0x24); 1.1.0 and later accept them, as does its Python reader."
        source: "Writers write no trailing bytes, but packers pad files to whole pages, so 1.1.0 and later accept them."
        refs: ["H-14", "pytorch/executorch#14188", "pytorch/executorch#15334"]
    }
}
