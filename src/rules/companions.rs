//! A program together with its data files: chapter `companions` of the book.

rules! {
    X_EXTERNAL_FOUND = "x-external-found", Must, File, Method, "companions" {
        "The `fully_qualified_name` of every external Tensor is a key in one of the data files that accompany the \
            program."
        rationale: "Without the data of an external tensor, a reader cannot prepare the method. If the reader \
            continues, the tensor has no memory."
        readers: "For an absent key, ExecuTorch returns NotFound (0x20) when it prepares the method. Without any data \
            file, ExecuTorch returns InvalidState (0x02) for a constant and InvalidExternalData (0x24) for a mutable \
            tensor. The program's own named data cannot supply the tensor, because named data in a program has no \
            layout."
        source: "`Method::parse_external_constants` and `getTensorDataPtr` look up the name. The checker applies the \
            rule only with data files, as in `check model.pte --with weights.ptd`."
        refs: ["T-15"]
        cwe: ["CWE-476"]
    }
    X_EXTERNAL_LAYOUT = "x-external-layout", Must, File, Method, "companions" {
        "An external Tensor has the same scalar type, `sizes` and `dim_order` as the `tensor_layout` of its key in the \
            data files."
        rationale: "Kernels read as many bytes as the program's layout requires, but the data file has only the \
            bytes of its own layout. If the scalar types differ, kernels interpret the bytes as wrong numbers."
        readers: "ExecuTorch compares the layouts when it prepares the method, and returns InvalidExternalData (0x24) \
            if they differ. Some readers compare the layouts of some tensors only."
        source: "`validateTensorLayout` compares the layouts. A key without a layout names an opaque blob, which \
            cannot be the data of a tensor. The checker applies the rule only with data files."
        refs: ["pytorch/executorch#17131", "pytorch/executorch#19878"]
        cwe: ["CWE-130", "CWE-125"]
    }
    X_EXTERNAL_MUTABLE = "x-external-mutable", Must, Reader, Method, "companions" {
        "A reader copies the bytes of an external Tensor that has `allocation_info` into planned memory, and never \
            changes the data file's bytes."
        rationale: "The method writes to a tensor that has `allocation_info`. A write to the data file's bytes \
            changes the weights of every other program that uses the file, or faults in a read-only mapping."
        readers: "When ExecuTorch prepares the method, it compares the layouts, returns InvalidExternalData (0x24) if \
            they differ, and otherwise copies the bytes."
        source: "ExecuTorch's `getTensorDataPtr` copies the bytes."
    }
    X_EXTERNAL_SAME_FQN = "x-external-same-fqn", Must, File, Method, "companions" {
        "External Tensors of one program with the same `fully_qualified_name` have the same scalar type, `sizes` and \
            `dim_order`."
        rationale: "Each name has one blob, so at most one of two different layouts is correct. If a reader \
            compares only the smaller layout with the data file, kernels that use the larger layout read past the \
            blob."
        readers: "Some readers do not check the rule."
        source: "This project infers the rule from memory safety. The check needs no data file, because tensors that \
            match one layout also match each other."
        cwe: ["CWE-130", "CWE-125"]
    }
}
