//! A program and the data files that are loaded with it (specification, section 1.17).

rules! {
    X_EXTERNAL_FOUND = "x-external-found", Must, File, Method, "companions" {
        "The `fully_qualified_name` of every external Tensor is a key of the data files that are given with the \
            program."
        why: "Without its data the method cannot be prepared, and a reader that goes on has a tensor with no memory \
            behind it."
        readers: "ExecuTorch refuses to prepare the method (0x20; with no data file at all, 0x02 for a constant and \
            0x24 for a mutable tensor). Named data of the program itself do not count, since they have no layout."
        source: "`Method::parse_external_constants` and `getTensorDataPtr`. Asked only where data files are given, as \
            in `check model.pte --with weights.ptd`."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    X_EXTERNAL_LAYOUT = "x-external-layout", Must, File, Method, "companions" {
        "An external Tensor has the scalar type, `sizes` and `dim_order` of the `tensor_layout` under its name in the \
            data files."
        why: "The program's shape decides how far kernels read and the data file's how much there is; under another \
            type, the same bytes are other numbers."
        readers: "ExecuTorch compares them when it prepares the method (0x24). Not every reader compares them for \
            every tensor."
        source: "`validateTensorLayout`. A key without a layout is an opaque blob and no tensor's data. Asked only \
            where data files are given."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
        cwe: ["CWE-130", "CWE-125"]
    }
    X_EXTERNAL_MUTABLE = "x-external-mutable", Must, Reader, Method, "companions" {
        "A reader copies the bytes of an external Tensor that has `allocation_info` into its planned memory, and \
            leaves the data file's own as they are."
        why: "The method writes to such a tensor. Done in place, that changes the weights of every other program that \
            uses the data file, or faults where the file is mapped read-only."
        readers: "ExecuTorch copies them when it prepares the method, after it has compared the layouts (0x24)."
        source: "`getTensorDataPtr`."
    }
    X_EXTERNAL_SAME_FQN = "x-external-same-fqn", Must, File, Method, "companions" {
        "External Tensors of one program with the same `fully_qualified_name` have the same scalar type, `sizes` and \
            `dim_order`."
        why: "One name is one blob, so only one of the layouts can be right. Where the larger is not the one that was \
            compared with the data file, kernels read past the blob."
        readers: "Not every reader looks."
        source: "Derived: memory safety rests on it. Tensors agree with one layout only if they agree with each other, \
            so it shows without the data file."
        cwe: ["CWE-130", "CWE-125"]
    }
}
