//! Cases about bundled programs: the wrapper, its test cases and the program inside.
//!
//! A reader without a verifier trusts every count and length here.

use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::PartKind;
use crate::rules::{bundled as rules, flatbuffer, pte_header, segments};

/// The only input of the only test case.
const INPUT: &str = "method_test_suites[0].test_cases[0].inputs[0]";

fn of_input(field: &str) -> alloc::string::String {
    alloc::format!("{INPUT}.{field}")
}

cases! {
    /// The program has one method with one test case: a tensor in, a tensor out. A reader that rejects the file fails
    /// every case that edits the file.
    build "bpte/valid/one-case": "one method with one test case"
        shows rules::BP_PROGRAM, needs ["bundled"] => base::bundle;

    /// The list of expected outputs is present and empty, so the test compares no output. A reader that requires an
    /// expectation for each output rejects the file.
    build "bpte/valid/without-outputs": "test case without expected outputs"
        shows rules::BP_INPUT_ARITY, needs ["bundled"]
        => base::bundle_without_outputs;

    /// The inputs are a tensor, an integer, a bool and a float: one of each type that a bundled value can have. A
    /// reader that sets only tensors leaves three inputs unset.
    build "bpte/valid/every-type": "bundled value of every type" shows rules::BP_VALUE_TYPE, needs ["bundled"]
        => base::bundle_of_every_type;

    /// The list of suites is present and empty. The program runs. A reader that takes the first suite without a check
    /// reads past the list.
    build "bpte/valid/no-suites": "bundle without test suites" shows rules::BP_SUITES, needs ["bundled"]
        => || base::bundle_with(base::bundled_program()?, Vec::new());

    /// The wrapper's root table has one slot more than this schema. Readers must ignore the extra slot.
    accept "bpte/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.grow_root_vtable(3);

    /// Release 0.1 wrote this identifier. The digits change with every incompatible format change, so the tables
    /// differ.
    reject "bpte/identifier/release-0-1": "identifier BP06" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.put(4, b"BP06");

    /// A reader that compares only `BP` misreads unknown tables. A reader that treats every other identifier as a
    /// plain program looks for methods in the wrapper.
    reject "bpte/identifier/next-version": "identifier BP09" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.put(4, b"BP09");

    /// The program is absent, and verifiers of the wrapper require no field. A reader that passes on the vector's
    /// address and length computes both from a null pointer.
    reject "bpte/program/absent": "program absent" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.slot("", 2, 0);

    /// The vector's count is 0, and the program's bytes still follow it. A reader that passes on only the address
    /// loads the program normally.
    reject "bpte/program/empty": "program of no bytes" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 0);

    /// The wrapper is valid and contains a data file's identifier. A tool that dispatches on that identifier parses
    /// a program's tables with the schema of data files.
    reject "bpte/program/data-file": "identifier FT01 in the program" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", PartKind::Identifier);
            file.put(at, b"FT01");
        };

    /// The wrapper contains another bundled program's identifier. A reader that unwraps recursively goes as deep as
    /// the file demands.
    reject "bpte/program/bundled-again": "identifier BP08 in the program" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", PartKind::Identifier);
            file.put(at, b"BP08");
        };

    /// The wrapper's version is known, so a reader may skip the check of the program's version. The program's tables
    /// belong to another version.
    reject "bpte/program/next-version": "identifier ET13 in the program" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", PartKind::Identifier);
            file.put(at, b"ET13");
        };

    /// The vector ends before the program's last segment does, and test data follows. A reader that passes on only
    /// the address reads test data as weights.
    reject "bpte/program/cut-short": "vector shorter than its program" breaks pte_header::EH_SUM_LE_FILE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let start = file.at("program", PartKind::Root);
            let base = file.u64_at(start + 24);
            let size = file.u64_at(start + 32);
            file.count("program", u32::try_from(base + size - 8).unwrap_or(0));
        };

    /// The program declares 744 bytes, and its vector has 128. A comparison with the whole file passes; only a
    /// comparison with the vector fails.
    reject "bpte/program/cut-in-flatbuffer": "vector ends inside the program's FlatBuffer"
        breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 128);

    /// For a verifier of the wrapper, the program is a plain vector of bytes. Only a second verification of the program
    /// finds the missing terminator.
    reject "bpte/program/name-not-terminated": "method name without a NUL terminator in the program"
        breaks flatbuffer::FB_STRING_NUL,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.terminator("program.execution_plan[0].name", b'!');

    /// A segment ends past the program but inside the surrounding file. The constant then includes padding and test
    /// data.
    reject "bpte/program/segment-past-data": "segment past the program's data" breaks segments::SEG_WITHIN_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar("program.segments[0].size", 24_u64);

    /// The program's root offset leads into the test data after it. The position is inside the file but outside the
    /// program.
    reject "bpte/program/root-past-program": "program root offset past the program"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let start = file.at("program", PartKind::Root);
            let past = u32::try_from(file.len() - start - 8).unwrap_or(0);
            file.put(start, &past.to_le_bytes());
        };

    /// The schema requires 32-byte alignment, and the program is aligned only to 16. A writer that ignores the schema's
    /// attribute emits such files.
    either "bpte/program/at-16": "program not at a multiple of 32" about rules::BP_PROGRAM_ALIGNED,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let program = file.at("program", PartKind::Count);
            let suites = file.at("method_test_suites", PartKind::Count);
            file.insert(program, &[0; 16]);
            file.point("program", program + 16);
            file.point("method_test_suites", suites + 16);
        };

    /// The wrapper has no header that states sizes. The wrapper's root offset leads a megabyte past the file.
    reject "bpte/structure/root-past-end": "root offset past the end" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.root(0x10_0000);

    /// Readers take the program's size from the vector's length. Every bounds check inside the program then compares
    /// with two gigabytes.
    reject "bpte/structure/program-length-forged": "program of a forged length" breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 0x7fff_0000);

    /// A search for a method without a suite continues past the only suite and follows each word as an offset.
    reject "bpte/structure/suites-length-forged": "method_test_suites of a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("method_test_suites", 0x1000_0001);

    /// Test case 0 begins at its own slot in the list, where four zeros form the table and its vtable. The test case's
    /// inputs are null.
    reject "bpte/structure/test-case-0": "offset 0 in the vector of test cases" breaks flatbuffer::FB_UOFFSET_VALID,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.offset("method_test_suites[0].test_cases[0]", 0);

    /// The terminator was the file's last byte. A reader that compares C strings reads past the buffer.
    reject "bpte/structure/method-name-not-terminated": "method name without a NUL terminator"
        breaks flatbuffer::FB_STRING_NUL,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.terminator("method_test_suites[0].method_name", b'!');

    /// The sizes need 16 bytes and the length is a megabyte, so a check for enough data passes. A copy by length reads
    /// past the file.
    reject "bpte/structure/data-length-forged": "tensor data of a forged length" breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count(&of_input("val.data"), 0x10_0000);

    /// The version field is not aligned. No reader uses the field, but a verifier that visits every field rejects the
    /// file.
    reject "bpte/structure/version-unaligned": "version not at a multiple of 4" breaks flatbuffer::FB_ALIGNMENT,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.misalign("", "version", PartKind::Scalar);

    /// The integer is aligned to four bytes only. A host without unaligned loads crashes when the host sets the inputs,
    /// and the crash looks like a fault of the model.
    reject "bpte/structure/integer-unaligned": "64-bit input integer not at a multiple of 8"
        breaks flatbuffer::FB_ALIGNMENT,
        from "bpte/valid/every-type", needs ["bundled"] => |file| {
            file.misalign("method_test_suites[0].test_cases[0].inputs[1].val", "int_val", PartKind::Scalar);
        };

    /// The float is aligned to four bytes only. Some hosts load unaligned integers but fault on unaligned floats.
    reject "bpte/structure/float-unaligned": "64-bit input float not at a multiple of 8" breaks flatbuffer::FB_ALIGNMENT,
        from "bpte/valid/every-type", needs ["bundled"] => |file| {
            file.misalign("method_test_suites[0].test_cases[0].inputs[3].val", "double_val", PartKind::Scalar);
        };

    /// The byte becomes an input of the method. Readers disagree whether 2 is true, and the expected output matches
    /// only one interpretation.
    either "bpte/value/bool-2": "bundled bool 2" about flatbuffer::FB_BOOL_CANONICAL,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.scalar("method_test_suites[0].test_cases[0].inputs[2].val.bool_val", 2_u8);

    /// The type is Tensor and the value is absent; verifiers treat both as optional. A reader dereferences a null
    /// pointer to get sizes and data.
    reject "bpte/structure/type-without-value": "bundled value with type Tensor and no value"
        breaks flatbuffer::FB_UNION_CONSISTENT,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(INPUT, 1, 0);

    /// The list of suites is absent; a bundle without test cases has an empty list. A reader that looks for a suite
    /// dereferences a null pointer.
    reject "bpte/suites/absent": "method_test_suites absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.slot("", 1, 0);

    /// A suite does not name its method. A search for any suite compares a null pointer with the method name.
    reject "bpte/suites/method-name-absent": "method_name absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.own_slot("method_test_suites[0]", 0, 0);

    /// The suite names a method that the program lacks. A test run for `forward` finds no test case and may report
    /// success.
    reject "bpte/suites/method-unknown": "suite for an unknown method" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.elements("method_test_suites[0].method_name", 0, b"unknown");

    /// The list of test cases is absent; a suite without test cases has an empty list. To check the test case number, a
    /// reader dereferences a null pointer to get the list's length.
    reject "bpte/suites/test-cases-absent": "test_cases absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.own_slot("method_test_suites[0]", 1, 0);

    /// The list of inputs is absent; a method without inputs has an empty list. A reader that sets each input of the
    /// method dereferences a null pointer.
    reject "bpte/suites/inputs-absent": "inputs absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.own_slot("method_test_suites[0].test_cases[0]", 0, 0);

    /// The list of expected outputs is absent; a test case without expectations has an empty list. A reader
    /// dereferences a null pointer to get the list's length.
    reject "bpte/suites/expected-outputs-absent": "expected_outputs absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.own_slot("method_test_suites[0].test_cases[0]", 1, 0);

    /// The test case has no inputs, and the method has one input. A reader that loops over the method's inputs reads
    /// past the list.
    reject "bpte/arity/no-inputs": "no inputs for a method with one" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].inputs", 0);

    /// The count is one less than the method's inputs, but the fourth input still follows the list. A reader that loops
    /// over the method's inputs runs normally.
    reject "bpte/arity/inputs-one-less": "one input fewer than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].inputs", 3);

    /// The test case has a float for which the method has no input. A reader that loops over the test case sets an
    /// input that does not exist.
    reject "bpte/arity/inputs-one-more": "one input more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("program.execution_plan[0].inputs", 3);

    /// An empty list of expectations is valid, so a reader may accept any list shorter than the outputs. With one
    /// expectation, the reader compares only the first of two outputs.
    reject "bpte/arity/outputs-one-less": "one expected output fewer than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs", 1);

    /// A reader that loops over the method's outputs ignores the second expectation and reports a match. A reader that
    /// loops over the expectations requests an output that does not exist.
    reject "bpte/arity/outputs-one-more": "one expected output more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("program.execution_plan[0].outputs", 1);

    /// The sizes need 16 bytes and the data has 15. A reader that copies by the sizes reads past the data.
    reject "bpte/tensor/data-too-short": "bundled data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.count(&of_input("val.data"), 15);

    /// The expected tensor has no data. A reader that compares by the sizes, 16 bytes, reads the tables after the data.
    reject "bpte/tensor/output-data-too-short": "expected data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs[0].val.data", 0);

    /// The sizes are 4 096 × 2 floats, and data and method input have 16 bytes. A copy by the sizes reads past the
    /// data and writes past the input.
    reject "bpte/tensor/sizes-too-large": "bundled sizes larger than the data" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.elements(&of_input("val.sizes"), 0, &0x1000_i32.to_le_bytes());

    /// The byte count exceeds 2^64. As a signed number, the remainder is negative and less than the length of any data.
    reject "bpte/tensor/bytes-wrap": "bundled tensor byte count above 64 bits" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            file.elements(&of_input("val.sizes"), 0, &i32::MAX.to_le_bytes());
            file.elements(&of_input("val.sizes"), 4, &i32::MAX.to_le_bytes());
            file.scalar(&of_input("val.scalar_type"), 7_i8);
        };

    /// The data is absent; a tensor without elements has an empty vector of data. The reader creates a tensor over a
    /// null pointer.
    reject "bpte/tensor/data-absent": "bundled tensor data absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 2, 0);

    /// The sizes are absent; a tensor of no dimensions has an empty list of sizes. A reader dereferences a null pointer
    /// to get the rank.
    reject "bpte/tensor/sizes-absent": "bundled tensor sizes absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 1, 0);

    /// `dim_order` has no default, although most tensors use the natural order. A reader that walks `dim_order` by the
    /// number of sizes dereferences a null pointer.
    reject "bpte/tensor/dim-order-absent": "bundled tensor dim_order absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 3, 0);

    /// `dim_order` has fewer entries than there are sizes. The reader computes strides from the bytes after the list.
    reject "bpte/tensor/dim-order-short": "bundled tensor dim_order shorter than sizes" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count(&of_input("val.dim_order"), 1);

    /// Each entry is below the rank. With strides from this order, the input has some elements twice and lacks others,
    /// so the comparison with the expected output fails.
    reject "bpte/tensor/dim-order-twice": "repeated dimension in a bundled dim_order" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.elements(&of_input("val.dim_order"), 0, &[0, 0]);

    /// The byte count is −8. As a signed number, −8 is less than the data's length, so the check passes. As an unsigned
    /// number, −8 is almost 2^64, so a copy never ends.
    reject "bpte/tensor/size-negative": "bundled tensor size −1" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.elements(&of_input("val.sizes"), 0, &(-1_i32).to_le_bytes());

    /// The element width decides how many bytes to copy, and type 99 has no width. The lookup reads past a table or
    /// aborts the test runner.
    reject "bpte/tensor/scalar-type-99": "bundled tensor scalar type 99" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar(&of_input("val.scalar_type"), 99_i8);

    /// Type and value are both absent, so the union is consistent and verifiers accept it. A reader that skips the
    /// value runs the method on stale input.
    reject "bpte/value/type-none": "bundled value without a type" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| {
            file.scalar(&of_input("val_type"), 0_u8);
            file.slot(INPUT, 1, 0);
        };

    /// Type 6 is a String in a program but unknown in a bundle. Verifiers check only known types, so the value's
    /// content is unverified.
    reject "bpte/value/type-6": "bundled value of type 6" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar(&of_input("val_type"), 6_u8);
}
