//! Cases about the runtime's own operators on numbers: one table lists a valid program's calls and their defects.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::base::{self, boolean, constant, double, int, planned};
use super::cases;
use super::program_base::{kernel, operator_of};
use crate::patch::Patcher;
use crate::rules::instructions as rules;

/// The program calls each operator in the table once, in table order. Values 7, 8 and 9 receive the results.
fn valid() -> base::BaseBytes {
    let numbers = [int(1), int(2), double(0.5), boolean(true), int(0), double(0.0), boolean(false)];
    let values: Vec<_> = [constant(1), planned(0), planned(16)].into_iter().chain(numbers).collect();
    let operators = CALLS.iter().map(|(operator, _)| {
        let (name, overload) = operator.split_once('.').unwrap_or((operator, ""));
        operator_of(&format!("executorch_prim::{name}"), overload)
    });
    let calls = CALLS.iter().zip(0..).map(|((_, args), index)| kernel(index, args));
    let method = base::method(values)
        .with("operators", operators.collect::<Vec<_>>())
        .with("chains", vec![base::chain(calls.collect())]);
    base::program(vec![method])
}

/// Returns the path of the arguments in an operator's call, and how many there are.
fn arguments(operator: &str) -> (String, u32) {
    let call = CALLS.iter().zip(0_usize..).find(|((name, _), _)| *name == operator);
    let (index, count) = call.map_or((CALLS.len(), 0), |((_, args), index)| (index, args.len()));
    let path = format!("execution_plan[0].chains[0].instructions[{index}].instr_args.args");
    (path, u32::try_from(count).unwrap_or(0))
}

fn drop_result(file: &mut Patcher<'_>, operator: &str) {
    let (path, count) = arguments(operator);
    file.count(&path, count.saturating_sub(1));
}

fn replace(file: &mut Patcher<'_>, operator: &str, position: usize, value: i32) {
    file.elements(&arguments(operator).0, 4 * position, value);
}

/// Declares the calls and their cases. In a `few` case, the call lacks its result; in a `wrong` case, one argument has
/// the wrong type. If an operator has no `few` or no `wrong` case here, that case is in another file.
macro_rules! calls {
    ($(
        $operator:literal $args:tt
        $(, few $few:literal: $few_title:literal)?
        $(, wrong $wrong:literal: $wrong_title:literal, $position:literal = $value:literal)*;
    )*) => {
        const CALLS: &[(&str, &[i32])] = &[$(($operator, &$args)),*];

        cases! {
            /// Exporters emit these fifteen operators for symbolic sizes, so a reader that lacks any of them rejects
            /// models with such sizes.
            build "pte/valid/number-operators": "calls of the runtime's own operators on numbers"
                shows rules::INS_ARG_TYPES => valid;

            $($(
                #[doc = concat!(
                    "The call to `", $operator, "` lacks its last argument, the result, so the kernel writes to whatever ",
                    "address follows the argument list in memory."
                )]
                reject $few: $few_title breaks rules::INS_ARITY,
                    from "pte/valid/number-operators", refs ["pytorch/executorch#12987"]
                    => |file| drop_result(file, $operator);
            )?)*

            $($(
                #[doc = concat!(
                    "The call (", $wrong_title, ") passes the wrong type, and a kernel that does not check misreads the bytes."
                )]
                reject $wrong: $wrong_title breaks rules::INS_ARG_TYPES, from "pte/valid/number-operators"
                    => |file| replace(file, $operator, $position, $value);
            )*)*
        }
    };
}

calls! {
    "sym_max.Scalar" [3, 4, 7],
        few "pte/kernels/sym-max-too-few": "sym_max with 2 arguments instead of 3",
        wrong "pte/kernels/sym-max-of-double": "sym_max of an Int and a Double", 1 = 5;
    "sym_min.Scalar" [3, 4, 7],
        few "pte/kernels/sym-min-too-few": "sym_min with 2 arguments instead of 3",
        wrong "pte/kernels/sym-min-of-bool": "sym_min of a Bool and an Int", 0 = 6;
    "floordiv.Scalar" [3, 4, 7],
        few "pte/kernels/floordiv-scalar-too-few": "floordiv.Scalar with 2 arguments instead of 3",
        wrong "pte/kernels/floordiv-scalar-by-bool": "floordiv.Scalar of an Int by a Bool", 1 = 6;
    "truediv.Scalar" [3, 4, 8],
        few "pte/kernels/truediv-too-few": "truediv with 2 arguments instead of 3",
        wrong "pte/kernels/truediv-of-tensor": "truediv of a Tensor by an Int", 0 = 1;
    "sym_float.Scalar" [3, 8],
        few "pte/kernels/sym-float-too-few": "sym_float with 1 argument instead of 2",
        wrong "pte/kernels/sym-float-of-tensor": "sym_float of a Tensor", 0 = 1;
    "sym_int.Scalar" [5, 7],
        few "pte/kernels/sym-int-too-few": "sym_int with 1 argument instead of 2",
        wrong "pte/kernels/sym-int-of-tensor": "sym_int of a Tensor", 0 = 1;
    "neg.Scalar" [3, 7],
        wrong "pte/kernels/neg-of-bool": "neg of a Bool", 0 = 6;
    "sym_not.Scalar" [6, 9],
        few "pte/kernels/sym-not-too-few": "sym_not with 1 argument instead of 2",
        wrong "pte/kernels/sym-not-of-int": "sym_not of an Int", 0 = 3;
    "sym_ite.Scalar" [6, 3, 4, 7],
        wrong "pte/kernels/sym-ite-if-int": "sym_ite with an Int as condition", 0 = 3,
        wrong "pte/kernels/sym-ite-of-tensor": "sym_ite that selects a Tensor", 1 = 1;
    "floordiv.int" [3, 4, 7],
        few "pte/kernels/floordiv-int-too-few": "floordiv.int with 2 arguments instead of 3";
    "mod.int" [3, 4, 7],
        few "pte/kernels/mod-int-too-few": "mod.int with 2 arguments instead of 3";
    "mod.Scalar" [3, 4, 7],
        few "pte/kernels/mod-scalar-too-few": "mod.Scalar with 2 arguments instead of 3",
        wrong "pte/kernels/mod-scalar-by-double": "mod.Scalar of an Int by a Double", 1 = 5;
    "ceil.Scalar" [5, 7],
        few "pte/kernels/ceil-too-few": "ceil with 1 argument instead of 2",
        wrong "pte/kernels/ceil-of-int": "ceil of an Int", 0 = 3;
    "round.Scalar" [5, 7],
        few "pte/kernels/round-too-few": "round with 1 argument instead of 2",
        wrong "pte/kernels/round-of-bool": "round of a Bool", 0 = 6;
    "trunc.Scalar" [5, 7],
        few "pte/kernels/trunc-too-few": "trunc with 1 argument instead of 2",
        wrong "pte/kernels/trunc-of-int": "trunc of an Int", 0 = 3;
}
