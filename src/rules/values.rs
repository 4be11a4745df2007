//! Rules about the values of a method: the table `EValue` and its union (chapter `values` of the book).

rules! {
    VAL_NONNULL = "val-nonnull", Must, Loader, File, Method, "values" {
        "Every `EValue` has a type other than NONE."
        rationale: "Lists and instructions refer to values by index. If a reader leaves the slot of a NONE value \
            uninitialized, a later instruction uses the bytes in the slot as a value."
        readers: "For the type NONE, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at both \
            verification levels. FlatBuffers verifiers accept the type NONE."
        source: "ExecuTorch's `Method::get_num_external_constants` rejects a value without content, unless its type is \
            Null. A Null without content breaks `val-null-table`, and a value of any other type without content breaks \
            `fb-union-consistent`."
        refs: ["V-06", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    VAL_NULL_TABLE = "val-null-table", May, Writer, File, Method, "values" {
        "Every `EValue` of type Null has its table `Null`."
        rationale: "The table has no fields, so a reader loses nothing if it is absent. But some verifiers require \
            content for every type of a union, and some readers follow the absent offset without a check."
        readers: "ExecuTorch accepts a Null without a table at both verification levels, and so does the C++ FlatBuffers \
            verifier. The Rust FlatBuffers verifier rejects the file."
        source: "In FlatBuffers, the value of a union is optional. No official writer omits the table of a Null, but \
            readers disagree about the file."
        refs: ["V-06"]
        cwe: ["CWE-436"]
    }
    VAL_TYPE_KNOWN = "val-type-known", Must, Loader, File, Method, "values" {
        "The type of every `EValue` is at most 11 (OptionalTensorList)."
        rationale: "A verifier checks the content of a union only if it knows the union's type. A reader that uses the \
            content of an unknown type follows an unchecked offset."
        readers: "For an unknown type, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at both \
            verification levels. Before pytorch/executorch#1520, ExecuTorch aborted the process for an unknown type."
        source: "ExecuTorch's `Method::parse_values` accepts the members of the union `KernelTypes`, from 1 (Null) to \
            11 (OptionalTensorList)."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-843"]
    }
    VAL_LIST_ITEMS_NONNULL = "val-list-items-nonnull", Must, Loader, File, Method, "values" {
        "Every IntList, DoubleList, BoolList, TensorList and OptionalTensorList has `items`, which may be empty."
        rationale: "The length of `items` determines the allocation for the list. If `items` is absent, a reader \
            dereferences a null pointer to get the length."
        readers: "If `items` is absent, ExecuTorch returns InvalidProgram (0x23) when it prepares the method. For a \
            TensorList, at verification level InternalConsistency, ExecuTorch already returns InvalidProgram (0x23) \
            when it loads the program."
        source: "ExecuTorch's `Method::parse_values` and `validate_program` check for `items`. In \
            `schema/program.fbs`, `items` is optional."
        refs: ["V-06", "pytorch/executorch#14749", "pytorch/executorch#16162", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    VAL_STRING_NONNULL = "val-string-nonnull", Must, Loader, File, Method, "values" {
        "Every String has a `string_val`."
        rationale: "Kernels receive the characters as a pointer and a length. If `string_val` is absent, a reader \
            dereferences a null pointer to get the pointer and the length."
        readers: "If `string_val` is absent, ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at \
            both verification levels."
        source: "ExecuTorch's `Method::parse_values` checks for `string_val`. In `schema/program.fbs`, `string_val` is \
            optional. If the string is empty, `string_val` is present and has length 0."
        refs: ["V-06", "pytorch/executorch#14749", "pytorch/executorch#16162"]
        cwe: ["CWE-476"]
    }
    VAL_INTLIST_INDICES = "val-intlist-indices", Must, Loader, File, Method, "values" {
        "Every item of an IntList is at least 0, below the number of `values`, and the index of an Int."
        rationale: "The items of an IntList are indices of values, so that the list can contain integers that kernels \
            compute at run time. If an item is the index of a Tensor or a list, a kernel uses a pointer as a number."
        readers: "For an index out of range, ExecuTorch returns InvalidProgram (0x23) when it prepares the method. \
            For an item of another type, ExecuTorch's checked accessors return InvalidType (0x13) when a kernel reads \
            the list. Some readers do not use checked accessors."
        source: "ExecuTorch's `Method::parse_values` checks the range. ExecuTorch's emitter defines the meaning of the \
            items. This project infers that each item must be the index of an Int, because the purpose of an IntList \
            is to contain integers."
        refs: ["V-04", "V-05"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_TENSORLIST_INDICES = "val-tensorlist-indices", Must, Loader, File, Method, "values" {
        "Every item of a TensorList is at least 0, below the number of `values`, and the index of a Tensor."
        rationale: "For each item, a reader copies the tensor at the item's index in `values`. An index out of range \
            selects memory outside the array of values. If the value is not a Tensor, its bytes become a wrong data \
            pointer and wrong sizes."
        readers: "At verification level InternalConsistency, ExecuTorch checks the range and the type when it loads \
            the program, and returns InvalidProgram (0x23). At level Minimal, ExecuTorch checks the range and the type \
            when it prepares the method. For an index out of range, it returns InvalidProgram; for a value of another \
            type, it returns InvalidType (0x13)."
        source: "ExecuTorch's `validate_program` and `parseTensorList` check the items. A TensorList may not contain \
            the index -1; only an OptionalTensorList may contain it."
        refs: ["V-01", "V-02", "pytorch/executorch#17491"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_LIST_ORDER = "val-list-order", Must, Policy, File, Method, "values" {
        "Except for -1, every item of a TensorList or OptionalTensorList is below the list's own index in `values`."
        rationale: "A reader that parses the values in one pass copies a list's tensors when it reaches the list. A \
            tensor with a higher index than the list is not initialized yet."
        readers: "At verification level InternalConsistency, ExecuTorch returns InvalidProgram (0x23) for a \
            TensorList that contains its own index, because a list is not a Tensor. Some readers do not check the \
            order of a list and its tensors."
        source: "The rule follows from the order of `Method::parse_values`; no text states the rule. The emitter adds \
            the tensors before their list. The rule's strength is `must` because memory safety depends on the order. \
            An IntList copies no values, so its items may refer to later values."
        refs: ["V-07"]
        cwe: ["CWE-908", "CWE-843"]
    }
    VAL_OPTTENSORLIST_INDICES = "val-opttensorlist-indices", Must, Loader, File, Method, "values" {
        "Every item of an OptionalTensorList is -1 or the index of a Tensor or a Null."
        rationale: "The item -1 means an absent tensor. A negative number other than -1 selects memory in front of the \
            array of values. If an item is the index of a value of another type, a reader uses that value as a tensor."
        readers: "When ExecuTorch prepares the method, it returns InvalidProgram (0x23) for an item out of range, and \
            InvalidType (0x13) for an item of a wrong type. Verification level InternalConsistency does not check an \
            OptionalTensorList."
        source: "ExecuTorch's `parseListOptionalType` checks the items. For an absent tensor, writers may use -1 or \
            the index of a Null, and readers accept both."
        refs: ["V-03"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_BOOLLIST = "val-boollist", Should, Writer, File, Method, "values" {
        "Every item of a BoolList is 0 or 1."
        rationale: "In C++ and Rust, a `bool` whose byte is not 0 or 1 is undefined behavior. Compiled code can treat \
            a `bool` with another byte as both true and false."
        readers: "No reader checks the rule. ExecuTorch uses the bytes in place, as an array of `bool`."
        source: "FlatBuffers stores a `bool` as one byte, and writers write 0 or 1. No verifier checks the values of \
            the bytes."
    }
    VAL_DOUBLE = "val-double", Must, Text, Reader, Method, "values" {
        "A reader accepts every IEEE 754 binary64 in a Double or DoubleList, including infinities and NaN."
        rationale: "Valid models contain infinities, for example in attention masks and as bounds of clamps. A reader \
            that rejects infinities, or loses them in a conversion to JSON, breaks valid models."
        readers: "ExecuTorch copies the 8 bytes of a double unchanged. ExecuTorch's Python classes store infinities \
            and NaN as strings, because JSON has no numbers for them."
        source: "The type `double` in ExecuTorch's `schema/program.fbs` excludes no value, and `exir/schema.py` \
            supports infinities and NaN."
    }
    VAL_LIST_ALLOC = "val-list-alloc", Must, Loader, Reader, Method, "values" {
        "A reader checks the result of every allocation for a list before use, and rejects the method if the \
            allocation fails."
        rationale: "The lengths of lists come from the file, and a method on a device has a fixed block of memory. If \
            a reader does not check whether the allocation failed, it writes through a null pointer, at an index that \
            comes from the file."
        readers: "ExecuTorch returns MemoryAllocationFailed (0x21) if an allocation fails. Since 1.0.0, ExecuTorch \
            rejects a length whose byte count wraps (CVE-2025-54952). Some readers do not check every allocation."
        source: "An allocator without free memory returns null. The amount of memory depends on the host, so no file \
            breaks the rule."
        refs: ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "pytorch/executorch#12683"]
    }
}
