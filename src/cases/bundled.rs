//! Bundled programs: the FlatBuffer around the program, the test cases in it, and the program, each broken in its own ways.
//!
//! A reader that verifies nothing takes every count and every length here by its word.

use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::What;
use crate::rules::{bundled as rules, envelope, pte_header, segments};

/// The one input of the one test case.
const INPUT: &str = "method_test_suites[0].test_cases[0].inputs[0]";

fn of_input(field: &str) -> alloc::string::String {
    alloc::format!("{INPUT}.{field}")
}

cases! {
    /// A program with one method, and one test case of it: a tensor in, a tensor out. A reader that refuses it fails every
    /// case that is built on it.
    build "bpte/valid/one-case": "one method, one test case" shows rules::BP_PROGRAM, needs ["bundled"] => base::bundle;

    /// A test case that expects nothing: the list of outputs is there and empty. It feeds the method, and what comes out is
    /// not compared.
    build "bpte/valid/without-outputs": "nothing expected" shows rules::BP_INPUT_ARITY, needs ["bundled"]
        => base::bundle_without_outputs;

    /// A tensor, an integer, a bool and a float: every type that a bundled value can have.
    build "bpte/valid/every-type": "a value of every type" shows rules::BP_VALUE_TYPE, needs ["bundled"]
        => base::bundle_of_every_type;

    /// No test cases at all: the list of suites is there and empty.
    build "bpte/valid/no-suites": "no suites" shows rules::BP_SUITES, needs ["bundled"]
        => || base::bundle_with(base::bundled_program()?, Vec::new());

    /// A newer writer's root table has a slot more than this schema knows. Readers must ignore it.
    accept "bpte/valid/unknown-slot": "a slot from a newer schema" shows envelope::FB_UNKNOWN_FIELDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.grow_root_vtable(3);

    /// The identifier that release 0.1 wrote. Its digits change with every incompatible change, so these are other tables.
    reject "bpte/identifier/release-0-1": "identifier BP06" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.put(4, b"BP06");

    /// An identifier that no release has had yet.
    reject "bpte/identifier/next-version": "identifier BP09" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.put(4, b"BP09");

    /// No program: readers follow the null pointer.
    reject "bpte/program/absent": "program absent" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.slot("", 2, 0);

    /// A program of no bytes, with bytes behind it that are none of its own.
    reject "bpte/program/empty": "program of no bytes" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 0);

    /// A data file's identifier where the program's belongs.
    reject "bpte/program/data-file": "identifier FT01 where the program is" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", What::Identifier);
            file.put(at, b"FT01");
        };

    /// A bundled program where the program belongs: a reader that looks for the program in it anew at each level goes as deep
    /// as the file asks for.
    reject "bpte/program/bundled-again": "identifier BP08 where the program is" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", What::Identifier);
            file.put(at, b"BP08");
        };

    /// The program is of another version of its own format.
    reject "bpte/program/next-version": "identifier ET13 where the program is" breaks envelope::FB_IDENTIFIER_EXACT,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", What::Identifier);
            file.put(at, b"ET13");
        };

    /// The vector ends before the program's last segment does. What follows it in the file is test data: a reader that passes
    /// on the program's address and not its length reads that as weights.
    reject "bpte/program/cut-short": "vector shorter than the program in it" breaks pte_header::EH_SUM_LE_FILE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let start = file.at("program", What::Root);
            let base = file.u64_at(start + 24);
            let size = file.u64_at(start + 32);
            file.count("program", u32::try_from(base + size - 8).unwrap_or(0));
        };

    /// The program ends inside its own FlatBuffer.
    reject "bpte/program/cut-in-flatbuffer": "vector ends inside the program's FlatBuffer"
        breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 128);

    /// A string inside the program without its zero byte: the file around it is whole.
    reject "bpte/program/name-not-terminated": "method name without its zero byte, in the program"
        breaks envelope::FB_STRING_NUL,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.terminator("program.execution_plan[0].name", b'!');

    /// A segment of the program past the program's end, and still inside of the file around it.
    reject "bpte/program/segment-past-data": "segment past the program's data" breaks segments::SEG_WITHIN_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar("program.segments[0].size", 24_u64);

    /// The program's root offset leads into the test data behind the program: from the file's start the place exists, from
    /// the program's it does not.
    reject "bpte/program/root-past-program": "program's root offset past the program" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let start = file.at("program", What::Root);
            let past = u32::try_from(file.len() - start - 8).unwrap_or(0);
            file.put(start, &past.to_le_bytes());
        };

    /// The program at a multiple of 16 only, as a writer leaves it that does not know of 32. What the program itself asks
    /// for, 16, is kept.
    either "bpte/program/at-16": "program not at a multiple of 32" about rules::BP_PROGRAM_ALIGNED,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let program = file.at("program", What::Count);
            let suites = file.at("method_test_suites", What::Count);
            file.insert(program, &[0; 16]);
            file.point("program", program + 16);
            file.point("method_test_suites", suites + 16);
        };

    /// The root offset leads out of the file.
    reject "bpte/structure/root-past-end": "root offset past the end" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.root(0x10_0000);

    /// A program longer than the file.
    reject "bpte/structure/program-length-forged": "program of a forged length" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 0x7fff_0000);

    /// A list of suites longer than the file.
    reject "bpte/structure/suites-length-forged": "suites of a forged length" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("method_test_suites", 0x1000_0001);

    /// A list of test cases that leads to itself.
    reject "bpte/structure/test-case-0": "element of the test cases 0" breaks envelope::FB_UOFFSET_VALID,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.reference("method_test_suites[0].test_cases[0]", 0);

    /// A method's name without its zero byte: readers compare on, whatever follows.
    reject "bpte/structure/method-name-not-terminated": "method name without its zero byte"
        breaks envelope::FB_STRING_NUL,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.terminator("method_test_suites[0].method_name", b'!');

    /// A tensor's bytes past the end of the file.
    reject "bpte/structure/data-length-forged": "data of a forged length" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count(&of_input("val.data"), 0x10_0000);

    /// The version between two words: nobody asks for it, and a verifier that visits every field meets it.
    reject "bpte/structure/version-unaligned": "version not at a multiple of 4" breaks envelope::FB_ALIGNMENT,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.misalign("", "version", What::Scalar);

    /// An integer to set, at a multiple of four only.
    reject "bpte/structure/integer-unaligned": "integer not at a multiple of 8" breaks envelope::FB_ALIGNMENT,
        from "bpte/valid/every-type", needs ["bundled"] => |file| {
            file.misalign("method_test_suites[0].test_cases[0].inputs[1].val", "int_val", What::Scalar);
        };

    /// A float to set, at a multiple of four only.
    reject "bpte/structure/float-unaligned": "float not at a multiple of 8" breaks envelope::FB_ALIGNMENT,
        from "bpte/valid/every-type", needs ["bundled"] => |file| {
            file.misalign("method_test_suites[0].test_cases[0].inputs[3].val", "double_val", What::Scalar);
        };

    /// A bool to set that is neither 0 nor 1.
    either "bpte/value/bool-2": "bool 2" about envelope::FB_BOOL_CANONICAL,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.scalar("method_test_suites[0].test_cases[0].inputs[2].val.bool_val", 2_u8);

    /// A value with a type and no value.
    reject "bpte/structure/type-without-value": "type Tensor, and no value" breaks envelope::FB_UNION_CONSISTENT,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(INPUT, 1, 0);

    /// No list of suites.
    reject "bpte/suites/absent": "method_test_suites absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.slot("", 1, 0);

    /// A suite that does not say of which method it is: readers compare a null pointer with a name.
    reject "bpte/suites/method-name-absent": "method_name absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.own_slot("method_test_suites[0]", 0, 0);

    /// A suite of a method that the program does not have.
    reject "bpte/suites/method-unknown": "no such method" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.elements("method_test_suites[0].method_name", 0, b"unknown");

    /// A suite without a list of test cases.
    reject "bpte/suites/test-cases-absent": "test_cases absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.own_slot("method_test_suites[0]", 1, 0);

    /// A test case without a list of inputs.
    reject "bpte/suites/inputs-absent": "inputs absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.own_slot("method_test_suites[0].test_cases[0]", 0, 0);

    /// A test case without a list of outputs: one that expects nothing has an empty one, and readers ask it for its length.
    reject "bpte/suites/expected-outputs-absent": "expected_outputs absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.own_slot("method_test_suites[0].test_cases[0]", 1, 0);

    /// No inputs, where the method has one: a reader that asks for as many as the method has reads past the list.
    reject "bpte/arity/no-inputs": "no inputs for a method that has one" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].inputs", 0);

    /// One input less than the method has.
    reject "bpte/arity/inputs-one-less": "one input less than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].inputs", 3);

    /// More inputs than the method has: those behind are never set.
    reject "bpte/arity/inputs-one-more": "one input more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("program.execution_plan[0].inputs", 3);

    /// One expected output less than the method has, where none at all would say that nothing is compared.
    reject "bpte/arity/outputs-one-less": "one expected output less than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs", 1);

    /// One expected output more than the method has.
    reject "bpte/arity/outputs-one-more": "one expected output more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("program.execution_plan[0].outputs", 1);

    /// Less data than type and sizes describe: readers copy by the sizes, and past the data's end.
    reject "bpte/tensor/data-too-short": "data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.count(&of_input("val.data"), 15);

    /// The same in an expected output, which is compared by the sizes.
    reject "bpte/tensor/output-data-too-short": "expected data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs[0].val.data", 0);

    /// Sizes that describe more than the data holds, and as much as a reader would copy.
    reject "bpte/tensor/sizes-too-large": "sizes larger than the data" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.elements(&of_input("val.sizes"), 0, &0x1000_i32.to_le_bytes());

    /// Sizes whose bytes pass 64 bits and wrap to few.
    reject "bpte/tensor/bytes-wrap": "bytes past 64 bits" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            file.elements(&of_input("val.sizes"), 0, &i32::MAX.to_le_bytes());
            file.elements(&of_input("val.sizes"), 4, &i32::MAX.to_le_bytes());
            file.scalar(&of_input("val.scalar_type"), 7_i8);
        };

    /// A tensor without data.
    reject "bpte/tensor/data-absent": "data absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 2, 0);

    /// A tensor without sizes.
    reject "bpte/tensor/sizes-absent": "sizes absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 1, 0);

    /// A tensor without an order of dimensions.
    reject "bpte/tensor/dim-order-absent": "dim_order absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 3, 0);

    /// Fewer dimensions in the order than there are sizes: strides are computed from what follows the list.
    reject "bpte/tensor/dim-order-short": "dim_order shorter than sizes" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count(&of_input("val.dim_order"), 1);

    /// The same dimension twice.
    reject "bpte/tensor/dim-order-twice": "a dimension twice in dim_order" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.elements(&of_input("val.dim_order"), 0, &[0, 0]);

    /// A negative size.
    reject "bpte/tensor/size-negative": "size −1" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.elements(&of_input("val.sizes"), 0, &(-1_i32).to_le_bytes());

    /// A scalar type that is none: readers look its size up.
    reject "bpte/tensor/scalar-type-99": "scalar type 99" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar(&of_input("val.scalar_type"), 99_i8);

    /// A value of no type.
    reject "bpte/value/type-none": "value of no type" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| {
            file.scalar(&of_input("val_type"), 0_u8);
            file.slot(INPUT, 1, 0);
        };

    /// A type that the schema does not have: 6 is a string in a program, and nothing here.
    reject "bpte/value/type-6": "value of type 6" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar(&of_input("val_type"), 6_u8);
}
