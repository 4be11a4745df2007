//! What is known of the runtime's own operators, those of `executorch_prim`: every build has them, and their signatures are
//! fixed. Other operators belong to whichever kernels a reader is built with.

use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path};
use crate::pte::schema::{KernelTypes, KernelTypesValue, Operator};
use crate::rules::instructions as rules;

use super::super::finding::Reporter;
use super::plan::Plan;

const NAMESPACE: &[u8] = b"executorch_prim::";

/// Operator, overload and number of arguments, the result included.
static ARITIES: &[(&[u8], &[u8], usize)] = &[
    (b"add", b"Scalar", 3),
    (b"sub", b"Scalar", 3),
    (b"mul", b"Scalar", 3),
    (b"floordiv", b"Scalar", 3),
    (b"floordiv", b"int", 3),
    (b"truediv", b"Scalar", 3),
    (b"mod", b"Scalar", 3),
    (b"mod", b"int", 3),
    (b"eq", b"Scalar", 3),
    (b"gt", b"Scalar", 3),
    (b"lt", b"Scalar", 3),
    (b"ge", b"Scalar", 3),
    (b"le", b"Scalar", 3),
    (b"neg", b"Scalar", 2),
    (b"ceil", b"Scalar", 2),
    (b"round", b"Scalar", 2),
    (b"trunc", b"Scalar", 2),
    (b"sym_float", b"Scalar", 2),
    (b"sym_int", b"Scalar", 2),
    (b"sym_not", b"Scalar", 2),
    (b"sym_max", b"Scalar", 3),
    (b"sym_min", b"Scalar", 3),
    (b"sym_ite", b"Scalar", 4),
    (b"et_copy_index", b"tensor", 3),
    (b"et_view", b"default", 3),
];

/// A call against the signature of the operator that it names.
#[inline]
pub(super) fn check_call<'a>(
    operator: Operator<'a>,
    args: Vector<'a, i32>,
    plan: &Plan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    match operator.name() {
        Ok(Some(name)) => match name.as_bytes().strip_prefix(NAMESPACE) {
            Some(name) => check_own(name, operator, args, plan, path, reporter),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn check_own<'a>(
    name: &[u8],
    operator: Operator<'a>,
    args: Vector<'a, i32>,
    plan: &Plan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    let Ok(Some(overload)) = operator.overload() else { return Ok(()) };
    let known = ARITIES.iter().find(|(own, variant, _)| *own == name && *variant == overload.as_bytes());
    let Some((_, _, arity)) = known else { return Ok(()) };
    let path = &path.field("args");
    if args.len() != *arity {
        let message = format_args!(
            "{} arguments for executorch_prim::{}.{overload}, which has {arity}",
            args.len(),
            name.escape_ascii()
        );
        return reporter.report(&rules::INS_ARITY, path, args.count_span(), message);
    }
    if name == b"et_copy_index" { copy_index(args, plan, path, reporter) } else { Ok(()) }
}

/// `et_copy_index` writes a tensor as one slice of another, at an index.
fn copy_index<'a>(args: Vector<'a, i32>, plan: &Plan<'a>, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
    let at = |index: usize| i64::from(args.get(index).unwrap_or(-1));
    for (index, wanted) in [KernelTypes::Tensor, KernelTypes::Tensor, KernelTypes::Int].into_iter().enumerate() {
        if plan.type_of(at(index)).is_some_and(|found| found != wanted) {
            let (name, wanted) = (plan.type_name(at(index)), wanted.name().unwrap_or_default());
            let message = format_args!(
                "value {} is of type {name}, and et_copy_index takes one of type {wanted} there",
                at(index)
            );
            return reporter.report(&rules::INS_ARG_TYPES, &path.index(index), args.element_span(index), message);
        }
    }
    let (Some(KernelTypesValue::Tensor(to)), Some(KernelTypesValue::Int(index))) =
        (plan.value_of(at(0)), plan.value_of(at(2)))
    else {
        return Ok(());
    };
    let (Ok(Some(sizes)), Ok(slice)) = (to.sizes(), index.int_val()) else { return Ok(()) };
    let slices = sizes.get(0).unwrap_or(0);
    if slice < 0 || slice >= i64::from(slices) {
        let message = format_args!("slice {slice} is not within the {slices} of value {}", at(0));
        return reporter.report(&rules::INS_COPY_INDEX_BOUND, &path.index(2), args.element_span(2), message);
    }
    Ok(())
}
