//! Checks of operator calls: the signatures of the runtime's own operators, and the lookup keys of other operators.

use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::{KERNEL_KEY_LIMIT, KERNEL_KEY_START, kernel_key_part};
use crate::pte::schema::{KernelTypes, KernelTypesValue, Operator};
use crate::rules::instructions as rules;

use super::super::finding::Reporter;
use super::plan::MethodPlan;
use super::signatures::{ARITIES, Signature};

/// Checks a call against the signature of the operator at `index`.
#[inline]
pub(super) fn check_call<'a>(
    index: usize,
    all: Vector<'a, Operator<'a>>,
    args: Vector<'a, i32>,
    plan: &mut MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    match plan.signatures.get(index, all) {
        Some(Signature(Some(own))) => check_own(own, args, plan, path, reporter),
        _ => Ok(()),
    }
}

/// A number of tensors whose lookup key always fits in the limit, even with the maximum rank and the longest types.
const FITTING: usize = 16;

/// Checks the length of the lookup key that selects the kernel of a call.
#[inline]
pub(super) fn check_key<'a>(
    args: Vector<'a, i32>,
    plan: &MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    if args.len() <= FITTING { Ok(()) } else { check_long_key(args, plan, path, reporter) }
}

fn check_long_key<'a>(
    args: Vector<'a, i32>,
    plan: &MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    let (mut tensors, mut bytes) = (0, KERNEL_KEY_START);
    for arg in args.iter() {
        let Some(KernelTypesValue::Tensor(tensor)) = plan.value_of(arg.into()) else { continue };
        let (Ok(ty), Ok(Some(order))) = (tensor.scalar_type(), tensor.dim_order()) else { continue };
        tensors += 1;
        // Read at most `KERNEL_KEY_LIMIT` entries of the dimension order; a longer order exceeds the limit in any case.
        bytes += kernel_key_part(ty, order.iter().take(KERNEL_KEY_LIMIT));
        if bytes > KERNEL_KEY_LIMIT {
            let message = format_args!(
                "the types and dimension orders of the first {tensors} tensors need {bytes} bytes in the \
                 kernel's lookup key, expected at most {KERNEL_KEY_LIMIT}"
            );
            return reporter.report(&rules::INS_KERNEL_KEY, &path.field("args"), args.count_span(), message);
        }
    }
    Ok(())
}

fn check_own<'a>(
    own: u8,
    args: Vector<'a, i32>,
    plan: &MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    let Some((name, overload, arity)) = ARITIES.get(usize::from(own)) else { return Ok(()) };
    let path = &path.field("args");
    if args.len() != *arity {
        let (count, name, overload) = (args.len(), name.escape_ascii(), overload.escape_ascii());
        let message = format_args!("found {count} arguments, expected {arity} for executorch_prim::{name}.{overload}");
        return reporter.report(&rules::INS_ARITY, path, args.count_span(), message);
    }
    if *name == b"et_copy_index" { copy_index(args, plan, path, reporter) } else { Ok(()) }
}

/// Checks `et_copy_index`, which writes a tensor to a slice of another tensor.
fn copy_index<'a>(args: Vector<'a, i32>, plan: &MethodPlan<'a>, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
    let at = |index: usize| i64::from(args.get(index).unwrap_or(-1));
    for (index, wanted) in [KernelTypes::Tensor, KernelTypes::Tensor, KernelTypes::Int].into_iter().enumerate() {
        if plan.type_of(at(index)).is_some_and(|found| found != wanted) {
            let (name, wanted) = (plan.type_name(at(index)), wanted.name().unwrap_or_default());
            let message = format_args!("value {} has type {name}, expected {wanted} for et_copy_index", at(index));
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
        let message = format_args!("index is {slice}, but value {} has {slices} slices", at(0));
        return reporter.report(&rules::INS_COPY_INDEX_BOUND, &path.index(2), args.element_span(2), message);
    }
    Ok(())
}
