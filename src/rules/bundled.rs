//! Bundled programs, the `BP08` wrapper around a program: chapter `bundled` of the book.

rules! {
    BP_IDENTIFIER = "bp-identifier", Must, File, Open, "bundled" {
        "Bytes 4 to 7 of a bundled program are `BP08`."
        rationale: "Only the identifier `BP08` distinguishes a bundled program from a plain program. Other digits \
            announce another schema, so a reader that applies the `BP08` schema misreads the tables."
        readers: "ExecuTorch compares all four bytes when a caller requests the inner program, and returns \
            NotSupported (0x10) if they differ."
        source: "`BP08` is the `file_identifier` of ExecuTorch's `bundled_program_schema.fbs`. Release 0.1 wrote \
            `BP06`; later releases write `BP08`."
        cwe: ["CWE-436"]
    }
    BP_PROGRAM = "bp-program", Must, File, Structure, "bundled" {
        "`program` is present, is not empty, and contains a program."
        rationale: "The runtime executes the program in the vector `program`. A reader that omits the check \
            dereferences a null pointer if the vector is absent, or executes an unverified program."
        readers: "Some readers use the address and length of the vector without a check that the vector is present."
        source: "This project infers the rule; ExecuTorch's `bundled_program_schema.fbs` makes the field optional. The \
            rules for programs apply inside the vector, with the vector's first byte as byte 0."
        cwe: ["CWE-476"]
    }
    BP_PROGRAM_ALIGNED = "bp-program-aligned", Should, File, Structure, "bundled" {
        "The bytes of `program` begin at a multiple of 32."
        rationale: "A reader uses the inner program in place, so the program's fields are aligned in memory only if \
            its first byte is aligned."
        readers: "On 64-bit hosts, ExecuTorch loads a program only from an address that is a multiple of 16, and \
            otherwise returns InvalidArgument (0x12)."
        source: "ExecuTorch's `bundled_program_schema.fbs` declares a `force_align` of 32, which is at least the \
            alignment of every program schema. The strength is `should` because a reader may copy the program to an \
            aligned address."
        refs: ["F-13"]
    }
    BP_SUITES = "bp-suites", Must, File, Meta, "bundled" {
        "`method_test_suites` and every field of its suites and test cases are present, and each `method_name` is the \
            name of a method of the program."
        rationale: "A reader selects a suite by its `method_name` and an input by its index. If a reader does not \
            check an absent field, it dereferences a null pointer. A suite whose method does not exist never runs."
        readers: "If a caller requests a method that has no suite, ExecuTorch returns InvalidArgument (0x12). Some \
            readers do not check whether the fields are present."
        source: "This project infers the rule from `get_method_test_suite`. ExecuTorch's `bundled_program_schema.fbs` \
            makes all five fields optional, but a comment states that the name matches a method of the program."
        cwe: ["CWE-476"]
    }
    BP_INPUT_ARITY = "bp-input-arity", Must, File, Meta, "bundled" {
        "In a test case, `inputs` has one entry per input of the method, and `expected_outputs` is empty or has one \
            entry per output."
        rationale: "A reader requires one entry of `inputs` for each input of the method. If the list is too short, \
            the reader reads past the end of the list and interprets arbitrary bytes as offsets to tables."
        readers: "Some readers do not compare the number of entries with the method. ExecuTorch returns NotSupported \
            (0x10) when a caller verifies outputs against a test case without expected outputs."
        source: "Comments in ExecuTorch's `bundled_program_schema.fbs` require as many entries as the method has \
            inputs and outputs. ExecuTorch's reader also accepts a test case without expected outputs."
        refs: ["B-02"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_TENSOR_DATA = "bp-tensor-data", Must, File, Method, "bundled" {
        "A bundled Tensor has a valid `scalar_type`, `sizes` and `dim_order`, and `data` has at least as many bytes as \
            these fields require."
        rationale: "The tensor is a view of `data`. If `data` is too short, a careless reader copies the memory \
            after `data` into the model, or compares that memory with the outputs."
        readers: "ExecuTorch's ATen mode compares the length of `data` with the tensor's byte count since 1.2.0 \
            (pytorch/executorch#17163). Some readers do not compare the two lengths."
        source: "This project infers the rule from `bundled_program.cpp`. A valid `scalar_type` is 0 to 29; valid \
            `sizes` are at most 16 non-negative numbers; a valid `dim_order` is a permutation of the same rank. \
            ExecuTorch's `bundled_program_schema.fbs` makes every field of the tensor optional, and the writer always \
            writes every field."
        refs: ["B-01", "pytorch/executorch#17163"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_VALUE_TYPE = "bp-value-type", Must, File, Method, "bundled" {
        "Every value of a test case is a Tensor, an Int, a Bool or a Double."
        rationale: "A verifier does not check the content of an unknown type. A reader that skips a value of an \
            unknown type runs the test case with the previous input."
        readers: "For any other type, ExecuTorch returns NotSupported (0x10) when it loads the inputs or verifies the \
            outputs. When ExecuTorch verifies the outputs, it compares tensors only."
        source: "The union `ValueUnion` of ExecuTorch's `bundled_program_schema.fbs` has the members Tensor, Int, Bool \
            and Double, 1 to 4."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    BP_TESTSET_IDX = "bp-testset-idx", Must, Reader, Method, "bundled" {
        "A reader rejects a test-case index that is not below the number of `test_cases`."
        rationale: "The index comes from the caller, not from the file. An unchecked index reads past the end of \
            the vector of test cases."
        readers: "For an index out of range, ExecuTorch returns InvalidArgument (0x12) when it loads the inputs or \
            verifies the outputs."
        source: "ExecuTorch's `load_bundled_input` and `verify_method_outputs` check the index."
    }
}
