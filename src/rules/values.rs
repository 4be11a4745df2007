//! Values of a method, `EValue` and its union: chapter `values` of the book.

rules! {
    VAL_NONNULL = "val-nonnull", Must, File, Method, "values" {
        "Every `EValue` has a type other than NONE."
        why: "A value without type and content is a gap in the array that lists and instructions index. A reader that \
            leaves the slot uninitialized later uses the bytes there as a value."
        readers: "ExecuTorch rejects a violation at both levels when it prepares the method (0x23). The FlatBuffers \
            verifiers accept a violation."
        source: "`Method::get_num_external_constants`. A Null may omit its table, because `Null` has no fields. Any \
            other type without content breaks `fb-union-consistent`."
        refs: ["V-06", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    VAL_TYPE_KNOWN = "val-type-known", Must, File, Method, "values" {
        "The type of an `EValue` is at most 11 (OptionalTensorList)."
        why: "A verifier follows the content of a union only for types that it knows. A reader that follows an unknown \
            type uses an offset that nothing has checked."
        readers: "ExecuTorch rejects a violation at both levels when it prepares the method (0x23). Before #1520, \
            ExecuTorch aborted the process."
        source: "`Method::parse_values`, which knows the members of the union `KernelTypes`, 1 (Null) to 11."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-843"]
    }
    VAL_LIST_ITEMS_NONNULL = "val-list-items-nonnull", Must, File, Method, "values" {
        "Every IntList, DoubleList, BoolList, TensorList and OptionalTensorList has `items`, which may be empty."
        why: "The length of the vector sizes the allocation for the list. If the vector is absent, the reader \
            dereferences a null pointer to get the length."
        readers: "ExecuTorch rejects a violation when it prepares the method (0x23). For a TensorList at \
            InternalConsistency, ExecuTorch rejects a violation when it loads the program (0x23)."
        source: "`Method::parse_values` and `validate_program`. The schema makes `items` optional."
        refs: ["V-06", "pytorch/executorch#14749", "pytorch/executorch#16162", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    VAL_STRING_NONNULL = "val-string-nonnull", Must, File, Method, "values" {
        "Every String has a `string_val`."
        why: "Kernels receive the characters as a pointer and a length. If the field is absent, the reader \
            dereferences a null pointer to get both."
        readers: "ExecuTorch rejects a violation at both levels when it prepares the method (0x23)."
        source: "`Method::parse_values`. The schema makes the field optional; an empty string still has the field."
        refs: ["V-06", "pytorch/executorch#14749", "pytorch/executorch#16162"]
        cwe: ["CWE-476"]
    }
    VAL_INTLIST_INDICES = "val-intlist-indices", Must, File, Method, "values" {
        "Every item of an IntList is the index of an Int: at least 0, below the number of `values`, and of that type."
        why: "The items are indices of values, so that a list can contain an integer that is computed at run time. If \
            an item is the index of a Tensor or a list, a kernel uses a pointer as a number."
        readers: "ExecuTorch compares the range when it prepares the method (0x23). Its checked accessors compare the \
            type when a kernel reads the list (0x13). Some readers do not use checked accessors."
        source: "`Method::parse_values` for the range, and the emitter for the meaning. This project infers the type: \
            the list exists to contain integers."
        refs: ["V-04", "V-05"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_TENSORLIST_INDICES = "val-tensorlist-indices", Must, File, Method, "values" {
        "Every item of a TensorList is the index of a Tensor: at least 0, below the number of `values`, and of that \
            type."
        why: "The reader copies a tensor from the value that the item names. An index out of range reads memory \
            outside the array; a value of another type becomes a data pointer and sizes."
        readers: "At InternalConsistency, ExecuTorch compares range and type when it loads the program (0x23). At \
            Minimal, it compares range and type when it prepares the method (0x23 for the range, 0x13 for the type)."
        source: "`validate_program` and `parseTensorList`. The index -1 is invalid here; only an OptionalTensorList \
            may use it."
        refs: ["V-01", "V-02", "pytorch/executorch#17491"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_LIST_ORDER = "val-list-order", Must, File, Method, "values" {
        "Every item of a TensorList or OptionalTensorList other than -1 is below the list's own index in `values`."
        why: "A reader that parses the values once copies a list's tensors when it reaches the list. A tensor with a \
            higher index is not initialized yet."
        readers: "At InternalConsistency, ExecuTorch rejects a TensorList that names itself when it loads the program \
            (0x23), because a list is not a Tensor. Some readers do not check the order."
        source: "Inferred from the order of `Method::parse_values`; no text of the format states the rule. The emitter \
            adds the tensors before their list. The rule is a must because memory safety depends on it. An IntList \
            copies nothing, so it may refer to later values."
        refs: ["V-07"]
        cwe: ["CWE-908", "CWE-843"]
    }
    VAL_OPTTENSORLIST_INDICES = "val-opttensorlist-indices", Must, File, Method, "values" {
        "Every item of an OptionalTensorList is -1 or the index of a Tensor or a Null."
        why: "The item -1 means a missing tensor. Any other negative number reads memory before the array of values, \
            and a value of another type is used as a tensor."
        readers: "ExecuTorch compares the range (0x23) and the type (0x13) when it prepares the method. \
            InternalConsistency does not check these lists."
        source: "`parseListOptionalType`. For a missing tensor, writers may use -1 or the index of a Null, and readers \
            accept both."
        refs: ["V-03"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_BOOLLIST = "val-boollist", Should, File, Method, "values" {
        "Every item of a BoolList is 0 or 1."
        why: "In C++ and Rust, a `bool` with any other byte is undefined behaviour. Compiled code can treat such a \
            value as true and false at once."
        readers: "No reader checks the rule. ExecuTorch uses the bytes in place, as an array of `bool`."
        source: "FlatBuffers store a `bool` as one byte, and writers write 0 or 1. No verifier checks the value."
    }
    VAL_DOUBLE = "val-double", Must, Reader, Method, "values" {
        "A reader accepts every IEEE 754 binary64 in a Double or DoubleList, including infinities and NaN."
        why: "Attention masks and clamps contain infinities. A reader that rejects infinities, or loses them in a \
            conversion to JSON, breaks valid models."
        readers: "ExecuTorch copies the 8 bytes. Its Python classes store infinities and NaN as strings, because JSON \
            cannot represent them as numbers."
        source: "The schema's `double` excludes no value, and `exir/schema.py` supports these values."
    }
    VAL_LIST_ALLOC = "val-list-alloc", Must, Reader, Method, "values" {
        "A reader checks the result of every allocation for a list before use, and rejects the method if the \
            allocation fails."
        why: "The lengths come from the file, and a device gives a method a fixed block of memory. After an unchecked \
            failure, the reader writes through a null pointer, at an index that the file chooses."
        readers: "ExecuTorch returns 0x21 if an allocation fails. Since 1.0.0 it rejects a length whose byte count \
            wraps (CVE-2025-54952). Some readers check only some results."
        source: "This project infers the rule: an allocator without memory returns null. The amount of memory depends \
            on the host, so no file breaks the rule."
        refs: ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "pytorch/executorch#12683"]
    }
}
