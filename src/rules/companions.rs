//! Rules about a program together with its data files (chapter `companions` of the book).

rules! {
    X_EXTERNAL_FOUND = "x-external-found", Must, Loader, File, Method, "companions" {
        "The `fully_qualified_name` of every external Tensor MUST be a key in one of the data files that accompany the \
            program."
        rationale: "If the data is missing, the method runs with a tensor that has no memory, or not at all. \
            ExecuTorch returns NotFound (0x20) when it prepares the method; if there is no data file, it returns \
            InvalidState (0x02) for a constant and InvalidExternalData (0x24) for a mutable tensor. The program's own \
            named data cannot help, because it has no layouts."
        source: "`Method::parse_external_constants` and `getTensorDataPtr` look up the name. To find a violation, \
            `check` needs the data files, as in `check model.pte --with weights.ptd`."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    X_EXTERNAL_LAYOUT = "x-external-layout", Must, Loader, File, Method, "companions" {
        "An external Tensor MUST have the same scalar type, `sizes` and `dim_order` as the `tensor_layout` of its key \
            in the data files."
        rationale: "Kernels read as many bytes as the program's layout needs, but the data file contains only as many \
            as its own layout needs. If the scalar types differ, kernels misinterpret the bytes. ExecuTorch \
            returns InvalidExternalData (0x24) when it prepares the method."
        source: "`validateTensorLayout` compares the layouts. A key without a layout is a blob, which cannot be used \
            as a tensor. To find a violation, `check` needs the data files."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
        cwe: ["CWE-130", "CWE-125"]
    }
    X_EXTERNAL_MUTABLE = "x-external-mutable", Must, Loader, Reader, Method, "companions" {
        "A reader MUST copy an external Tensor with `allocation_info` into planned memory, and never change the data \
            file's bytes."
        rationale: "The method writes to this tensor. If the file is mapped as writable, that changes the weights of \
            every other program that uses the file; if it is mapped as read-only, the write faults. ExecuTorch compares the \
            layouts (InvalidExternalData, 0x24) and copies the bytes when it prepares the method."
        source: "ExecuTorch's `getTensorDataPtr` copies the bytes."
    }
    X_EXTERNAL_SAME_FQN = "x-external-same-fqn", Must, Policy, File, Method, "companions" {
        "In one program, external Tensors with the same `fully_qualified_name` MUST have the same scalar type, `sizes` \
            and `dim_order`."
        rationale: "A name has only one blob, so two different layouts cannot both be right. If only the smaller \
            layout is compared with the data file, kernels that use the larger one read past the blob."
        source: "Memory safety requires this. Tensors that match the data file also match each other, so `check` \
            compares only the tensors, without a data file."
        cwe: ["CWE-130", "CWE-125"]
    }
    X_XNN_KEY_FOUND = "x-xnn-key-found", Must, Loader, File, Method, "companions" {
        "The `named_key` of every XNNPACK constant MUST be a key in the program's own named data or in one of its data \
            files."
        rationale: "If the bytes are missing, the backend cannot prepare the delegate, or computes with a null \
            pointer. Since 1.3.0, ExecuTorch's XNNPACK backend returns NotFound (0x20) when the method is prepared, \
            but only for constants that a value in the graph uses."
        source: "`getConstantDataPtr` in ExecuTorch's `backends/xnnpack/runtime/XNNCompiler.cpp` looks up the key. \
            `check` needs the data files, and covers only blobs with an `XH00` header and keys of at most 1024 bytes. \
            Constant 0 is a placeholder."
        cwe: ["CWE-476"]
    }
}
