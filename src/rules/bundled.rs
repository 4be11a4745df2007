//! Rules about bundled programs, which contain a program and its test cases (chapter `bundled` of the book).

rules! {
    BP_IDENTIFIER = "bp-identifier", Must, Text, File, Open, "bundled" {
        "Bytes 4 to 7 of a bundled program are `BP08`."
        rationale: "Only the identifier `BP08` distinguishes a bundled program from a plain program. If the digits of \
            the identifier are not `08`, the file has another schema. A reader that applies the `BP08` schema to a \
            file with other digits misreads the file's tables."
        readers: "When a caller requests the inner program, ExecuTorch compares all four bytes, and returns \
            NotSupported (0x10) for an identifier other than `BP08`."
        source: "`BP08` is the `file_identifier` of ExecuTorch's `bundled_program_schema.fbs`. Release 0.1 wrote \
            `BP06`; later releases write `BP08`."
        cwe: ["CWE-436"]
    }
    BP_PROGRAM = "bp-program", Must, Policy, File, Structure, "bundled" {
        "`program` is present, is not empty, and contains a program."
        rationale: "The runtime executes the program in the vector `program`. If the vector is absent, a careless \
            reader dereferences a null pointer. If the vector contains no valid program, a careless reader executes \
            unverified data."
        readers: "Some readers do not check that the vector `program` is present before they use its address and \
            length."
        source: "ExecuTorch's `bundled_program_schema.fbs` makes the field optional. The rules for programs also apply \
            to the inner program, whose first byte counts as byte 0."
        cwe: ["CWE-476"]
    }
    BP_PROGRAM_ALIGNED = "bp-program-aligned", Should, Text, File, Structure, "bundled" {
        "The bytes of `program` begin at a multiple of 32."
        rationale: "A reader uses the inner program in place, so the program's fields are aligned in memory only if \
            the program's first byte is aligned."
        readers: "On 64-bit hosts, ExecuTorch loads a program only from an address that is a multiple of 16, and \
            otherwise returns InvalidArgument (0x12)."
        source: "ExecuTorch's `bundled_program_schema.fbs` declares a `force_align` of 32, and no program schema \
            declares a larger alignment. The rule's strength is `should` because a reader can copy the program to an \
            aligned address."
        refs: ["F-13"]
    }
    BP_SUITES = "bp-suites", Must, Policy, File, Meta, "bundled" {
        "`method_test_suites` and every field of its suites and test cases are present."
        rationale: "A reader selects a suite by the suite's `method_name`, and an input by its index in the test case. \
            If a field of the suite or test case is absent, a careless reader dereferences a null pointer."
        readers: "If a caller requests a method that has no suite, ExecuTorch returns InvalidArgument (0x12). Some \
            readers do not check whether the fields of suites and test cases are present."
        source: "The rule follows from `get_method_test_suite`. ExecuTorch's `bundled_program_schema.fbs` makes all \
            these fields optional, but the official writer always sets them."
        cwe: ["CWE-476"]
    }
    BP_SUITE_METHOD = "bp-suite-method", Should, Text, File, Meta, "bundled" {
        "The `method_name` of every suite is the name of a method of the program."
        rationale: "A suite whose method does not exist never runs. A test run of the intended method finds no test \
            case and may report success."
        readers: "ExecuTorch looks up suites by the name of a method, so it never reads a suite whose method does not \
            exist."
        source: "A comment in ExecuTorch's `bundled_program_schema.fbs` states that the name matches a method of the \
            program. The rule's strength is `should` because the loader accepts a suite whose method does not exist."
    }
    BP_INPUT_ARITY = "bp-input-arity", Must, Text, File, Meta, "bundled" {
        "In a test case, `inputs` has one entry per input of the method, and `expected_outputs` is empty or has one \
            entry per output."
        rationale: "A reader uses one entry of `inputs` for each input of the method. If `inputs` is too short, a \
            careless reader reads past the end of `inputs` and interprets arbitrary bytes as offsets to tables."
        readers: "Some readers do not compare the number of entries with the method's number of inputs. If a caller \
            verifies outputs against a test case without expected outputs, ExecuTorch returns NotSupported (0x10)."
        source: "Comments in ExecuTorch's `bundled_program_schema.fbs` require one entry of `inputs` per input and one \
            entry of `expected_outputs` per output. ExecuTorch's reader also accepts a test case without expected \
            outputs."
        refs: ["B-02"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_SUITE_UNIQUE = "bp-suite-unique", May, Policy, File, Meta, "bundled" {
        "No two suites have the same `method_name`."
        rationale: "A reader uses the first suite with a method's name, so the test cases of a later suite with the \
            same name never run."
        readers: "ExecuTorch uses the first suite with the method's name and ignores later suites."
        source: "The official writer sorts the suites by name and allows equal names, so the rule's strength is `may`. \
            `get_method_test_suite` returns the first suite with the method's name."
    }
    BP_INPUT_MATCH = "bp-input-match", Must, Text, File, Method, "bundled" {
        "Each entry of `inputs` has the type of the corresponding method input; a Tensor also has a scalar type and \
            sizes that this input accepts."
        rationale: "A reader copies the bytes of a bundled tensor into the memory of the method's input. If the tensor \
            is larger than the input, a careless reader writes past this memory."
        readers: "When ExecuTorch loads the inputs, it returns NotSupported (0x10) for an entry that breaks the rule."
        source: "A comment in ExecuTorch's `bundled_program_schema.fbs` requires that the number and types of inputs \
            match the method. `Method::set_input` requires equal types and scalar types. `TensorImpl` requires equal \
            ranks. An input with static sizes accepts only these sizes. An input with dynamic sizes accepts at most \
            as many elements as its upper bounds allow."
        cwe: ["CWE-843", "CWE-787"]
    }
    BP_INPUT_VALUE = "bp-input-value", Must, Loader, File, Method, "bundled" {
        "An Int or Bool of `inputs` equals the value of the method's corresponding input; a Double may differ by at \
            most a tolerance."
        rationale: "The exporter traces the method with one value for each Int, Bool and Double input. If a test case \
            contains another value, its expected outputs are not outputs of the exported method."
        readers: "When ExecuTorch loads the inputs, it compares the values in the test case and the method. For a \
            different value, it returns NotSupported (0x10)."
        source: "`Method::set_input` requires the values that the exporter used when it traced the method. The \
            tolerance for a Double is 0.0001 plus 0.00001 times the absolute value of the method's Double. Two NaN \
            values count as equal."
    }
    BP_INPUT_ORDER = "bp-input-order", Should, Writer, File, Method, "bundled" {
        "A Tensor of `inputs` has the `dim_order` of the method's input, except for dimensions of size 1."
        rationale: "A reader copies the bytes and does not reorder them. If the two tensors have different \
            `dim_order`, the elements are at wrong positions, so the method computes with wrong inputs."
        readers: "Some readers copy the bytes of a bundled tensor and do not compare `dim_order`."
        source: "The rule's strength is `should` because readers accept inputs with a different `dim_order`. In \
            official files, a bundled tensor has the `dim_order` of the example tensor that the exporter received."
    }
    BP_OUTPUT_MATCH = "bp-output-match", Must, Text, File, Execute, "bundled" {
        "Each Tensor of `expected_outputs` belongs to a Tensor output, and has a scalar type, a `dim_order` and sizes \
            that this output can have."
        rationale: "A reader compares the bytes of the expected tensor with the bytes of the output. If the expected \
            tensor is larger than the output, a careless reader reads past the output."
        readers: "Some readers abort if the output is not a Tensor or has another `dim_order`. ExecuTorch returns \
            NotFound (0x20) if the scalar types or the sizes differ."
        source: "A comment in ExecuTorch's `bundled_program_schema.fbs` states that the method produces the expected \
            outputs. The official writer requires Tensor outputs and equal scalar types. `tensors_are_close` requires \
            equal sizes and strides. The position of a dimension of size 1 in `dim_order` does not matter."
        cwe: ["CWE-617", "CWE-125"]
    }
    BP_OUTPUT_TENSOR = "bp-output-tensor", Should, Writer, File, Execute, "bundled" {
        "Every entry of `expected_outputs` is a Tensor."
        rationale: "Readers compare only tensors, so an expected Int, Bool or Double is never compared with the output."
        readers: "When ExecuTorch verifies the outputs, it returns NotSupported (0x10) for an entry that is not a \
            Tensor."
        source: "The official writer accepts only Tensors as expected outputs. The rule's strength is `should` because \
            the schema allows every type of value."
    }
    BP_TENSOR_DATA = "bp-tensor-data", Must, Policy, File, Method, "bundled" {
        "A bundled Tensor has a valid `scalar_type`, `sizes` and `dim_order`, and `data` has at least as many bytes as \
            these fields require."
        rationale: "Readers create a tensor that uses the bytes of `data` in place. If `data` is too short, a careless \
            reader copies the memory after `data` into the model, or compares the model's outputs with this memory."
        readers: "In ATen mode, ExecuTorch 1.2.0 and later compare the length of `data` with the tensor's byte count \
            (pytorch/executorch#17163). Some readers do not compare the length of `data` with the tensor's byte count."
        source: "The rule follows from the code in `bundled_program.cpp`. A valid `scalar_type` is 0 to 29, and valid \
            `sizes` are at most 16 non-negative numbers. A valid `dim_order` is a permutation of the numbers from 0 to \
            rank - 1. ExecuTorch's `bundled_program_schema.fbs` makes every field of the tensor optional, but the \
            official writer always writes every field."
        refs: ["B-01", "pytorch/executorch#17163"]
        cwe: ["CWE-130", "CWE-125"]
    }
    BP_VALUE_TYPE = "bp-value-type", Must, Text, File, Method, "bundled" {
        "Every value of a test case is a Tensor, an Int, a Bool or a Double."
        rationale: "A verifier does not check the content of an unknown type. A reader that skips a value of an \
            unknown type runs the method with the input of an earlier test case."
        readers: "When ExecuTorch loads the inputs or verifies the outputs, it returns NotSupported (0x10) for a \
            value of an unknown type. When ExecuTorch verifies the outputs, it accepts only Tensors and also returns \
            NotSupported for an Int, a Bool or a Double."
        source: "The union `ValueUnion` of ExecuTorch's `bundled_program_schema.fbs` has four members: Tensor (1), Int \
            (2), Bool (3) and Double (4)."
        refs: ["F-14"]
        cwe: ["CWE-843"]
    }
    BP_TESTSET_IDX = "bp-testset-idx", Must, Loader, Reader, Method, "bundled" {
        "A reader rejects a test-case index that is equal to or above the number of `test_cases`."
        rationale: "The index comes from the caller, not from the file. With an unchecked index, a reader reads past \
            the end of `test_cases`."
        readers: "When ExecuTorch loads the inputs or verifies the outputs, it returns InvalidArgument (0x12) for an \
            index out of range."
        source: "ExecuTorch's `load_bundled_input` and `verify_method_outputs` check the index."
    }
}
