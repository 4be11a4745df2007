//! Values of a method, `EValue` and its union (specification, section 1.9).

rules! {
    VAL_NONNULL = "val-nonnull", Must, File, Method, "values" {
        "Every `EValue` has a type other than NONE."
        why: "A value of neither type nor content is a hole in the table that lists and instructions index: a reader \
            that leaves its slot unset later takes what lies there for a value."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), at both levels. The FlatBuffers verifiers \
            pass it."
        source: "`Method::get_num_external_constants`. A Null may go without a table, since `Null` has no fields; any \
            other type without a value is `fb-union-consistent`."
        refs: ["V-06", "F-14"]
        cwe: ["CWE-476", "CWE-843"]
    }
    VAL_TYPE_KNOWN = "val-type-known", Must, File, Method, "values" {
        "The type of an `EValue`, where it has one, is at most 11 (OptionalTensorList)."
        why: "The verifiers follow a union's value only for types that they know, so nobody has checked the bytes \
            behind an unknown one; a reader that follows them trusts an arbitrary offset."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), at both levels; before #1520 that was \
            fatal to the process."
        source: "`Method::parse_values`, whose types are the members of the union `KernelTypes`, 1 (Null) to 11."
        refs: ["F-14", "pytorch/executorch#1520"]
        cwe: ["CWE-843"]
    }
    VAL_LIST_ITEMS_NONNULL = "val-list-items-nonnull", Must, File, Method, "values" {
        "`items` is present in every IntList, DoubleList, BoolList, TensorList and OptionalTensorList, and may be \
            empty."
        why: "The length of an absent vector is read through a null pointer, and sizes the allocation for the list."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), and for a TensorList in \
            InternalConsistency already when it loads the program (0x23)."
        source: "`Method::parse_values` and `validate_program`. The schema leaves `items` optional."
        refs: ["V-06", "pytorch/executorch#14749", "pytorch/executorch#16162", "pytorch/executorch#17491"]
        cwe: ["CWE-476"]
    }
    VAL_STRING_NONNULL = "val-string-nonnull", Must, File, Method, "values" {
        "Every String has a `string_val`."
        why: "Its characters go to kernels as pointer and length, and both would be read through a null pointer."
        readers: "ExecuTorch refuses it when it prepares the method (0x23), at both levels."
        source: "`Method::parse_values`. An empty string has the field; the schema leaves it optional."
        refs: ["V-06", "pytorch/executorch#14749", "pytorch/executorch#16162"]
        cwe: ["CWE-476"]
    }
    VAL_INTLIST_INDICES = "val-intlist-indices", Must, File, Method, "values" {
        "Every item of an IntList is the index of an Int: at least 0, below the number of `values`, and of that type."
        why: "Items are not integers but the places of integers, so that a size which is computed at run time can \
            stand in a list. An item that names a Tensor or a list makes a kernel take a pointer for a number."
        readers: "ExecuTorch compares the range when it prepares the method (0x23) and the type when a kernel unpacks \
            the list, through checked accessors with 0x13. Not every reader unpacks with a check."
        source: "`Method::parse_values` for the range, and the emitter for the meaning. That the value is an Int is \
            derived from what the list is for."
        refs: ["V-04", "V-05"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_TENSORLIST_INDICES = "val-tensorlist-indices", Must, File, Method, "values" {
        "Every item of a TensorList is the index of a Tensor: at least 0, below the number of `values`, and of that \
            type."
        why: "The reader copies a tensor from the place that the item names: out of range that is memory behind the \
            table, and of another type its bytes become a data pointer and sizes."
        readers: "ExecuTorch compares range and type in InternalConsistency when it loads the program (0x23), and in \
            Minimal when it prepares the method (range 0x23, type 0x13)."
        source: "`validate_program` and `parseTensorList`. Unlike in an OptionalTensorList, -1 names nothing."
        refs: ["V-01", "V-02", "pytorch/executorch#17491"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_LIST_ORDER = "val-list-order", Must, File, Method, "values" {
        "Every item of a TensorList or OptionalTensorList other than -1 is below the index of the list itself in \
            `values`."
        why: "A reader that goes through the values once, and takes a list's tensors when it comes to the list, has \
            only those in front of it. A tensor that is still to come is not there yet."
        readers: "In InternalConsistency, ExecuTorch refuses a TensorList that names itself when it loads the program \
            (0x23), since a list is no Tensor."
        source: "Derived from the order of `Method::parse_values`, which no text of the format mentions; the emitter \
            adds the tensors before their list. A must, because memory safety rests on it. An IntList keeps references \
            and copies nothing, so it may refer forward."
        refs: ["V-07"]
        cwe: ["CWE-908", "CWE-843"]
    }
    VAL_OPTTENSORLIST_INDICES = "val-opttensorlist-indices", Must, File, Method, "values" {
        "Every item of an OptionalTensorList is -1, or the index of a Tensor or a Null."
        why: "-1 is a tensor that is not given. Any other negative number indexes in front of the table of values, and \
            a value of another type is taken for a tensor."
        readers: "ExecuTorch compares the range (0x23) and the type (0x13) when it prepares the method. \
            InternalConsistency does not look at these lists."
        source: "`parseListOptionalType`: writers may put -1 or the index of a Null for a tensor that is missing, and \
            readers take both."
        refs: ["V-03"]
        cwe: ["CWE-129", "CWE-843"]
    }
    VAL_BOOLLIST = "val-boollist", Should, File, Method, "values" {
        "Every item of a BoolList is 0 or 1."
        why: "In C++ and Rust a `bool` of any other byte is undefined behaviour: to compiled code it can be true and \
            false at once."
        readers: "No reader looks. ExecuTorch uses the bytes in place, as an array of `bool`."
        source: "FlatBuffers store a `bool` as one byte and writers write 0 or 1; no verifier asks for it."
    }
    VAL_DOUBLE = "val-double", Must, Reader, Method, "values" {
        "A reader accepts every IEEE 754 binary64 in a Double or DoubleList, the infinities and NaN included."
        why: "Attention masks and clamps hold infinities, so a reader that refuses them, or loses them on a way \
            through JSON, breaks right models."
        readers: "ExecuTorch copies the 8 bytes. Its Python classes hold infinities and NaN as strings, since they go \
            through JSON, which has no such numbers."
        source: "The schema's `double` excludes no value, and `exir/schema.py` makes room for these."
    }
    VAL_LIST_ALLOC = "val-list-alloc", Must, Reader, Method, "values" {
        "A reader looks at the result of every allocation for a list before it uses it, and refuses the method where \
            there is no more memory."
        why: "Lengths come from the file, and on a device the method's memory is a fixed block: an unchecked \
            allocation becomes a write through a null pointer, at an index that the file chooses."
        readers: "ExecuTorch answers 0x21 where an allocation fails, and refuses a length whose bytes wrap since 1.0.0 \
            (CVE-2025-54952). Not every reader looks at every result."
        source: "Derived: an allocator that has no more returns null. How much is too much is the host's affair, so no \
            file breaks the rule."
        refs: ["CVE-2025-54952", "GHSA-33r8-vrx9-rmcv", "pytorch/executorch#12683"]
    }
}
