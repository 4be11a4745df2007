//! Rules of the bytes after the last segment: chapter `trailing` of the book.

rules! {
    TR_PTE = "tr-pte", May, File, Meta, "trailing" {
        "A program with a header ends at the end of its segment data or, without segment data, at `program_size`."
        why: "Trailing bytes belong to no part of the file. A packer may add them as padding to whole pages. They may \
            also be another file, such as a ZIP archive, which tools find from its end."
        readers: "ExecuTorch's readers accept trailing bytes at both verification levels. `Program::load` requires \
            only that the file is not too short."
        source: "Writers write no trailing bytes, but asset packers pad files to whole pages, so the rule is a MAY. \
            The data ends at `segment_base_offset + segment_data_size` or, if the size is 0, at the end of the last \
            segment. Without a header, the FlatBuffer fills the whole file, and the rule does not apply."
        refs: ["H-14", "H-15"]
    }
    TR_PTD = "tr-ptd", May, File, Header, "trailing" {
        "A data file ends at `segment_base_offset + segment_data_size`."
        why: "Trailing bytes belong to no part of the file. A packer may add them as padding to whole pages. They may \
            also be an appended file."
        readers: "ExecuTorch 1.0 requires equal sizes and rejects trailing bytes with InvalidExternalData (0x24). \
            Releases since 1.1.0 accept trailing bytes. The Python reader never compares the sizes."
        source: "Writers write no trailing bytes. Release 1.1.0 accepts them because packers pad files to whole pages, \
            so the rule is a MAY."
        refs: ["H-14", "pytorch/executorch#14188", "pytorch/executorch#15334"]
    }
}
