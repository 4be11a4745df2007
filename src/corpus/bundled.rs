//! Bundled programs: the FlatBuffer around the program, the test cases in it, and the program, each broken in its own ways.
//!
//! A reader that verifies nothing takes every count and every length here by its word.

use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::PartKind;
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

    /// A test case that expects nothing: the list of outputs is there and empty. It feeds the method, and what comes
    /// out is not compared. A reader that wants as many as the method has refuses it.
    build "bpte/valid/without-outputs": "nothing expected" shows rules::BP_INPUT_ARITY, needs ["bundled"]
        => base::bundle_without_outputs;

    /// A tensor, an integer, a bool and a float: every type that a bundled value can have. A reader that sets tensors
    /// only leaves three of four inputs as they were.
    build "bpte/valid/every-type": "a value of every type" shows rules::BP_VALUE_TYPE, needs ["bundled"]
        => base::bundle_of_every_type;

    /// No test cases at all: the list of suites is there and empty. The program inside runs as any other, and a reader
    /// that asks for a first suite reads past the list.
    build "bpte/valid/no-suites": "no suites" shows rules::BP_SUITES, needs ["bundled"]
        => || base::bundle_with(base::bundled_program()?, Vec::new());

    /// The wrapper's root table has a slot behind `program`, as a newer writer would add one. Readers find suites and
    /// program by the slots that they know.
    accept "bpte/valid/unknown-slot": "a slot from a newer schema" shows envelope::FB_UNKNOWN_FIELDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.grow_root_vtable(3);

    /// The identifier that release 0.1 wrote. Its digits change with every incompatible change, so these are other tables.
    reject "bpte/identifier/release-0-1": "identifier BP06" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.put(4, b"BP06");

    /// A reader that compares `BP` alone takes unknown tables for these. One that takes every other identifier for that
    /// of a plain program looks for methods in the wrapper.
    reject "bpte/identifier/next-version": "identifier BP09" breaks rules::BP_IDENTIFIER,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.put(4, b"BP09");

    /// What runs is missing, and a verifier of the wrapper requires no field. A reader that hands on the vector's
    /// address and length makes both out of a null pointer.
    reject "bpte/program/absent": "program absent" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.slot("", 2, 0);

    /// The count is 0, and the program still stands behind it: a reader that hands on the address and not the length
    /// loads it as if nothing were wrong.
    reject "bpte/program/empty": "program of no bytes" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 0);

    /// The wrapper is a right one, and does not say what it carries. A tool that goes by the identifier inside looks
    /// for a program's tables by the schema of data files.
    reject "bpte/program/data-file": "identifier FT01 where the program is" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", PartKind::Identifier);
            file.put(at, b"FT01");
        };

    /// A bundled program where the program belongs: a reader that looks for the program in it anew at each level goes as deep
    /// as the file asks for.
    reject "bpte/program/bundled-again": "identifier BP08 where the program is" breaks rules::BP_PROGRAM,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", PartKind::Identifier);
            file.put(at, b"BP08");
        };

    /// The wrapper's version is known, and a reader that has compared it may take the program for compared as well. Its
    /// tables are those of another version.
    reject "bpte/program/next-version": "identifier ET13 where the program is" breaks envelope::FB_IDENTIFIER_EXACT,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let at = file.at("program.identifier", PartKind::Identifier);
            file.put(at, b"ET13");
        };

    /// The vector ends before the program's last segment does. What follows it in the file is test data: a reader that passes
    /// on the program's address and not its length reads that as weights.
    reject "bpte/program/cut-short": "vector shorter than the program in it" breaks pte_header::EH_SUM_LE_FILE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let start = file.at("program", PartKind::Root);
            let base = file.u64_at(start + 24);
            let size = file.u64_at(start + 32);
            file.count("program", u32::try_from(base + size - 8).unwrap_or(0));
        };

    /// The program says 744 bytes and its vector has 128. Held against the file around it 744 fits, so the size has to
    /// be held against the vector.
    reject "bpte/program/cut-in-flatbuffer": "vector ends inside the program's FlatBuffer"
        breaks pte_header::EH_PROGRAM_SIZE_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 128);

    /// To a verifier of the wrapper the program is a vector of bytes, and right whatever is in it. The zero is missing
    /// inside, where only a second verification looks.
    reject "bpte/program/name-not-terminated": "method name without its zero byte, in the program"
        breaks envelope::FB_STRING_NUL,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.terminator("program.execution_plan[0].name", b'!');

    /// A segment of the program past the program's end, and still inside of the file around it: the constant is read
    /// with padding and test data behind it.
    reject "bpte/program/segment-past-data": "segment past the program's data" breaks segments::SEG_WITHIN_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar("program.segments[0].size", 24_u64);

    /// The program's root offset leads into the test data behind the program: from the file's start the place exists, from
    /// the program's it does not.
    reject "bpte/program/root-past-program": "program's root offset past the program" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let start = file.at("program", PartKind::Root);
            let past = u32::try_from(file.len() - start - 8).unwrap_or(0);
            file.put(start, &past.to_le_bytes());
        };

    /// The program at a multiple of 16 only, as a writer leaves it that does not know of 32. What the program itself asks
    /// for, 16, is kept.
    either "bpte/program/at-16": "program not at a multiple of 32" about rules::BP_PROGRAM_ALIGNED,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            let program = file.at("program", PartKind::Count);
            let suites = file.at("method_test_suites", PartKind::Count);
            file.insert(program, &[0; 16]);
            file.point("program", program + 16);
            file.point("method_test_suites", suites + 16);
        };

    /// The wrapper has no header and so no sizes to compare: the root offset is its first number, and already leads a
    /// megabyte past the file.
    reject "bpte/structure/root-past-end": "root offset past the end" breaks envelope::FB_ROOT_OFFSET_RANGE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.root(0x10_0000);

    /// Address and length of the vector become address and size of the program. Every bound inside it is then held
    /// against two gigabytes.
    reject "bpte/structure/program-length-forged": "program of a forged length" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("program", 0x7fff_0000);

    /// Looking for a method that has no suite goes on behind the one suite that there is, and follows each word that it
    /// finds as a reference.
    reject "bpte/structure/suites-length-forged": "suites of a forged length" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count("method_test_suites", 0x1000_0001);

    /// Case 0 is in range, and begins at its own slot in the list, where four zero bytes are its table and its vtable.
    /// Its inputs are null.
    reject "bpte/structure/test-case-0": "element of the test cases 0" breaks envelope::FB_UOFFSET_VALID,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.offset("method_test_suites[0].test_cases[0]", 0);

    /// The zero was the file's last byte. A reader that takes the name for a C string reads on behind the buffer, and
    /// what it finds there decides whether the names are equal.
    reject "bpte/structure/method-name-not-terminated": "method name without its zero byte"
        breaks envelope::FB_STRING_NUL,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.terminator("method_test_suites[0].method_name", b'!');

    /// The sizes ask for 16 bytes and the length says a megabyte, so a check for enough data passes. What copies by the
    /// length reads past the file.
    reject "bpte/structure/data-length-forged": "data of a forged length" breaks envelope::FB_VECTOR_IN_BOUNDS,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count(&of_input("val.data"), 0x10_0000);

    /// The version between two words: nobody asks for it, and a verifier that visits every field meets it.
    reject "bpte/structure/version-unaligned": "version not at a multiple of 4" breaks envelope::FB_ALIGNMENT,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.misalign("", "version", PartKind::Scalar);

    /// An integer to set, at a multiple of four only. It is loaded once, when the inputs are set, so that on a host
    /// that wants it aligned the test dies and the model seems to be at fault.
    reject "bpte/structure/integer-unaligned": "integer not at a multiple of 8" breaks envelope::FB_ALIGNMENT,
        from "bpte/valid/every-type", needs ["bundled"] => |file| {
            file.misalign("method_test_suites[0].test_cases[0].inputs[1].val", "int_val", PartKind::Scalar);
        };

    /// A float to set, at a multiple of four only. Some hosts load integers from there and fault on floats, whose
    /// registers have load instructions of their own.
    reject "bpte/structure/float-unaligned": "float not at a multiple of 8" breaks envelope::FB_ALIGNMENT,
        from "bpte/valid/every-type", needs ["bundled"] => |file| {
            file.misalign("method_test_suites[0].test_cases[0].inputs[3].val", "double_val", PartKind::Scalar);
        };

    /// The byte becomes an input of the method. One reader sets true, since it is not 0, another false, since it is not
    /// 1, and what is expected fits one of them.
    either "bpte/value/bool-2": "bool 2" about envelope::FB_BOOL_CANONICAL,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.scalar("method_test_suites[0].test_cases[0].inputs[2].val.bool_val", 2_u8);

    /// The type says Tensor, so a reader asks for its sizes and data through a null pointer. Type and value are two
    /// fields, and each may be absent by itself to a verifier.
    reject "bpte/structure/type-without-value": "type Tensor, and no value" breaks envelope::FB_UNION_CONSISTENT,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(INPUT, 1, 0);

    /// A bundle without test cases has an empty list. Who only runs the program never notices; who asks for a suite
    /// asks a null pointer how many there are.
    reject "bpte/suites/absent": "method_test_suites absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.slot("", 1, 0);

    /// A suite that does not say of which method it is: looking for any method's suite compares a null pointer with its
    /// name.
    reject "bpte/suites/method-name-absent": "method_name absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.own_slot("method_test_suites[0]", 0, 0);

    /// Wrapper and program are whole, and the two names differ. A test run that asks for `forward` finds no case, and
    /// one that counts failures only has none.
    reject "bpte/suites/method-unknown": "no such method" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.elements("method_test_suites[0].method_name", 0, b"unknown");

    /// The suite is found by its name, and the number of a case is then held against the length of a list that is a
    /// null pointer. A suite without cases has an empty list.
    reject "bpte/suites/test-cases-absent": "test_cases absent" breaks rules::BP_SUITES,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.own_slot("method_test_suites[0]", 1, 0);

    /// The method has one input, and a reader that goes by the method asks a list that is not there for it. A test case
    /// of a method without inputs has an empty list.
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

    /// Only the count was changed, so behind the list stands the fourth input still: a reader that goes by the method's
    /// number sets all four, as if nothing were wrong.
    reject "bpte/arity/inputs-one-less": "one input less than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].inputs", 3);

    /// The case brings a float that the method does not take. A reader that goes by the method never sets it, and one
    /// that goes by the case sets an input that is not there.
    reject "bpte/arity/inputs-one-more": "one input more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("program.execution_plan[0].inputs", 3);

    /// None at all says that nothing is compared, so a reader may take any number up to the method's for right, and
    /// then compares the first of two outputs only.
    reject "bpte/arity/outputs-one-less": "one expected output less than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs", 1);

    /// A reader that compares as many outputs as the method has leaves the second expectation unread and reports a
    /// match. One that goes by the case asks for an output that is not there.
    reject "bpte/arity/outputs-one-more": "one expected output more than the method has" breaks rules::BP_INPUT_ARITY,
        from "bpte/valid/every-type", needs ["bundled"]
        => |file| file.count("program.execution_plan[0].outputs", 1);

    /// A copy by the sizes takes 16 bytes of 15. Here the last one still stands behind the data; with larger sizes it
    /// is any part of the file, or of what lies behind.
    reject "bpte/tensor/data-too-short": "data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.count(&of_input("val.data"), 15);

    /// What comes out is compared by the sizes, 16 bytes, with data of none: the comparison reads the tables behind it,
    /// and the test passes or fails by them.
    reject "bpte/tensor/output-data-too-short": "expected data shorter than the tensor" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.count("method_test_suites[0].test_cases[0].expected_outputs[0].val.data", 0);

    /// 4 096 by 2 floats, where 16 bytes are there and the method's input holds as many. A copy by these sizes reads
    /// past the data and writes past the input.
    reject "bpte/tensor/sizes-too-large": "sizes larger than the data" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", refs ["pytorch/executorch#17163"], needs ["bundled"]
        => |file| file.elements(&of_input("val.sizes"), 0, &0x1000_i32.to_le_bytes());

    /// Times eight bytes the product of the sizes passes 2^64. What is left is negative to whoever counts with a sign,
    /// and so less than any data has.
    reject "bpte/tensor/bytes-wrap": "bytes past 64 bits" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| {
            file.elements(&of_input("val.sizes"), 0, &i32::MAX.to_le_bytes());
            file.elements(&of_input("val.sizes"), 4, &i32::MAX.to_le_bytes());
            file.scalar(&of_input("val.scalar_type"), 7_i8);
        };

    /// Type, sizes and order are there, so a tensor can be made, over a null pointer. A tensor without elements has an
    /// empty vector and not none.
    reject "bpte/tensor/data-absent": "data absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 2, 0);

    /// The rank is the length of this list, asked of a null pointer before anything else of the tensor. A tensor of no
    /// dimensions has an empty one.
    reject "bpte/tensor/sizes-absent": "sizes absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 1, 0);

    /// Most tensors have their dimensions in order, but the field has no such default: it is walked, by the number of
    /// sizes, where it is a null pointer.
    reject "bpte/tensor/dim-order-absent": "dim_order absent" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| file.slot(&of_input("val"), 3, 0);

    /// Fewer dimensions in the order than there are sizes: strides are computed from what follows the list.
    reject "bpte/tensor/dim-order-short": "dim_order shorter than sizes" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.count(&of_input("val.dim_order"), 1);

    /// Each entry is below the rank, and so in range. With strides of such an order the input holds some elements twice
    /// and others never, and is compared with what was expected of the right one.
    reject "bpte/tensor/dim-order-twice": "a dimension twice in dim_order" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.elements(&of_input("val.dim_order"), 0, &[0, 0]);

    /// −1 by 2 floats are −8 bytes: with a sign that is less than the data has, so that a check for enough data passes,
    /// and without one a copy by it has no end.
    reject "bpte/tensor/size-negative": "size −1" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"]
        => |file| file.elements(&of_input("val.sizes"), 0, &(-1_i32).to_le_bytes());

    /// The width of an element says how many bytes to copy. Of 99 there is none: a table's end is passed, or the
    /// process stops, and a test runner with it.
    reject "bpte/tensor/scalar-type-99": "scalar type 99" breaks rules::BP_TENSOR_DATA,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar(&of_input("val.scalar_type"), 99_i8);

    /// Type and value are both absent, so as a union it is consistent, and no verifier objects. A reader that skips it
    /// runs the method on what the input held before.
    reject "bpte/value/type-none": "value of no type" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/without-outputs", needs ["bundled"] => |file| {
            file.scalar(&of_input("val_type"), 0_u8);
            file.slot(INPUT, 1, 0);
        };

    /// 6 is a string in a program, and nothing here. A verifier follows the types that it knows, and has not looked at
    /// the tensor behind this one.
    reject "bpte/value/type-6": "value of type 6" breaks rules::BP_VALUE_TYPE,
        from "bpte/valid/one-case", needs ["bundled"] => |file| file.scalar(&of_input("val_type"), 6_u8);
}
