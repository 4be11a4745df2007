//! The bundled program's schema: every table behind `BP08`. [`BundledProgram`] is the root.
//!
//! Its values have the names of a program's and are other tables: a tensor here brings its bytes with it.

use crate::ScalarType;
use crate::flatbuffer::schema::{AlignedBytes, Of, tables, unions};

unions! {
    /// The type of a value.
    ValueUnion => ValueUnionValue<'a> {
        1 Tensor,
        2 Int,
        3 Bool,
        4 Double,
    }
}

tables! {
    /// An integer.
    Int<'a> = 128 {
        /// The value.
        0 int_val: i64,
    }
    /// A bool.
    Bool<'a> = 129 {
        /// The value.
        0 bool_val: bool,
    }
    /// A float.
    Double<'a> = 130 {
        /// The value.
        0 double_val: f64,
    }
    /// A tensor with its elements.
    Tensor<'a> = 131 {
        /// Type of the elements.
        0 scalar_type: ScalarType,
        /// Extent of each dimension, in elements.
        1 sizes: [i32],
        /// The elements, outermost dimension in memory first.
        2 data: AlignedBytes<16>,
        /// The dimensions from the outermost in memory to the innermost.
        3 dim_order: [u8],
    }
    /// One value.
    Value<'a> = 132 {
        /// Its type.
        0 val_type: ValueUnion,
        /// The value.
        1 val: Of<ValueUnion>,
    }
    /// One run of a method.
    BundledMethodTestCase<'a> = 133 {
        /// What the method is given, one value an input.
        0 inputs: [Value<'a>],
        /// What it must give, one value an output; empty when nothing is expected.
        1 expected_outputs: [Value<'a>],
    }
    /// The runs of one method.
    BundledMethodTestSuite<'a> = 134 {
        /// The method's name in the program.
        0 method_name: str,
        /// The runs.
        1 test_cases: [BundledMethodTestCase<'a>],
    }
    /// A whole bundled program.
    BundledProgram<'a> = 135 {
        /// Version of the schema's meaning; writers put 2, and nobody looks at it.
        0 version: u32,
        /// The runs, by method.
        1 method_test_suites: [BundledMethodTestSuite<'a>],
        /// A whole program file.
        2 program: AlignedBytes<32>,
    }
}
