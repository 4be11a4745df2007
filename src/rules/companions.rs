//! Rules of a program together with its data files.

rules! {
    X_EXTERNAL_FOUND = "x-external-found", Must, File, Method, "companions" {
        "The `fully_qualified_name` of every external Tensor is a key of the data files that accompany the program."
        why: "Without the data, a reader cannot prepare the method. A reader that continues has a tensor without \
            memory."
        readers: "ExecuTorch does not prepare the method: it returns NotFound (0x20) for an absent key. Without any \
            data file, it returns InvalidState (0x02) for a constant and InvalidExternalData (0x24) for a mutable \
            tensor. The program's own named data cannot supply the tensor, because named data in a program has no \
            layout."
        source: "`Method::parse_external_constants` and `getTensorDataPtr`. The checker applies the rule only with \
            data files, as in `check model.pte --with weights.ptd`."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    X_EXTERNAL_LAYOUT = "x-external-layout", Must, File, Method, "companions" {
        "An external Tensor has the scalar type, `sizes` and `dim_order` of the `tensor_layout` under its name in the \
            data files."
        why: "The program's layout decides how many bytes kernels read, and the data file's layout decides how many \
            bytes exist. With another scalar type, the same bytes are other numbers."
        readers: "ExecuTorch compares the layouts when it prepares the method and returns InvalidExternalData (0x24). \
            Some readers compare the layouts only for some tensors."
        source: "`validateTensorLayout`. A key without a layout is an opaque blob and cannot be a tensor's data. The \
            checker applies the rule only with data files."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
        cwe: ["CWE-130", "CWE-125"]
    }
    X_EXTERNAL_MUTABLE = "x-external-mutable", Must, Reader, Method, "companions" {
        "A reader copies the bytes of an external Tensor that has `allocation_info` into its planned memory, and does \
            not change the data file's bytes."
        why: "The method writes to such a tensor. A write in place changes the weights of every other program that \
            uses the data file, or faults in a read-only mapping."
        readers: "ExecuTorch copies the bytes when it prepares the method, after it has compared the layouts (0x24)."
        source: "`getTensorDataPtr`."
    }
    X_EXTERNAL_SAME_FQN = "x-external-same-fqn", Must, File, Method, "companions" {
        "External Tensors of one program with the same `fully_qualified_name` have the same scalar type, `sizes` and \
            `dim_order`."
        why: "A name has one blob, so at most one of two different layouts is correct. If a reader compares the \
            smaller layout with the data file, kernels that use the larger layout read past the blob."
        readers: "Some readers do not check the rule."
        source: "Inferred from memory safety. Tensors that agree with one layout agree with each other, so the check \
            needs no data file."
        cwe: ["CWE-130", "CWE-125"]
    }
}
