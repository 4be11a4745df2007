//! Rules of bundled programs, the `BP08` wrapper.

rules! {
    BP_IDENTIFIER = "bp-identifier", Must, File, Open, "bundled" {
        "Bytes 4 to 7 of a bundled program are `BP08`."
        why: "Only these bytes distinguish the wrapper from a plain program. Other digits announce another schema, so \
            a reader that applies the `BP08` schema misreads the tables."
        readers: "ExecuTorch compares all four bytes when a caller requests the inner program, and returns \
            NotSupported (0x10) for others."
        source: "The schema's file identifier. Release 0.1 wrote `BP06`; later releases write `BP08`."
        cwe: ["CWE-436"]
    }
    BP_PROGRAM = "bp-program", Must, File, Structure, "bundled" {
        "`program` is present, is not empty, and is itself a program."
        why: "The runtime executes this program. A careless reader dereferences a null pointer to an absent vector, or \
            trusts the wrapper and does not check the program."
        readers: "Some readers do not check the vector before they use its address and length."
        source: "This project infers the rule; the schema leaves the field optional. The program's own rules apply \
            inside the vector, whose first byte is byte 0 of the program."
        cwe: ["CWE-476"]
    }
    BP_PROGRAM_ALIGNED = "bp-program-aligned", Should, File, Structure, "bundled" {
        "The bytes of `program` begin at a multiple of 32."
        why: "A reader uses the program in place, so positions inside it are aligned in memory only if its first byte \
            is aligned."
        readers: "ExecuTorch requires an address that is a multiple of 16 on 64-bit hosts when it loads the program, \
            and returns InvalidArgument (0x12) otherwise."
        source: "`force_align: 32` in the schema, which is at least the alignment of any program's own schema. The \
            rule is a SHOULD because a reader may copy the program to an aligned place."
        refs: ["F-13"]
    }
    BP_SUITES = "bp-suites", Must, File, Meta, "bundled" {
        "`method_test_suites`, the `method_name` and `test_cases` of each suite, and the `inputs` and \
            `expected_outputs` of each case are present, and `method_name` names a method of the program."
        why: "A reader finds a suite by its method's name and an input by its position. A reader sees a null pointer \
            for each of the five fields that is absent, and no run reaches a suite without a method."
        readers: "ExecuTorch rejects a request for a method without a suite with InvalidArgument (0x12). Some readers \
            do not check the other fields."
        source: "Inferred from `get_method_test_suite`; the schema leaves all five optional, and its comment says that \
            the name matches a method of the program."
        cwe: ["CWE-476"]
    }
    BP_INPUT_ARITY = "bp-input-arity", Must, File, Meta, "bundled" {
        "A test case has as many `inputs` as its method, and either no `expected_outputs` or as many as its method has \
            outputs."
        why: "A reader uses as many inputs as the method has. It reads past the end of a shorter list and interprets \
            the bytes there as offsets to tables."
        readers: "Some readers do not compare the numbers. ExecuTorch returns NotSupported (0x10) when a caller \
            verifies outputs against a case without expected outputs."
        source: "The schema's comments require equal numbers; the reader allows a case without expected outputs."
        refs: ["B-02"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_TENSOR_DATA = "bp-tensor-data", Must, File, Method, "bundled" {
        "A bundled Tensor has a `scalar_type` of 0 to 29, at most 16 `sizes` without negative entries, a `dim_order` \
            that is a permutation of the same rank, and `data` with at least the bytes that these need."
        why: "The tensor is a view of `data`. A careless reader copies missing bytes from memory after it, into the \
            model's input or into the comparison with the outputs."
        readers: "ExecuTorch's ATen mode compares `data` with the tensor's bytes since 1.2.0 \
            (pytorch/executorch#17163). Some readers do not make this comparison."
        source: "Inferred from `bundled_program.cpp`; the schema leaves all fields optional, and the writer always \
            writes them."
        refs: ["B-01", "pytorch/executorch#17163"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_VALUE_TYPE = "bp-value-type", Must, File, Method, "bundled" {
        "Every value of a test case is a Tensor, an Int, a Bool or a Double."
        why: "A verifier does not check the content of another type. A reader that does not support a value's type \
            must not run the case with the previous input."
        readers: "ExecuTorch returns NotSupported (0x10) when it loads the inputs or verifies the outputs. Of the \
            outputs, it compares tensors only."
        source: "The schema's union `ValueUnion`, 1 to 4."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    BP_TESTSET_IDX = "bp-testset-idx", Must, Reader, Method, "bundled" {
        "A reader rejects the number of a test case that is not below the number of `test_cases`."
        why: "The number comes from the caller, not from the file, and indexes the vector."
        readers: "ExecuTorch returns InvalidArgument (0x12) when it loads the inputs or verifies the outputs."
        source: "`load_bundled_input` and `verify_method_outputs`."
    }
}
