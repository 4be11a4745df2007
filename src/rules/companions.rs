//! Rules about a program together with its data files (chapter `companions` of the book).

rules! {
    X_EXTERNAL_FOUND = "x-external-found", Must, Loader, File, Method, "companions" {
        "The `fully_qualified_name` of every external Tensor is a key in one of the data files that accompany the \
            program."
        rationale: "Without the data of an external tensor, a reader cannot prepare the method. A reader that ignores \
            the missing data runs the method with a tensor that has no memory."
        readers: "For an absent key, ExecuTorch returns NotFound (0x20) when it prepares the method. Without any data \
            file, ExecuTorch returns InvalidState (0x02) for a constant and InvalidExternalData (0x24) for a mutable \
            tensor. The program's own named data cannot supply the tensor, because named data in a program has no \
            tensor layout."
        source: "`Method::parse_external_constants` and `getTensorDataPtr` look up the name of the tensor. The checker \
            applies the rule only if the caller passes data files, as in `check model.pte --with weights.ptd`."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    X_EXTERNAL_LAYOUT = "x-external-layout", Must, Loader, File, Method, "companions" {
        "An external Tensor has the same scalar type, `sizes` and `dim_order` as the `tensor_layout` of its key in the \
            data files."
        rationale: "Kernels read as many bytes as the program's layout requires, but the data file contains only as \
            many bytes as its own layout requires. If the scalar types in the program and the data file differ, \
            kernels compute with wrong numbers."
        readers: "When ExecuTorch prepares the method, it compares the two layouts, and returns InvalidExternalData \
            (0x24) if the layouts differ. Some readers compare the layouts of only some tensors."
        source: "`validateTensorLayout` compares the layouts. A key without a layout identifies an opaque blob, which \
            cannot be the data of a tensor. The checker applies the rule only if the caller passes data files."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
        cwe: ["CWE-130", "CWE-125"]
    }
    X_EXTERNAL_MUTABLE = "x-external-mutable", Must, Loader, Reader, Method, "companions" {
        "A reader copies an external Tensor with `allocation_info` into planned memory, and never changes the data \
            file's bytes."
        rationale: "The method writes to a tensor that has `allocation_info`. In a writable mapping, a write to the \
            data file's bytes changes the weights of every other program that uses the file. In a read-only mapping, a \
            write causes a fault."
        readers: "When ExecuTorch prepares the method, it first compares the layouts in the program and the data file, \
            and returns InvalidExternalData (0x24) if they differ. If the layouts are equal, ExecuTorch copies the \
            bytes."
        source: "ExecuTorch's `getTensorDataPtr` copies the bytes."
    }
    X_EXTERNAL_SAME_FQN = "x-external-same-fqn", Must, Policy, File, Method, "companions" {
        "In one program, external Tensors with the same `fully_qualified_name` have the same scalar type, `sizes` and \
            `dim_order`."
        rationale: "Each name has one blob, so two different layouts for one name cannot both be correct. If a reader \
            compares only the smaller layout with the data file, kernels that use the larger layout read past the end \
            of the blob."
        readers: "Some readers do not compare the layouts of tensors with the same name."
        source: "No document states the rule; memory safety requires it. Two tensors that match the same layout in a \
            data file also match each other. The checker therefore compares only the tensors of the program and needs \
            no data file."
        cwe: ["CWE-130", "CWE-125"]
    }
    X_XNN_KEY_FOUND = "x-xnn-key-found", Must, Loader, File, Method, "companions" {
        "Every `named_key` of an XNNPACK constant is a key in the program's own named data or in a data file of the \
            program."
        rationale: "Without the bytes of a constant, the backend cannot prepare the delegate. A backend that ignores \
            the missing bytes computes with a null pointer."
        readers: "For an absent key, the XNNPACK backend returns NotFound (0x20) when ExecuTorch prepares the method. \
            For an absent key, XNNPACK backends of earlier releases report no error and use a null pointer. The \
            backend looks up only the constants that a value of the graph uses."
        source: "`getConstantDataPtr` in ExecuTorch's `backends/xnnpack/runtime/XNNCompiler.cpp` looks up the key in \
            the merged named data. Constant 0 of an XNNPACK graph is a placeholder. The checker applies the rule only \
            if the caller passes data files. The checker applies the rule only to blobs with the header `XH00`, and \
            only to keys of at most 1024 bytes. The checker does not check whether a value uses the constant, because \
            official writers store a key only for a constant that a value uses."
        cwe: ["CWE-476"]
    }
}
