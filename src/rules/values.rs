//! Rules about a method's values: the `EValue` table and its union (chapter `values` of the book).

rules! {
    VAL_NONNULL = "val-nonnull", Must, Loader, File, Method, "values" {
        "Every `EValue` MUST have a type other than NONE."
        rationale: "Lists and instructions refer to values by index. If a NONE value's slot stays uninitialized, a \
            later instruction uses whatever the slot holds. ExecuTorch returns InvalidProgram (0x23) when it prepares \
            the method, at both verification levels; verifiers accept NONE."
        source: "ExecuTorch's `Method::get_num_external_constants` rejects a value without content, unless its type is \
            Null. An absent Null breaks `val-null-table`; other absent content breaks `fb-union-consistent`."
        refs: ["V-06", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    VAL_NULL_TABLE = "val-null-table", May, Writer, File, Method, "values" {
        "A reader MAY reject an `EValue` of type Null without its `Null` table."
        rationale: "The table has no fields, so nothing is lost if it is absent, and both ExecuTorch (at both \
            verification levels) and the C++ FlatBuffers verifier accept that. The Rust verifier rejects the file, and \
            a reader that follows the absent offset crashes."
        source: "The FlatBuffers format makes a union's value optional, but no official writer omits this table."
        refs: ["V-06"]
        cwe: ["CWE-436"]
    }
    VAL_TYPE_KNOWN = "val-type-known", Must, Loader, File, Method, "values" {
        "The type of every `EValue` MUST be at most 11 (OptionalTensorList)."
        rationale: "A verifier checks a union's content only if it knows the type, so a reader that uses a value of \
            type 12 follows an unchecked offset. ExecuTorch returns InvalidProgram (0x23) when it prepares the method, \
            at both verification levels; before pytorch/executorch#1520, it aborted the process."
        source: "ExecuTorch's `Method::parse_values` accepts the members of the `KernelTypes` union: 1 (Null) to 11 \
            (OptionalTensorList)."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-843"]
    }
    VAL_LIST_ITEMS_NONNULL = "val-list-items-nonnull", Must, Loader, File, Method, "values" {
        "Every IntList, DoubleList, BoolList, TensorList and OptionalTensorList MUST have `items`, which may be empty."
        rationale: "A reader takes the number of items to allocate from the vector, so if `items` is absent, it \
            dereferences null. ExecuTorch returns InvalidProgram (0x23) when it prepares the method or, for a \
            TensorList with InternalConsistency verification, when it loads the program."
        source: "ExecuTorch's `Method::parse_values` and `validate_program` check for `items`, which \
            `schema/program.fbs` makes optional."
        refs: ["V-06", "pytorch/executorch#14749", "pytorch/executorch#16162", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    VAL_STRING_NONNULL = "val-string-nonnull", Must, Loader, File, Method, "values" {
        "Every String MUST have a `string_val`."
        rationale: "Kernels get a pointer and a length, and taking them from an absent string dereferences null. \
            ExecuTorch returns InvalidProgram (0x23) when it prepares the method, at both verification levels. An \
            empty string does not break the rule, because it is present and has length 0."
        source: "ExecuTorch's `Method::parse_values` checks for `string_val`, which `schema/program.fbs` makes \
            optional."
        refs: ["V-06", "pytorch/executorch#14749", "pytorch/executorch#16162"]
        cwe: ["CWE-476"]
    }
    VAL_INTLIST_INDICES = "val-intlist-indices", Must, Loader, File, Method, "values" {
        "Every item of an IntList MUST be at least 0, below the number of `values`, and the index of an Int."
        rationale: "Items are indices so that integers can be computed at run time; if one selects a Tensor, a kernel \
            uses its pointer as a number. ExecuTorch checks the range when it prepares the method (InvalidProgram, \
            0x23) and, in checked accessors, the type when a kernel reads the list (InvalidType, 0x13)."
        source: "ExecuTorch's `Method::parse_values` checks the range. The list's purpose implies that every item \
            selects an Int."
        refs: ["V-04", "V-05"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_TENSORLIST_INDICES = "val-tensorlist-indices", Must, Loader, File, Method, "values" {
        "Every item of a TensorList MUST be at least 0, below the number of `values`, and the index of a Tensor."
        rationale: "A reader copies whatever the index selects as if it were a tensor, so unrelated memory, or a value \
            of another type, supplies the data pointer and the sizes. With InternalConsistency verification, \
            ExecuTorch returns InvalidProgram (0x23) when it loads the program. With Minimal, preparing the method \
            returns InvalidProgram, or InvalidType (0x13) for a wrong type."
        source: "ExecuTorch's `validate_program` and `parseTensorList` check the items. Only an OptionalTensorList may \
            contain -1."
        refs: ["V-01", "V-02", "pytorch/executorch#17491"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_LIST_ORDER = "val-list-order", Must, Policy, File, Method, "values" {
        "Except for -1, every item of a TensorList or OptionalTensorList MUST be below the list's own index in \
            `values`."
        rationale: "A reader that parses values in one pass copies a list's tensors when it reaches the list, so a \
            tensor with a higher index is not initialized yet. With InternalConsistency verification, ExecuTorch \
            rejects only a list that contains itself. An IntList may refer to later values, because nothing is copied."
        source: "The rule follows from the order in which `Method::parse_values` works. Memory safety depends on it, \
            and the emitter adds tensors before their list."
        refs: ["V-07"]
        cwe: ["CWE-908", "CWE-843"]
    }
    VAL_OPTTENSORLIST_INDICES = "val-opttensorlist-indices", Must, Loader, File, Method, "values" {
        "Every item of an OptionalTensorList MUST be -1 or the index of a Tensor or a Null."
        rationale: "An item of -1 means an absent tensor, but -2 selects memory before the values, and a value of \
            another type is misused as a tensor. ExecuTorch checks the range (InvalidProgram, 0x23) and the type \
            (InvalidType, 0x13) when it prepares the method; InternalConsistency verification checks neither."
        source: "ExecuTorch's `parseListOptionalType` checks the items. Writers may use -1 or the index of a Null for \
            an absent tensor."
        refs: ["V-03"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_BOOLLIST = "val-boollist", Should, Writer, File, Method, "values" {
        "Every item of a BoolList SHOULD be 0 or 1."
        rationale: "In C++ and Rust, a `bool` of 2 is undefined behavior: compiled code may treat it as both true and \
            false. ExecuTorch uses the bytes in place, as an array of `bool`, and no reader or verifier checks them."
        source: "The FlatBuffers format stores a `bool` as one byte, and writers write 0 or 1."
    }
    VAL_DOUBLE = "val-double", Must, Text, Reader, Method, "values" {
        "A reader MUST accept every IEEE 754 binary64 value in a Double or DoubleList, including infinities and NaN."
        rationale: "Valid models contain infinities, for example in attention masks and as clamp bounds, so a reader \
            that rejects them, or loses them in JSON, breaks models. ExecuTorch copies the 8 bytes; its Python classes \
            store infinities and NaN as strings."
        source: "The `double` type in ExecuTorch's `schema/program.fbs` excludes no value, and `exir/schema.py` \
            supports infinities and NaN."
    }
    VAL_LIST_ALLOC = "val-list-alloc", Must, Loader, Reader, Method, "values" {
        "A reader MUST check the result of every list allocation before it uses the memory, and reject the method if \
            the allocation fails."
        rationale: "The file decides the length, but a device has limited memory. A reader that ignores a failed \
            allocation writes to a null pointer plus an index from the file. ExecuTorch returns MemoryAllocationFailed \
            (0x21) and, since 1.0.0, rejects a length whose byte count wraps (CVE-2025-54952)."
        source: "An allocator without free memory returns null. How much memory is free depends on the host, so no \
            file can break the rule."
        refs: ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "pytorch/executorch#12683"]
    }
}
