//! Cases about bundled programs: the wrapper, its test cases and the program inside it.
//!
//! A reader without a verifier trusts every count and length in a bundled program.

use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::PartKind;
use crate::patch::Patcher;
use crate::rules::{bundled as rules, flatbuffer, pte_header, segments};

const INPUT: &str = "method_test_suites[0].test_cases[0].inputs[0]";

fn of_input(field: &str) -> alloc::string::String {
    alloc::format!("{INPUT}.{field}")
}

fn nth_input(index: usize, field: &str) -> alloc::string::String {
    alloc::format!("method_test_suites[0].test_cases[0].inputs[{index}].val.{field}")
}

fn of_output(field: &str) -> alloc::string::String {
    alloc::format!("method_test_suites[0].test_cases[0].expected_outputs[0].val.{field}")
}

fn program_identifier(file: &mut Patcher<'_>, identifier: &[u8; 4]) {
    let at = file.at("program.identifier", PartKind::Identifier);
    file.put(at, identifier);
}

/// Moves the program by `by` bytes, and everything after it by 16.
fn move_program(file: &mut Patcher<'_>, by: usize) {
    let program = file.at("program", PartKind::Count);
    let suites = file.at("method_test_suites", PartKind::Count);
    let end = program + 4 + file.u32_at(program);
    let padding = [0; 16];
    if by < padding.len() {
        file.insert(end, &padding[by..]);
    }
    file.insert(program, &padding[..by]);
    file.point("program", program + by);
    file.point("method_test_suites", suites + 16);
}

/// Sets three sizes to 2^31 − 1, so that their product exceeds 2^64.
fn overflow_elements(file: &mut Patcher<'_>, sizes: &str) {
    file.elements(sizes, 0, [i32::MAX; 3]);
}

cases! {
    /// Other cases edit this file. A reader that rejects it rejects all of those as well, but for the wrong reason.
    build "bpte/valid/one-case": "one method with one test case" shows rules::BP_PROGRAM => base::bundle;

    /// The list of expected outputs is empty, so nothing is compared. A reader that expects a value per output rejects the file.
    build "bpte/valid/without-outputs": "test case without expected outputs" shows rules::BP_INPUT_ARITY
        => base::bundle_without_outputs;

    /// The inputs are a tensor, an integer, a bool and a float. A reader that sets only tensors leaves the other three unset.
    build "bpte/valid/every-type": "bundled value of every type" shows rules::BP_VALUE_TYPE
        => base::bundle_of_every_type;

    /// A reader that uses the first suite without checking the count reads past the empty list.
    build "bpte/valid/no-suites": "bundle without test suites" shows rules::BP_SUITES
        => || base::bundle_with(base::bundled_program()?, Vec::new());

    /// The wrapper's root table has one more slot than the schema defines, as if a newer writer had written it.
    accept "bpte/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "bpte/valid/one-case" => |file| file.grow_root_vtable(3);

    /// Release 0.1 wrote this identifier. A different number means an incompatible format, so only `BP08` is valid.
    reject "bpte/identifier/release-0-1": "identifier BP06" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case" => |file| file.put(4, b"BP06");

    /// A reader that compares only the two letters misreads the file. So does a reader that takes the wrapper for a program.
    reject "bpte/identifier/next-version": "identifier BP09" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case" => |file| file.put(4, b"BP09");

    /// Verifiers accept a wrapper without a program, so a reader that does not check the field dereferences null.
    reject "bpte/program/absent": "program absent" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case" => |file| file.slot("", 2, 0);

    /// The vector's length is 0, but the program's bytes still follow. A reader that ignores the length accepts the file.
    reject "bpte/program/empty": "empty program" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case" => |file| file.count("program", 0);

    /// The wrapped file has the identifier of a data file instead of a program. A reader that does not check it parses
    /// the content with the wrong schema.
    reject "bpte/program/data-file": "identifier FT01 instead of a program" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case" => |file| program_identifier(file, b"FT01");

    /// The wrapped file has the identifier of a bundle. A reader that unwraps bundles recursively needs a limit on the depth.
    reject "bpte/program/bundled-again": "identifier BP08 instead of a program" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case" => |file| program_identifier(file, b"BP08");

    /// A bundle has two identifiers, the wrapper's and the program's, and a reader must check both.
    reject "bpte/program/next-version": "identifier ET13 in the program" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "bpte/valid/one-case" => |file| program_identifier(file, b"ET13");

    /// The vector ends 8 bytes before the end of the program's last segment. A reader that ignores the vector's length
    /// uses the bytes that follow as weights.
    reject "bpte/program/cut-short": "vector shorter than its program" breaks pte_header::EH_SUM_LE_FILE,
        from "bpte/valid/one-case" => |file| {
            let start = file.at("program", PartKind::Root);
            let base = file.u64_at(start + 24);
            let size = file.u64_at(start + 32);
            file.count("program", u32::try_from(base + size - 8).unwrap_or(0));
        };

    /// The program declares 744 bytes, but its vector has only 128. Comparing 744 with the file's size is not enough.
    reject "bpte/program/cut-in-flatbuffer": "vector ends inside the program's FlatBuffer"
        breaks pte_header::EH_PROGRAM_SIZE_RANGE, from "bpte/valid/one-case" => |file| file.count("program", 128);

    /// To a verifier that checks the wrapper, the program is plain bytes, so a reader has to verify the program separately.
    reject "bpte/program/name-not-terminated": "method name without a NUL terminator in the program"
        breaks flatbuffer::FB_STRING_NUL,
        from "bpte/valid/one-case" => |file| file.terminator("program.execution_plan[0].name", b'!');

    /// The segment ends past the program but inside the file, so padding and test data can end up in a constant.
    reject "bpte/program/segment-past-data": "segment past the program's data" breaks segments::SEG_WITHIN_DATA,
        from "bpte/valid/one-case" => |file| file.scalar("program.segments[0].size", 24_u64);

    /// The root offset is past the program but inside the file, so a reader could parse test data as tables.
    reject "bpte/program/root-past-program": "program root offset past the program"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE, from "bpte/valid/one-case" => |file| {
            let start = file.at("program", PartKind::Root);
            let past = u32::try_from(file.len() - start - 8).unwrap_or(0);
            file.put(start, &past.to_le_bytes());
        };

    /// The schema requires an alignment of 32, but verifiers do not check it, and readers may accept the file.
    either "bpte/program/at-16": "program not aligned to 32 bytes" about rules::BP_PROGRAM_ALIGNED,
        from "bpte/valid/one-case" => |file| move_program(file, 16);

    /// An alignment of 8 is enough for all fields, but a reader that uses the program in place may require 16 and
    /// reject the file.
    either "bpte/program/at-8": "program not aligned to 16 bytes" about rules::BP_PROGRAM_ALIGNED,
        from "bpte/valid/one-case" => |file| move_program(file, 8);

    /// The wrapper's root table is a megabyte past the end of the file.
    reject "bpte/structure/root-past-end": "root offset past the end" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "bpte/valid/one-case" => |file| file.root(0x10_0000);

    /// The vector declares almost 2^31 bytes, so positions outside the file still seem to be inside the program.
    reject "bpte/structure/program-length-forged": "program with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS, from "bpte/valid/one-case" => |file| file.count("program", 0x7fff_0000);

    /// The vector declares 268 million suites but has one. A search for an unknown method continues after that suite
    /// and reads the bytes there as offsets.
    reject "bpte/structure/suites-length-forged": "method_test_suites with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case" => |file| file.count("method_test_suites", 0x1000_0001);

    /// The test case's offset points to itself. Its 0 is also the vtable offset, so the test case is its own vtable and
    /// has no inputs.
    reject "bpte/structure/test-case-0": "offset 0 in the vector of test cases" breaks flatbuffer::FB_UOFFSET_VALID,
        from "bpte/valid/one-case" => |file| file.offset("method_test_suites[0].test_cases[0]", 0);

    /// The name is the last string in the file, so comparing it as a C string reads past the file's end.
    reject "bpte/structure/method-name-not-terminated": "method name without a NUL terminator"
        breaks flatbuffer::FB_STRING_NUL,
        from "bpte/valid/one-case" => |file| file.terminator("method_test_suites[0].method_name", b'!');

    /// The vector declares a megabyte but has 16 bytes, so copying it reads past the file.
    reject "bpte/structure/data-length-forged": "tensor data with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case" => |file| file.count(&of_input("val.data"), 0x10_0000);

    /// Readers never use the version, but a verifier has to check the alignment of every field.
    reject "bpte/structure/version-unaligned": "version not aligned to 4 bytes" breaks flatbuffer::FB_ALIGNMENT,
        from "bpte/valid/one-case" => |file| file.misalign("", "version", PartKind::Scalar);

    /// The integer is aligned to only 4 bytes, and loading it faults on strict-alignment CPUs.
    reject "bpte/structure/integer-unaligned": "64-bit input integer not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT, from "bpte/valid/every-type"
        => |file| file.misalign("method_test_suites[0].test_cases[0].inputs[1].val", "int_val", PartKind::Scalar);

    /// The float is aligned to only 4 bytes. Some hosts load misaligned integers but fault on misaligned floats.
    reject "bpte/structure/float-unaligned": "64-bit input float not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT, from "bpte/valid/every-type"
        => |file| file.misalign("method_test_suites[0].test_cases[0].inputs[3].val", "double_val", PartKind::Scalar);

    /// Some readers treat 2 as true, but others do not, so the expected output can be right for only some of them.
    either "bpte/value/bool-2": "bundled bool 2" about flatbuffer::FB_BOOL_CANONICAL, from "bpte/valid/every-type"
        => |file| file.scalar("method_test_suites[0].test_cases[0].inputs[2].val.bool_val", 2_u8);

    /// Verifiers accept a type without a value, because both fields are optional. A reader that checks only the type
    /// dereferences null.
    reject "bpte/structure/type-without-value": "bundled value with type Tensor and no value"
        breaks flatbuffer::FB_UNION_CONSISTENT, from "bpte/valid/without-outputs" => |file| file.slot(INPUT, 1, 0);

    /// Even a bundle without suites needs an empty list, because searching an absent list dereferences null.
    reject "bpte/suites/absent": "method_test_suites absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.slot("", 1, 0);

    /// A reader that searches for a method's suite compares the method's name with null.
    reject "bpte/suites/method-name-absent": "method_name absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.own_slot("method_test_suites[0]", 0, 0);

    /// The only suite is for a method that does not exist. A test of `forward` finds no test cases, so it may report success.
    either "bpte/suites/method-unknown": "suite for an unknown method" about rules::BP_SUITE_METHOD,
        from "bpte/valid/one-case" => |file| file.elements("method_test_suites[0].method_name", 0, b"unknown");

    /// Even a suite without test cases needs an empty list, because reading an absent list's length dereferences null.
    reject "bpte/suites/test-cases-absent": "test_cases absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.own_slot("method_test_suites[0]", 1, 0);

    /// Even a test case without inputs needs an empty list, because reading an absent list dereferences null.
    reject "bpte/suites/inputs-absent": "inputs absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.own_slot("method_test_suites[0].test_cases[0]", 0, 0);

    /// Even a test case without expected outputs needs an empty list, because counting an absent list's entries
    /// dereferences null.
    reject "bpte/suites/expected-outputs-absent": "expected_outputs absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.own_slot("method_test_suites[0].test_cases[0]", 1, 0);

    /// A reader that sets every input of the method reads past the empty list.
    reject "bpte/arity/no-inputs": "no inputs for a method with one input" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/one-case" => |file| file.count("method_test_suites[0].test_cases[0].inputs", 0);

    /// The fourth input still follows the shortened list, so a reader that ignores the count seems to work.
    reject "bpte/arity/inputs-one-less": "one input fewer than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type" => |file| file.count("method_test_suites[0].test_cases[0].inputs", 3);

    /// A reader that sets every input of the test case also sets an input that the method does not have.
    reject "bpte/arity/inputs-one-more": "one input more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type" => |file| file.count("program.execution_plan[0].inputs", 3);

    /// A nonempty list must contain one value per output. A reader that accepts fewer leaves the last output unchecked.
    reject "bpte/arity/outputs-one-less": "one expected output fewer than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type" => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs", 1);

    /// A reader ignores the second value or compares it with an output that does not exist.
    reject "bpte/arity/outputs-one-more": "one expected output more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type" => |file| file.count("program.execution_plan[0].outputs", 1);

    /// The tensor needs 16 bytes but has 15. Copying as many bytes as the sizes require reads past the data.
    reject "bpte/tensor/data-too-short": "bundled data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"] => |file| file.count(&of_input("val.data"), 15);

    /// The expected tensor needs 16 bytes but has 0. Comparing as many bytes as the sizes require reads past the data.
    reject "bpte/tensor/output-data-too-short": "expected data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"]
        => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs[0].val.data", 0);

    /// The sizes require 32 768 bytes, but there are 16. A reader that copies as many bytes as the sizes require reads
    /// past the data and writes past the method's input.
    reject "bpte/tensor/sizes-too-large": "bundled sizes larger than the data" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"]
        => |file| file.elements(&of_input("val.sizes"), 0, 0x1000_i32);

    /// As a signed number, the wrapped byte count is negative, so it is less than the data's length.
    reject "bpte/tensor/bytes-wrap": "bundled tensor byte count above 64 bits" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| {
            file.elements(&of_input("val.sizes"), 0, i32::MAX);
            file.elements(&of_input("val.sizes"), 4, i32::MAX);
            file.scalar(&of_input("val.scalar_type"), 7_i8);
        };

    /// A reader that supports only matrices rejects the file.
    build "bpte/valid/rank-3": "bundled tensors with three dimensions" shows rules::BP_TENSOR_DATA
        => base::bundle_of_rank_3;

    /// The product of the sizes overflows even before it is multiplied by the element width.
    reject "bpte/tensor/elements-overflow": "bundled tensor of more than 2^64 elements" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/rank-3" => |file| overflow_elements(file, &of_input("val.sizes"));

    /// A reader that checks only inputs aborts or reads past the data when it compares the outputs.
    reject "bpte/tensor/output-elements-overflow": "expected tensor of more than 2^64 elements"
        breaks rules::BP_TENSOR_DATA, from "bpte/valid/rank-3" => |file| overflow_elements(file, &of_output("sizes"));

    /// Even a tensor without elements needs an empty vector. If it is missing, a reader may read from a null pointer.
    reject "bpte/tensor/data-absent": "bundled tensor data absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs" => |file| file.slot(&of_input("val"), 2, 0);

    /// Even a bundled tensor without dimensions needs an empty list, because counting an absent list dereferences null.
    reject "bpte/tensor/sizes-absent": "bundled tensor sizes absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs" => |file| file.slot(&of_input("val"), 1, 0);

    /// The schema has no default order, so a reader that expects one entry per size dereferences null.
    reject "bpte/tensor/dim-order-absent": "bundled tensor dim_order absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs" => |file| file.slot(&of_input("val"), 3, 0);

    /// There are two sizes, but `dim_order` has one entry, so the second entry is read from outside the vector.
    reject "bpte/tensor/dim-order-short": "bundled tensor dim_order shorter than sizes" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| file.count(&of_input("val.dim_order"), 1);

    /// Each entry is in range, but dimension 1 is missing, so the strides are wrong, and the method gets the wrong input.
    reject "bpte/tensor/dim-order-twice": "repeated dimension in a bundled dim_order" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| file.elements(&of_input("val.dim_order"), 0, &[0, 0]);

    /// The byte count is −8. As a signed number, it is below the data's length; as an unsigned number, it is almost 2^64.
    reject "bpte/tensor/size-negative": "bundled tensor size −1" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| file.elements(&of_input("val.sizes"), 0, -1_i32);

    /// No scalar type has this number. A reader that uses it as an index reads past its table of widths.
    reject "bpte/tensor/scalar-type-99": "bundled tensor scalar type 99" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| file.scalar(&of_input("val.scalar_type"), 99_i8);

    /// Verifiers accept a value without a type. A reader that skips the value runs the method with the previous input.
    reject "bpte/value/type-none": "bundled value without a type" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/without-outputs" => |file| {
            file.scalar(&of_input("val_type"), 0_u8);
            file.slot(INPUT, 1, 0);
        };

    /// Type 6 is a String in a program but undefined in a bundle. Verifiers skip values of unknown types.
    reject "bpte/value/type-6": "bundled value of type 6" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/one-case" => |file| file.scalar(&of_input("val_type"), 6_u8);

    /// The input and the output have dynamic sizes, and the bundled tensors have fewer rows than the bound. A reader
    /// that requires the exact sizes rejects the file.
    build "bpte/valid/smaller-than-bound": "bundled tensors smaller than a dynamic bound" shows rules::BP_INPUT_MATCH
        => base::bundle_of_dynamic;

    /// The difference is below the tolerance. A reader that compares bits rejects floats that were rounded in decimal text.
    accept "bpte/valid/double-within-tolerance": "input float close to the method's float" shows rules::BP_INPUT_VALUE,
        from "bpte/valid/every-type" => |file| file.scalar(&nth_input(3, "double_val"), 0.500_01_f64.to_bits());

    /// The method's second input is a tensor, but the test case has an integer. A reader without a check uses it as a tensor.
    reject "bpte/value/other-type-than-method": "input whose type differs from the method's"
        breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/every-type" => |file| file.elements("program.execution_plan[0].inputs", 4, 2_i32);

    /// The method was exported for 1, but the test case has 2. A reader that runs the method with 1 expects the outputs for 2.
    reject "bpte/value/int-differs": "input integer other than the method's" breaks rules::BP_INPUT_VALUE,
        from "bpte/valid/every-type" => |file| file.scalar(&nth_input(1, "int_val"), 2_i64);

    /// The method was exported for true, but the test case contains false.
    reject "bpte/value/bool-differs": "input bool other than the method's" breaks rules::BP_INPUT_VALUE,
        from "bpte/valid/every-type" => |file| file.scalar(&nth_input(2, "bool_val"), 0_u8);

    /// The method was exported for 0.5, and 0.75 is too far off to be a rounding error.
    reject "bpte/value/double-differs": "input float other than the method's" breaks rules::BP_INPUT_VALUE,
        from "bpte/valid/every-type" => |file| file.scalar(&nth_input(3, "double_val"), 0.75_f64.to_bits());

    /// The bundled integers are as wide as the method's floats, so a reader that compares only byte counts accepts them.
    reject "bpte/tensor/scalar-type-differs": "bundled scalar type other than the method's"
        breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.scalar(&of_input("val.scalar_type"), 3_i8);

    /// The method's input has two dimensions, but the bundled tensor has one, so copying two sizes reads past the shorter list.
    reject "bpte/tensor/rank-differs": "bundled rank other than the method's" breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/one-case" => |file| {
            file.count(&of_input("val.sizes"), 1);
            file.count(&of_input("val.dim_order"), 1);
        };

    /// Sizes of 2 × 2 and 4 × 1 need the same number of bytes, so a reader has to compare the sizes themselves.
    reject "bpte/tensor/sizes-differ": "bundled sizes other than the method's" breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.elements(&of_input("val.sizes"), 0, [4_i32, 1]);

    /// The tensor has three rows, but the input has room for two, so the third row is written past the input's memory.
    reject "bpte/tensor/larger-than-bound": "bundled tensor larger than the dynamic bound" breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/smaller-than-bound" => |file| file.elements(&of_input("val.sizes"), 0, 3_i32);

    /// Readers copy the bytes as they are, so the method gets a transposed input.
    either "bpte/tensor/dim-order-differs": "bundled dim_order other than the method's" about rules::BP_INPUT_ORDER,
        from "bpte/valid/one-case" => |file| file.elements(&of_input("val.dim_order"), 0, &[1, 0]);

    /// A reader that does not check the output's type uses the integer as a tensor's address.
    reject "bpte/output/tensor-for-int": "expected tensor for an integer output" breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/every-type" => |file| file.elements("program.execution_plan[0].outputs", 0, 3_i32);

    /// A reader that compares the expected integers as floats reports differences that do not exist.
    reject "bpte/output/scalar-type-differs": "expected scalar type other than the method's"
        breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.scalar(&of_output("scalar_type"), 3_i8);

    /// 2 × 2 and 4 × 1 tensors can have the same bytes, so a reader that compares only bytes reports success for the wrong shape.
    reject "bpte/output/sizes-differ": "expected sizes other than the method's" breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.elements(&of_output("sizes"), 0, [4_i32, 1]);

    /// The expected tensor has three rows, but the output has at most two, so comparing all three rows reads past the output.
    reject "bpte/output/larger-than-bound": "expected tensor larger than the dynamic bound"
        breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/smaller-than-bound" => |file| file.elements(&of_output("sizes"), 0, 3_i32);

    /// A reader that checks the strides with an assertion aborts the whole process.
    reject "bpte/output/dim-order-differs": "expected dim_order other than the method's" breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.elements(&of_output("dim_order"), 0, &[1, 0]);

    /// The official writer accepts only tensors as expected outputs. Readers compare only tensors, so success means nothing.
    build "bpte/output/int": "integer as an expected output" about rules::BP_OUTPUT_TENSOR
        => base::bundle_expecting_int;

    /// Readers use the first suite, so the test cases of the second suite never run.
    build "bpte/suites/method-twice": "two suites for one method" about rules::BP_SUITE_UNIQUE
        => base::bundle_of_two_suites;
}
