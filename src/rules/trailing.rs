//! Bytes after the last segment: chapter `trailing` of the book.

rules! {
    TR_PTE = "tr-pte", May, File, Meta, "trailing" {
        "A program with a header ends at `segment_base_offset + segment_data_size`; if that size is 0, at its last \
            segment's end, or at `program_size` without segment data."
        why: "Trailing bytes belong to no part of the file. They are page padding by a packer, or another appended \
            file, such as a ZIP archive, which its own tools find from the end."
        readers: "ExecuTorch's readers accept trailing bytes at both levels: `Program::load` only requires that the \
            file is not shorter."
        source: "Writers stop there, but packers of assets pad files to whole pages, so the rule is a may. Without a \
            header the whole file is the FlatBuffer, and there is no end to compare with."
        refs: ["H-14", "H-15"]
    }
    TR_PTD = "tr-ptd", May, File, Header, "trailing" {
        "A data file ends at `segment_base_offset + segment_data_size`."
        why: "Trailing bytes belong to no part of the file. They are page padding by a packer, or another appended \
            file."
        readers: "ExecuTorch 1.0 rejected trailing bytes with InvalidExternalData (0x24), because it required equal \
            sizes, and accepts them since 1.1.0. Its Python reader never compares the sizes."
        source: "Writers stop there. The change in 1.1.0 was made for files that are padded to whole pages, so the \
            rule is a may."
        refs: ["H-14", "pytorch/executorch#14188", "pytorch/executorch#15334"]
    }
}
