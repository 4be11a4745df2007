//! Cases about bundled programs: the wrapper, its test cases and the program inside.
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

/// Moves the bytes after the program by 16.
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

/// Sets three sizes to 2^31 − 1, whose product exceeds 2^64.
fn overflow_elements(file: &mut Patcher<'_>, sizes: &str) {
    file.elements(sizes, 0, [i32::MAX; 3]);
}

cases! {
    /// The file is valid: its program has one method with one test case. Other cases are edited copies of this file. A
    /// reader that rejects this file also rejects the edited files, for the wrong reason.
    build "bpte/valid/one-case": "one method with one test case" shows rules::BP_PROGRAM => base::bundle;

    /// The file is valid: its list of expected outputs is empty, so the test case compares no output. A reader that
    /// requires an expected value for each output rejects the file.
    build "bpte/valid/without-outputs": "test case without expected outputs" shows rules::BP_INPUT_ARITY
        => base::bundle_without_outputs;

    /// The file is valid: its inputs have all types of bundled values (tensor, integer, bool and float). A reader that
    /// sets only tensors leaves three inputs unset.
    build "bpte/valid/every-type": "bundled value of every type" shows rules::BP_VALUE_TYPE
        => base::bundle_of_every_type;

    /// The file is valid: its list of test suites is empty. A reader that uses the first suite without a check reads
    /// past the empty list of suites.
    build "bpte/valid/no-suites": "bundle without test suites" shows rules::BP_SUITES
        => || base::bundle_with(base::bundled_program()?, Vec::new());

    /// The file is valid: the vtable of the wrapper's root table has one slot more than the schema defines, as in a
    /// file from a newer writer. Readers must ignore unknown slots.
    accept "bpte/valid/unknown-slot": "vtable slot from a newer schema" shows flatbuffer::FB_UNKNOWN_FIELDS,
        from "bpte/valid/one-case" => |file| file.grow_root_vtable(3);

    /// The identifier is `BP06`, which release 0.1 wrote. A different number in the identifier means an incompatible
    /// format, so a reader must require exactly `BP08`.
    reject "bpte/identifier/release-0-1": "identifier BP06" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case" => |file| file.put(4, b"BP06");

    /// The identifier is `BP09`, an unknown format. A reader that compares only the first two letters of the identifier
    /// misreads the file. A reader must not treat the wrapper as a plain program.
    reject "bpte/identifier/next-version": "identifier BP09" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case" => |file| file.put(4, b"BP09");

    /// The wrapper contains no program. Verifiers do not require the field `program`, so a reader without a null check
    /// dereferences a null pointer.
    reject "bpte/program/absent": "program absent" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case" => |file| file.slot("", 2, 0);

    /// The declared length of the program is 0, but the program's bytes still follow. A reader that passes only the
    /// program's address, without the length, to the program loader accepts the file.
    reject "bpte/program/empty": "empty program" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case" => |file| file.count("program", 0);

    /// The bytes in the wrapper have the identifier of a data file. A reader must check that the wrapper contains a
    /// program. If a reader does not check the identifier, it can parse the bytes with the wrong schema.
    reject "bpte/program/data-file": "identifier FT01 instead of a program" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case" => |file| program_identifier(file, b"FT01");

    /// The bytes in the wrapper have the identifier of a bundled program. A reader must require the identifier of a
    /// program. A reader that unwraps nested bundles recursively needs a limit on the depth.
    reject "bpte/program/bundled-again": "identifier BP08 instead of a program" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case" => |file| program_identifier(file, b"BP08");

    /// The program in the wrapper has the identifier `ET13`. A reader must check the identifiers of both the wrapper
    /// and the program.
    reject "bpte/program/next-version": "identifier ET13 in the program" breaks flatbuffer::FB_IDENTIFIER_EXACT,
        from "bpte/valid/one-case" => |file| program_identifier(file, b"ET13");

    /// The vector that contains the program ends 8 bytes before the end of the program's last segment. A reader that
    /// ignores the vector's length uses bytes outside the vector as weights.
    reject "bpte/program/cut-short": "vector shorter than its program" breaks pte_header::EH_SUM_LE_FILE,
        from "bpte/valid/one-case" => |file| {
            let start = file.at("program", PartKind::Root);
            let base = file.u64_at(start + 24);
            let size = file.u64_at(start + 32);
            file.count("program", u32::try_from(base + size - 8).unwrap_or(0));
        };

    /// The vector that contains the program has 128 bytes, but the program's header declares a size of 744 bytes. A
    /// reader must compare the declared size with the vector's length, not with the file's size.
    reject "bpte/program/cut-in-flatbuffer": "vector ends inside the program's FlatBuffer"
        breaks pte_header::EH_PROGRAM_SIZE_RANGE, from "bpte/valid/one-case" => |file| file.count("program", 128);

    /// The method name in the program has no NUL terminator. A verifier of the wrapper treats the program as plain
    /// bytes, so a reader must verify the program separately.
    reject "bpte/program/name-not-terminated": "method name without a NUL terminator in the program"
        breaks flatbuffer::FB_STRING_NUL,
        from "bpte/valid/one-case" => |file| file.terminator("program.execution_plan[0].name", b'!');

    /// A segment ends past the program but inside the file. A reader that compares the segment's end only with the
    /// file's size uses padding and test data as a constant.
    reject "bpte/program/segment-past-data": "segment past the program's data" breaks segments::SEG_WITHIN_DATA,
        from "bpte/valid/one-case" => |file| file.scalar("program.segments[0].size", 24_u64);

    /// The program's root offset points past the program but inside the file. A reader that compares the root offset
    /// only with the file's size reads test data as tables.
    reject "bpte/program/root-past-program": "program root offset past the program"
        breaks flatbuffer::FB_ROOT_OFFSET_RANGE, from "bpte/valid/one-case" => |file| {
            let start = file.at("program", PartKind::Root);
            let past = u32::try_from(file.len() - start - 8).unwrap_or(0);
            file.put(start, &past.to_le_bytes());
        };

    /// The program is aligned to 16 bytes, but the schema requires 32 bytes. Verifiers do not check the required
    /// alignment, and readers may accept the file.
    either "bpte/program/at-16": "program not aligned to 32 bytes" about rules::BP_PROGRAM_ALIGNED,
        from "bpte/valid/one-case" => |file| move_program(file, 16);

    /// The program is aligned to 8 bytes, which is enough for all of its fields. A reader that uses the program in
    /// place can require an alignment of 16 bytes and reject the file.
    either "bpte/program/at-8": "program not aligned to 16 bytes" about rules::BP_PROGRAM_ALIGNED,
        from "bpte/valid/one-case" => |file| move_program(file, 8);

    /// The wrapper's root offset points a megabyte past the file. If a reader does not check the root offset, it reads
    /// the root table outside the FlatBuffer.
    reject "bpte/structure/root-past-end": "root offset past the end" breaks flatbuffer::FB_ROOT_OFFSET_RANGE,
        from "bpte/valid/one-case" => |file| file.root(0x10_0000);

    /// The length of the program is almost 2^31, far more than the file contains. A reader that trusts the length
    /// accepts invalid positions inside the program.
    reject "bpte/structure/program-length-forged": "program with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS, from "bpte/valid/one-case" => |file| file.count("program", 0x7fff_0000);

    /// The count of test suites is 268 million, but the file has one suite. A search for an unknown suite continues
    /// after the first suite and uses the following bytes as offsets.
    reject "bpte/structure/suites-length-forged": "method_test_suites with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case" => |file| file.count("method_test_suites", 0x1000_0001);

    /// The offset to a test case is 0, so the table of the test case begins at the offset itself. This 0 is also the
    /// table's vtable offset, so the table is its own vtable and has no inputs.
    reject "bpte/structure/test-case-0": "offset 0 in the vector of test cases" breaks flatbuffer::FB_UOFFSET_VALID,
        from "bpte/valid/one-case" => |file| file.offset("method_test_suites[0].test_cases[0]", 0);

    /// The method name of a suite has no NUL terminator and is the last string of the file. A reader that compares C
    /// strings reads past the file.
    reject "bpte/structure/method-name-not-terminated": "method name without a NUL terminator"
        breaks flatbuffer::FB_STRING_NUL,
        from "bpte/valid/one-case" => |file| file.terminator("method_test_suites[0].method_name", b'!');

    /// The declared length of a tensor's data is a megabyte, but the data has 16 bytes. A reader that trusts the
    /// declared length copies bytes past the file.
    reject "bpte/structure/data-length-forged": "tensor data with a forged length"
        breaks flatbuffer::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case" => |file| file.count(&of_input("val.data"), 0x10_0000);

    /// The version field is not aligned to 4 bytes. Readers do not use the version, but a verifier must check every
    /// field.
    reject "bpte/structure/version-unaligned": "version not aligned to 4 bytes" breaks flatbuffer::FB_ALIGNMENT,
        from "bpte/valid/one-case" => |file| file.misalign("", "version", PartKind::Scalar);

    /// A 64-bit input integer is aligned to 4 bytes, but not to 8 bytes. On some hosts, the unaligned load of the
    /// integer causes a fault.
    reject "bpte/structure/integer-unaligned": "64-bit input integer not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT, from "bpte/valid/every-type"
        => |file| file.misalign("method_test_suites[0].test_cases[0].inputs[1].val", "int_val", PartKind::Scalar);

    /// A 64-bit input float is aligned to 4 bytes, but not to 8 bytes. Some hosts load unaligned integers but fault on
    /// unaligned floats.
    reject "bpte/structure/float-unaligned": "64-bit input float not aligned to 8 bytes"
        breaks flatbuffer::FB_ALIGNMENT, from "bpte/valid/every-type"
        => |file| file.misalign("method_test_suites[0].test_cases[0].inputs[3].val", "double_val", PartKind::Scalar);

    /// The byte of a bool input is 2. Some readers treat every value except 0 as true, and other readers treat only 1
    /// as true. The expected output is correct for only one of these two interpretations.
    either "bpte/value/bool-2": "bundled bool 2" about flatbuffer::FB_BOOL_CANONICAL, from "bpte/valid/every-type"
        => |file| file.scalar("method_test_suites[0].test_cases[0].inputs[2].val.bool_val", 2_u8);

    /// A bundled value has the type Tensor but no content. Verifiers accept the file, because the type field and the
    /// value field are both optional. A reader that checks only the type dereferences a null pointer.
    reject "bpte/structure/type-without-value": "bundled value with type Tensor and no value"
        breaks flatbuffer::FB_UNION_CONSISTENT, from "bpte/valid/without-outputs" => |file| file.slot(INPUT, 1, 0);

    /// The list of test suites is absent. A bundle without test suites must have an empty list. If a reader searches
    /// for a suite without a null check, it dereferences a null pointer.
    reject "bpte/suites/absent": "method_test_suites absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.slot("", 1, 0);

    /// The suite has no method name. A reader that searches for a suite compares the method's name with a null pointer.
    reject "bpte/suites/method-name-absent": "method_name absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.own_slot("method_test_suites[0]", 0, 0);

    /// The suite names a method that the program does not have. A test run for the method `forward` finds no test case
    /// and may report success.
    either "bpte/suites/method-unknown": "suite for an unknown method" about rules::BP_SUITE_METHOD,
        from "bpte/valid/one-case" => |file| file.elements("method_test_suites[0].method_name", 0, b"unknown");

    /// The suite has no list of test cases. A suite without test cases must have an empty list. If a reader reads the
    /// number of test cases without a null check, it dereferences a null pointer.
    reject "bpte/suites/test-cases-absent": "test_cases absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.own_slot("method_test_suites[0]", 1, 0);

    /// The test case has no list of inputs. A test case without inputs must have an empty list. If a reader reads the
    /// inputs without a null check, it dereferences a null pointer.
    reject "bpte/suites/inputs-absent": "inputs absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.own_slot("method_test_suites[0].test_cases[0]", 0, 0);

    /// The test case has no list of expected outputs. A test case without expected outputs must have an empty list. If
    /// a reader reads the number of expected outputs without a null check, it dereferences a null pointer.
    reject "bpte/suites/expected-outputs-absent": "expected_outputs absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case" => |file| file.own_slot("method_test_suites[0].test_cases[0]", 1, 0);

    /// The test case has no inputs, but the method has one input. If a reader sets all inputs of the method, it reads
    /// past the test case's empty list.
    reject "bpte/arity/no-inputs": "no inputs for a method with one input" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/one-case" => |file| file.count("method_test_suites[0].test_cases[0].inputs", 0);

    /// The test case has three inputs, but the method has four. The bytes of the fourth input still follow the list of
    /// inputs, so a reader that ignores the number of inputs appears to work.
    reject "bpte/arity/inputs-one-less": "one input fewer than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type" => |file| file.count("method_test_suites[0].test_cases[0].inputs", 3);

    /// The test case has four inputs, but the method has three. If a reader sets all inputs of the test case, it sets
    /// an input that does not exist.
    reject "bpte/arity/inputs-one-more": "one input more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type" => |file| file.count("program.execution_plan[0].inputs", 3);

    /// The test case has one expected output, but the method has two outputs. A nonempty list must have one entry per
    /// output. A reader that accepts shorter lists compares only the first output.
    reject "bpte/arity/outputs-one-less": "one expected output fewer than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type" => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs", 1);

    /// The test case has two expected outputs, but the method has one output. If a reader does not compare the numbers
    /// of outputs, it ignores the second value or requests an output that does not exist.
    reject "bpte/arity/outputs-one-more": "one expected output more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type" => |file| file.count("program.execution_plan[0].outputs", 1);

    /// The input tensor needs 16 bytes, but its data has 15. If a reader copies as many bytes as the sizes require, it
    /// reads past the data.
    reject "bpte/tensor/data-too-short": "bundled data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"] => |file| file.count(&of_input("val.data"), 15);

    /// The expected tensor needs 16 bytes, but its data is empty. If a reader compares as many bytes as the sizes
    /// require, it reads past the data.
    reject "bpte/tensor/output-data-too-short": "expected data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"]
        => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs[0].val.data", 0);

    /// The sizes of the input tensor require 32 768 bytes, but the tensor's data has 16 bytes. If a reader copies as
    /// many bytes as the sizes require, it reads past the data and writes past the method's input.
    reject "bpte/tensor/sizes-too-large": "bundled sizes larger than the data" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"]
        => |file| file.elements(&of_input("val.sizes"), 0, 0x1000_i32);

    /// The byte count of the input tensor exceeds 2^64. The wrapped byte count is negative as a signed number, so it
    /// passes a comparison with the data's length.
    reject "bpte/tensor/bytes-wrap": "bundled tensor byte count above 64 bits" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| {
            file.elements(&of_input("val.sizes"), 0, i32::MAX);
            file.elements(&of_input("val.sizes"), 4, i32::MAX);
            file.scalar(&of_input("val.scalar_type"), 7_i8);
        };

    /// The file is valid: input and expected output have three dimensions. A reader that supports only matrices rejects
    /// the file.
    build "bpte/valid/rank-3": "bundled tensors of three dimensions" shows rules::BP_TENSOR_DATA
        => base::bundle_of_rank_3;

    /// The number of elements of the input tensor exceeds 2^64. A reader must detect the overflow when it multiplies
    /// the sizes, before it multiplies the product by the element width.
    reject "bpte/tensor/elements-overflow": "bundled tensor of more than 2^64 elements" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/rank-3" => |file| overflow_elements(file, &of_input("val.sizes"));

    /// The number of elements of the expected tensor exceeds 2^64. A reader that checks only inputs for overflow aborts
    /// or reads past the data when it compares outputs.
    reject "bpte/tensor/output-elements-overflow": "expected tensor of more than 2^64 elements"
        breaks rules::BP_TENSOR_DATA, from "bpte/valid/rank-3" => |file| overflow_elements(file, &of_output("sizes"));

    /// The input tensor has no field `data`. A tensor without elements must have an empty vector. If a reader does not
    /// check for this field, it creates a tensor with a null pointer.
    reject "bpte/tensor/data-absent": "bundled tensor data absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs" => |file| file.slot(&of_input("val"), 2, 0);

    /// The input tensor has no list of sizes. A tensor of no dimensions must have an empty list. If a reader reads the
    /// rank without a null check, it dereferences a null pointer.
    reject "bpte/tensor/sizes-absent": "bundled tensor sizes absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs" => |file| file.slot(&of_input("val"), 1, 0);

    /// The input tensor has no `dim_order`, and the schema defines no default for this field. If a reader reads one
    /// entry of `dim_order` for each size without a null check, it dereferences a null pointer.
    reject "bpte/tensor/dim-order-absent": "bundled tensor dim_order absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs" => |file| file.slot(&of_input("val"), 3, 0);

    /// The input tensor has two sizes, but `dim_order` has only one entry. A reader that reads one entry of `dim_order`
    /// for each size reads past the end of `dim_order`.
    reject "bpte/tensor/dim-order-short": "bundled tensor dim_order shorter than sizes" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| file.count(&of_input("val.dim_order"), 1);

    /// `dim_order` lists dimension 0 twice and omits dimension 1. A reader that checks only the range of the entries
    /// computes wrong strides and sets wrong inputs.
    reject "bpte/tensor/dim-order-twice": "repeated dimension in a bundled dim_order" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| file.elements(&of_input("val.dim_order"), 0, &[0, 0]);

    /// A size of the input tensor is −1, so the byte count is −8. As a signed number, −8 is less than the data's
    /// length; as an unsigned number, −8 is almost 2^64.
    reject "bpte/tensor/size-negative": "bundled tensor size −1" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| file.elements(&of_input("val.sizes"), 0, -1_i32);

    /// The scalar type of the input tensor is 99, which is undefined. A reader that uses the type as an index without a
    /// check reads past its table of element widths.
    reject "bpte/tensor/scalar-type-99": "bundled tensor scalar type 99" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case" => |file| file.scalar(&of_input("val.scalar_type"), 99_i8);

    /// A bundled value has neither a type nor content. Verifiers accept the file, because a value without a type must
    /// have no content. A reader that skips the value runs the method with the previous input.
    reject "bpte/value/type-none": "bundled value without a type" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/without-outputs" => |file| {
            file.scalar(&of_input("val_type"), 0_u8);
            file.slot(INPUT, 1, 0);
        };

    /// The type of a bundled value is 6, which is undefined in a bundle. In a program, type 6 is a String. Verifiers do
    /// not check values of unknown types.
    reject "bpte/value/type-6": "bundled value of type 6" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/one-case" => |file| file.scalar(&of_input("val_type"), 6_u8);

    /// The file is valid: the method's input and output have dynamic sizes, and the bundled tensors have fewer rows
    /// than the upper limits. A reader that requires the exact sizes rejects the file.
    build "bpte/valid/smaller-than-bound": "bundled tensors smaller than a dynamic bound" shows rules::BP_INPUT_MATCH
        => base::bundle_of_dynamic;

    /// The file is valid: an input float differs from the method's float by less than the tolerance. A reader that
    /// requires equal bits rejects floats that lost digits in a conversion to decimal text.
    accept "bpte/valid/double-within-tolerance": "input float close to the method's float" shows rules::BP_INPUT_VALUE,
        from "bpte/valid/every-type" => |file| file.scalar(&nth_input(3, "double_val"), 0.500_01_f64.to_bits());

    /// The second input of the method is a tensor, but the second input of the test case is an integer. A reader that
    /// trusts the test case uses the integer as a tensor.
    reject "bpte/value/other-type-than-method": "input of another type than the method has"
        breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/every-type" => |file| file.elements("program.execution_plan[0].inputs", 4, 2_i32);

    /// An input integer is 2, but the exporter specialized the method for the value 1. A reader that ignores the
    /// bundled integer runs the method with 1, but compares the outputs with the expected outputs for 2.
    reject "bpte/value/int-differs": "input integer other than the method's" breaks rules::BP_INPUT_VALUE,
        from "bpte/valid/every-type" => |file| file.scalar(&nth_input(1, "int_val"), 2_i64);

    /// An input bool is false, but the exporter specialized the method for the value true. A reader must compare the
    /// bundled bool with the method's bool.
    reject "bpte/value/bool-differs": "input bool other than the method's" breaks rules::BP_INPUT_VALUE,
        from "bpte/valid/every-type" => |file| file.scalar(&nth_input(2, "bool_val"), 0_u8);

    /// An input float is 0.75, but the exporter specialized the method for the value 0.5. The difference between 0.75
    /// and 0.5 is larger than a rounding error.
    reject "bpte/value/double-differs": "input float other than the method's" breaks rules::BP_INPUT_VALUE,
        from "bpte/valid/every-type" => |file| file.scalar(&nth_input(3, "double_val"), 0.75_f64.to_bits());

    /// The method's input is a tensor of floats, but the bundled tensor has integers of the same width. A reader that
    /// compares only the byte counts accepts the input and uses the integers as floats.
    reject "bpte/tensor/scalar-type-differs": "bundled scalar type other than the method's"
        breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.scalar(&of_input("val.scalar_type"), 3_i8);

    /// The method's input has two dimensions, but the bundled tensor has one. If a reader copies one size for each
    /// dimension of the method's input, it reads past the bundled tensor's list of sizes.
    reject "bpte/tensor/rank-differs": "bundled rank other than the method's" breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/one-case" => |file| {
            file.count(&of_input("val.sizes"), 1);
            file.count(&of_input("val.dim_order"), 1);
        };

    /// The method's input is 2 × 2, but the bundled tensor is 4 × 1. Both tensors have the same number of bytes, so a
    /// reader must compare the sizes.
    reject "bpte/tensor/sizes-differ": "bundled sizes other than the method's" breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.elements(&of_input("val.sizes"), 0, [4_i32, 1]);

    /// The bundled tensor has three rows, but the method's dynamic input has at most two rows. If a reader does not
    /// check this limit, it writes past the memory of the input.
    reject "bpte/tensor/larger-than-bound": "bundled tensor larger than the dynamic bound" breaks rules::BP_INPUT_MATCH,
        from "bpte/valid/smaller-than-bound" => |file| file.elements(&of_input("val.sizes"), 0, 3_i32);

    /// The bundled tensor is stored column by column, but the method's input is stored row by row. Readers copy the
    /// bytes unchanged, so the method receives a transposed input.
    either "bpte/tensor/dim-order-differs": "bundled dim_order other than the method's" about rules::BP_INPUT_ORDER,
        from "bpte/valid/one-case" => |file| file.elements(&of_input("val.dim_order"), 0, &[1, 0]);

    /// The first output of the method is an Int, but the test case expects a tensor. If a reader does not check the
    /// type of the output, it uses an integer as the address of a tensor.
    reject "bpte/output/tensor-for-int": "expected tensor for an integer output" breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/every-type" => |file| file.elements("program.execution_plan[0].outputs", 0, 3_i32);

    /// The method's output is a tensor of floats, but the expected tensor has integers of the same width. A reader that
    /// compares the elements as floats reports differences that do not exist.
    reject "bpte/output/scalar-type-differs": "expected scalar type other than the method's"
        breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.scalar(&of_output("scalar_type"), 3_i8);

    /// The method's output is 2 × 2, but the expected tensor is 4 × 1. A reader that compares only the bytes of the two
    /// tensors reports success for an output of a different shape.
    reject "bpte/output/sizes-differ": "expected sizes other than the method's" breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.elements(&of_output("sizes"), 0, [4_i32, 1]);

    /// The expected tensor has three rows, but the method's dynamic output has at most two rows. If a reader compares
    /// all elements of the expected tensor, it reads past the output.
    reject "bpte/output/larger-than-bound": "expected tensor larger than the dynamic bound"
        breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/smaller-than-bound" => |file| file.elements(&of_output("sizes"), 0, 3_i32);

    /// The expected tensor is stored column by column, but the method's output is stored row by row. A reader that
    /// checks the strides with an assertion ends the process.
    reject "bpte/output/dim-order-differs": "expected dim_order other than the method's" breaks rules::BP_OUTPUT_MATCH,
        from "bpte/valid/one-case" => |file| file.elements(&of_output("dim_order"), 0, &[1, 0]);

    /// The expected output of the test case is an Int. The official writer accepts only tensors as expected outputs.
    /// Readers compare only tensors, so a reader can report success without a comparison.
    build "bpte/output/int": "integer as an expected output" about rules::BP_OUTPUT_TENSOR
        => base::bundle_expecting_int;

    /// Two suites name the same method. A reader uses the first suite, so the test cases of the second suite never run.
    build "bpte/suites/method-twice": "two suites for one method" about rules::BP_SUITE_UNIQUE
        => base::bundle_of_two_suites;
}
