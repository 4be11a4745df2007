//! The schema of bundled programs: every table of a `BP08` file. [`BundledProgram`] is the root.
//!
//! Some tables have the same names as tables of programs, but different fields. For example, this [`Tensor`] contains
//! its elements.

use crate::ScalarType;
use crate::flatbuffer::schema::{AlignedBytes, UnionField, tables, unions};

unions! {
    /// A value's type.
    ValueUnion => ValueUnionValue<'a> {
        1 Tensor,
        2 Int,
        3 Bool,
        4 Double,
    }
}

tables! {
    /// A 64-bit integer.
    #[since = "0.1.0"]
    Int<'a> = 128 {
        /// The value.
        0 int_val: i64,
    }
    /// A truth value.
    #[since = "0.1.0"]
    Bool<'a> = 129 {
        /// The value.
        0 bool_val: bool,
    }
    /// A 64-bit floating-point number.
    #[since = "0.1.0"]
    Double<'a> = 130 {
        /// The value.
        0 double_val: f64,
    }
    /// A tensor together with its elements.
    #[since = "0.1.0"]
    Tensor<'a> = 131 {
        /// Type of the elements.
        0 scalar_type: ScalarType,
        /// Number of elements in each dimension; empty for rank 0.
        1 sizes: [i32],
        /// The elements, in the memory order that `dim_order` defines.
        2 data: AlignedBytes<16>,
        /// The dimensions in memory order, from outermost to innermost.
        3 dim_order: [u8],
    }
    /// An input or an expected output.
    #[since = "0.1.0"]
    Value<'a> = 132 {
        /// Type of the value.
        0 val_type: ValueUnion,
        /// The value.
        1 val: UnionField<ValueUnion>,
    }
    /// A test case: one call of a method.
    #[since = "0.1.0"]
    BundledMethodTestCase<'a> = 133 {
        /// The arguments: one value per input of the method.
        0 inputs: [Value<'a>],
        /// The expected outputs: one value per output of the method, or an empty list if outputs are not compared.
        1 expected_outputs: [Value<'a>],
    }
    /// The test cases of one method.
    #[since = "0.1.0"]
    BundledMethodTestSuite<'a> = 134 {
        /// Name of the method in the program.
        0 method_name: str,
        /// The test cases, which a caller selects by index.
        1 test_cases: [BundledMethodTestCase<'a>],
    }
    /// A program and its test cases.
    #[since = "0.1.0"]
    BundledProgram<'a> = 135 {
        /// Version of the schema, which no reader checks.
        #[writer = "exporter, always 2"]
        0 version: u32,
        /// The test suites: one for each method that has test cases.
        1 method_test_suites: [BundledMethodTestSuite<'a>],
        /// The bytes of a complete program file.
        2 program: AlignedBytes<32>,
    }
}
