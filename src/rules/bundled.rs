//! Bundled programs, the `BP08` wrapper (specification, section 1.23).

rules! {
    BP_IDENTIFIER = "bp-identifier", Must, File, Open, "bundled" {
        "Bytes 4 to 7 of a bundled program are `BP08`."
        why: "They are all that tells the wrapper from a plain program; other digits announce another schema, by which \
            the tables would be misread."
        readers: "ExecuTorch compares all four bytes when it is asked for the program inside, and answers others with \
            0x10."
        source: "The schema's file identifier. Release 0.1 wrote `BP06`, later ones write `BP08`."
        cwe: ["CWE-436"]
    }
    BP_PROGRAM = "bp-program", Must, File, Structure, "bundled" {
        "`program` is present, is not empty, and is itself a program."
        why: "It is what runs: a reader that asks an absent vector for its bytes follows a null pointer, and one that \
            trusts the wrapper skips every check of the program."
        readers: "Not every reader looks before it takes address and length."
        source: "Derived; the schema leaves the field optional. The program's own rules are checked inside it, as of a \
            file that begins at the vector's first byte."
        cwe: ["CWE-476"]
    }
    BP_PROGRAM_ALIGNED = "bp-program-aligned", Should, File, Structure, "bundled" {
        "The bytes of `program` begin at a multiple of 32."
        why: "The program is used in place, so positions inside it are aligned in memory only if its first byte is."
        readers: "ExecuTorch demands an address that is a multiple of 16 on 64-bit hosts when it loads the program \
            (0x12)."
        source: "`force_align: 32` in the schema, chosen to be no less than what any program's own schema asks for. A \
            should, because a reader may copy the program to an aligned place."
        refs: ["F-13"]
    }
    BP_SUITES = "bp-suites", Must, File, Meta, "bundled" {
        "`method_test_suites`, the `method_name` and `test_cases` of each suite, and the `inputs` and \
            `expected_outputs` of each case are present, and `method_name` is that of a method of the program."
        why: "A case is found by comparing names of methods and its inputs by their position, so any of the five that \
            is absent is a null pointer on the way; a suite of no method is never run."
        readers: "ExecuTorch answers the request for a method that has no suite with 0x12. Not every reader looks for \
            the rest."
        source: "Derived from `get_method_test_suite`; the schema leaves all five optional, and its comment says that \
            the name matches a method of the program."
        cwe: ["CWE-476"]
    }
    BP_INPUT_ARITY = "bp-input-arity", Must, File, Meta, "bundled" {
        "A test case has as many `inputs` as its method, and as many `expected_outputs` as its method has outputs or \
            none."
        why: "Inputs are taken by the numbers of the method, so a shorter list is read past its end, and what lies \
            there is followed as a table."
        readers: "Not every reader compares the numbers. A case without expected outputs is 0x10 where ExecuTorch \
            verifies outputs."
        source: "The schema's comments ask for equal numbers; that a case may expect nothing is what the reader makes \
            room for."
        refs: ["B-02"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_TENSOR_DATA = "bp-tensor-data", Must, File, Method, "bundled" {
        "A bundled Tensor has a `scalar_type` of 0 to 29, at most 16 `sizes` and none of them negative, a `dim_order` \
            that is a permutation of as many dimensions, and `data` of at least the bytes that these come to."
        why: "The tensor is a view over `data`, so what is missing is read from behind it and goes into the model as \
            input, or into the comparison as what was expected."
        readers: "ExecuTorch's ATen mode compares `data` with the tensor's bytes since 1.2.0 (#17163). Not every \
            reader looks."
        source: "Derived from `bundled_program.cpp`; the schema leaves all fields optional and the writer always \
            writes them."
        refs: ["B-01", "pytorch/executorch#17163"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_VALUE_TYPE = "bp-value-type", Must, File, Method, "bundled" {
        "Every value of a test case is a Tensor, an Int, a Bool or a Double."
        why: "No verifier has looked at the content of another type, and a reader that has no such input to set must \
            not run the case with what it had before."
        readers: "ExecuTorch refuses it when it loads the inputs or verifies the outputs (0x10); of outputs it \
            compares tensors only."
        source: "The schema's union `ValueUnion`, 1 to 4."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    BP_TESTSET_IDX = "bp-testset-idx", Must, Reader, Method, "bundled" {
        "A reader refuses the number of a test case that is not below the number of `test_cases`."
        why: "The number comes from a caller and not from the file, and indexes the vector."
        readers: "ExecuTorch refuses it when it loads the inputs or verifies the outputs (0x12)."
        source: "`load_bundled_input` and `verify_method_outputs`."
    }
}
