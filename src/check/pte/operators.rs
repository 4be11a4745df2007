//! Checks operator calls: the signatures of the runtime's own operators, and the lookup keys of all others.

use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::{KERNEL_KEY_LIMIT, KERNEL_KEY_START, kernel_key_part};
use crate::pte::schema::KernelTypes;
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::pte::signatures::{COPY_INDEX, Domain, Signature};
use crate::rules::instructions as rules;

use super::super::finding::Reporter;
use super::plan::{FLOW, MethodPlan};

#[inline]
pub(super) fn check_call<'a>(
    index: i32,
    args: Vector<'a, i32>,
    plan: &mut MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    match plan.signature(index) {
        Some(signature) => check_own(signature, args, plan, path, reporter),
        None => Ok(()),
    }
}

/// A call with at most this many arguments has a lookup key within the limit, even if each tensor has the maximum rank
/// and a three-digit scalar type.
pub(in crate::check) const FITTING: usize = 16;

#[inline]
pub(super) fn check_key<'a>(
    args: Vector<'a, i32>,
    plan: &MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    if args.len() <= FITTING { Ok(()) } else { check_long_key(args, plan, path, reporter) }
}

fn check_long_key<'a>(
    args: Vector<'a, i32>,
    plan: &MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let (mut tensors, mut bytes) = (0, KERNEL_KEY_START);
    for arg in args.iter() {
        let Some(KernelTypesValue::Tensor(tensor)) = plan.value_of(arg.into()) else { continue };
        let (Ok(ty), Ok(Some(order))) = (tensor.scalar_type(), tensor.dim_order()) else { continue };
        tensors += 1;
        // Read at most `KERNEL_KEY_LIMIT` entries of the dimension order: a longer order always exceeds the limit.
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
    signature: &Signature,
    args: Vector<'a, i32>,
    plan: &mut MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let path = &path.field("args");
    let (operator, arity) = (signature.name, signature.parameters.len());
    if args.len() != arity {
        let message = format_args!("found {} arguments, expected {arity} for {operator}", args.len());
        return reporter.report(&rules::INS_ARITY, path, args.count_span(), message);
    }
    for (index, (arg, types)) in args.iter().zip(signature.parameters).enumerate() {
        if plan.type_of(arg.into()).is_some_and(|found| !types.accept(found)) {
            let name = plan.type_name(arg.into());
            let message = format_args!("value {arg} has type {name}, expected {types} for {operator}");
            return reporter.report(&rules::INS_ARG_TYPES, &path.index(index), args.element_span(index), message);
        }
    }
    let is_bool = |index: usize| Some(plan.type_of(args.get(index)?.into())? == KernelTypes::Bool);
    if let (Domain::Comparable, Some(first), Some(second)) = (signature.domain, is_bool(0), is_bool(1))
        && first != second
    {
        let message = format_args!("{operator} compares a Bool with a number, expected two numbers or two Bools");
        return reporter.report(&rules::INS_ARG_TYPES, &path.index(1), args.element_span(1), message);
    }
    if reporter.must_only() {
        return Ok(());
    }
    plan.uses |= FLOW * u8::from(!matches!(signature.domain, Domain::Any | Domain::Comparable));
    if operator == COPY_INDEX { copy_index(args, plan, path, reporter) } else { Ok(()) }
}

/// Checks the index argument of `et_copy_index`, which writes a tensor to a slice of another tensor.
fn copy_index<'a>(args: Vector<'a, i32>, plan: &MethodPlan<'a>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let at = |index: usize| i64::from(args.get(index).unwrap_or(-1));
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
