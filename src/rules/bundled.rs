//! Rules about bundled programs, which contain a program and its test cases (chapter `bundled` of the book).

rules! {
    BP_IDENTIFIER = "bp-identifier", Must, Text, File, Open, "bundled" {
        "Bytes 4 to 7 of a bundled program MUST be `BP08`."
        rationale: "Only the identifier distinguishes a bundled program from a plain one, and other digits mean \
            another schema. ExecuTorch compares all four bytes when a caller requests the inner program, and returns \
            NotSupported (0x10) if they differ."
        source: "ExecuTorch's `bundled_program_schema.fbs` sets this `file_identifier`. Release 0.1 wrote `BP06`."
        cwe: ["CWE-436"]
    }
    BP_PROGRAM = "bp-program", Must, Policy, File, Structure, "bundled" {
        "`program` MUST be present and not empty, and it MUST contain a program."
        rationale: "The runtime executes what is in this vector. If the vector is absent, reading its address and \
            length dereferences null; if it does not contain a valid program, the runtime executes unverified data."
        source: "ExecuTorch's `bundled_program_schema.fbs` makes the vector optional. The rules for programs apply to \
            the inner program, with positions counted from its first byte."
        cwe: ["CWE-476"]
    }
    BP_PROGRAM_ALIGNED = "bp-program-aligned", Should, Text, File, Structure, "bundled" {
        "The bytes of `program` SHOULD begin at a multiple of 32."
        rationale: "The inner program is used in place, so its fields are aligned only if its first byte is. On 64-bit \
            hosts, ExecuTorch loads a program only from a multiple of 16, and returns InvalidArgument (0x12) \
            otherwise. A reader may copy the program instead."
        source: "ExecuTorch's `bundled_program_schema.fbs` declares a `force_align` of 32, and no program schema \
            declares more."
        refs: ["F-13"]
    }
    BP_SUITES = "bp-suites", Must, Policy, File, Meta, "bundled" {
        "`method_test_suites` and every field of its suites and test cases MUST be present."
        rationale: "A reader finds a suite by its `method_name` and an input by its index, so if a field is absent, \
            the search dereferences null. For a method without a suite, ExecuTorch returns InvalidArgument (0x12)."
        source: "The rule follows from `get_method_test_suite`. ExecuTorch's `bundled_program_schema.fbs` makes the \
            fields optional, but the official writer sets them all."
        cwe: ["CWE-476"]
    }
    BP_SUITE_METHOD = "bp-suite-method", Should, Text, File, Meta, "bundled" {
        "Every suite's `method_name` SHOULD be the name of a method in the program."
        rationale: "Otherwise, the suite never runs, and a test of the intended method finds no test case and may \
            report success. ExecuTorch looks up suites by method name, so it does not notice."
        source: "A comment in ExecuTorch's `bundled_program_schema.fbs` says that it matches the name of a method."
    }
    BP_INPUT_ARITY = "bp-input-arity", Must, Text, File, Meta, "bundled" {
        "In a test case, `inputs` MUST have one entry per input of the method, and `expected_outputs` MUST be empty or \
            have one entry per output."
        rationale: "A reader uses one entry per input, so if the list is shorter, it reads past the end and uses \
            arbitrary bytes as offsets to tables. ExecuTorch returns NotSupported (0x10) if a caller verifies outputs \
            but `expected_outputs` is empty."
        source: "Comments in ExecuTorch's `bundled_program_schema.fbs` require one entry per input and output."
        refs: ["B-02"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_SUITE_UNIQUE = "bp-suite-unique", May, Policy, File, Meta, "bundled" {
        "A reader MAY ignore a suite that has the same `method_name` as an earlier suite."
        rationale: "ExecuTorch uses the first suite with the method's name, so a later suite's test cases never run."
        source: "`get_method_test_suite` returns the first suite. The official writer sorts suites by name and allows \
            equal names."
    }
    BP_INPUT_MATCH = "bp-input-match", Must, Text, File, Method, "bundled" {
        "Each entry in `inputs` MUST have the type of the corresponding method input; a Tensor MUST also have a scalar \
            type and sizes that this input accepts."
        rationale: "The bytes are copied into the input's memory, and past the end of it if the bundled tensor is \
            larger. ExecuTorch returns NotSupported (0x10) when it loads the inputs."
        source: "See `Method::set_input` and a comment in ExecuTorch's `bundled_program_schema.fbs`. Static inputs \
            accept only their own sizes; dynamic inputs accept the same rank and no more elements than their upper \
            bounds allow."
        cwe: ["CWE-843", "CWE-787"]
    }
    BP_INPUT_VALUE = "bp-input-value", Must, Loader, File, Method, "bundled" {
        "An Int or Bool in `inputs` MUST equal the value of the method's corresponding input; a Double may differ \
            within a tolerance."
        rationale: "The method was traced with these values, so if they differ, it does not produce the expected \
            outputs. ExecuTorch compares them when it loads the inputs, and returns NotSupported (0x10)."
        source: "`Method::set_input` requires the traced values. A Double may differ by 0.0001 plus 0.00001 times the \
            absolute value in the method; NaN equals NaN."
    }
    BP_INPUT_ORDER = "bp-input-order", Should, Writer, File, Method, "bundled" {
        "A Tensor in `inputs` SHOULD have the same `dim_order` as the method's input, except for dimensions of size 1."
        rationale: "The bytes are copied without reordering, so if the orders differ, elements end up in the wrong \
            places and the method computes with wrong inputs."
        source: "In official files, a bundled tensor has the `dim_order` of the example tensor that the exporter \
            received."
    }
    BP_OUTPUT_MATCH = "bp-output-match", Must, Text, File, Execute, "bundled" {
        "Each Tensor in `expected_outputs` MUST correspond to a Tensor output that can have the same scalar type, \
            `dim_order` and sizes."
        rationale: "A reader compares the bytes of both tensors, so if the expected tensor is larger, it reads past \
            the output. ExecuTorch returns NotFound (0x20) if scalar types or sizes differ."
        source: "A comment in ExecuTorch's `bundled_program_schema.fbs` says that the method produces the expected \
            outputs; `tensors_are_close` requires equal sizes and strides. Dimensions of size 1 may be anywhere in \
            `dim_order`."
        cwe: ["CWE-617", "CWE-125"]
    }
    BP_OUTPUT_TENSOR = "bp-output-tensor", Should, Writer, File, Execute, "bundled" {
        "Every entry in `expected_outputs` SHOULD be a Tensor."
        rationale: "Readers compare only tensors, so an expected Int, Bool or Double tests nothing. ExecuTorch returns \
            NotSupported (0x10) when it verifies the outputs."
        source: "The official writer accepts only Tensors here; the schema allows every value."
    }
    BP_TENSOR_DATA = "bp-tensor-data", Must, Policy, File, Method, "bundled" {
        "A bundled Tensor MUST have a valid `scalar_type`, `sizes` and `dim_order`, and `data` MUST have at least as \
            many bytes as these fields require."
        rationale: "The tensor uses `data` in place. If `data` is too short, the memory after it becomes part of an \
            input, or is compared with an output. In ATen mode, ExecuTorch 1.2.0 and later compare the lengths \
            (pytorch/executorch#17163)."
        source: "See ExecuTorch's `bundled_program.cpp`. A valid tensor has a scalar type from 0 to 29, up to \
            16 non-negative sizes, and a permutation as its `dim_order`. The schema makes the fields optional, but the \
            official writer writes them all."
        refs: ["B-01", "pytorch/executorch#17163"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_VALUE_TYPE = "bp-value-type", Must, Text, File, Method, "bundled" {
        "Every value in a test case MUST be a Tensor, an Int, a Bool or a Double."
        rationale: "No verifier checks the content of an unknown type such as 5, and a reader that skips such a value \
            runs the method with an earlier test case's input. ExecuTorch returns NotSupported (0x10) when it loads \
            the inputs or verifies the outputs."
        source: "ExecuTorch's `bundled_program_schema.fbs` declares these members of `ValueUnion`: Tensor (1), Int \
            (2), Bool (3) and Double (4)."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    BP_TESTSET_IDX = "bp-testset-idx", Must, Loader, Reader, Method, "bundled" {
        "A reader MUST reject a test-case index that is not below the number of `test_cases`."
        rationale: "The index comes from the caller, and past the end of `test_cases`, it selects arbitrary bytes. \
            ExecuTorch returns InvalidArgument (0x12) when it loads the inputs or verifies the outputs."
        source: "ExecuTorch's `load_bundled_input` and `verify_method_outputs` check the index."
    }
}
