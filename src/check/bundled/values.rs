//! Checks a test case's values against the method's inputs and outputs.

use crate::bundled::schema::ValueUnion;
use crate::bundled::schema::brief::{Tensor, Value};
use crate::bundled::schema::brief_values::ValueUnionValue;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::nbytes;
use crate::pte::schema::brief::{self as pte, EValue};
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::pte::schema::{KernelTypes, TensorShapeDynamism};
use crate::rules::{RuleKey, bundled as rules};

use super::super::finding::Reporter;
use super::super::layout::LayoutDescription;

/// Checks an input of a test case (`given`) against the method's input (`wanted`). By then, the bundle and its program
/// are known to break no must-rule.
pub(super) fn input(given: Value<'_>, wanted: EValue<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let (Ok(Some(value)), Ok(Some(own))) = (given.val(), wanted.val()) else { return Ok(()) };
    let path = &path.field("val");
    match (value, own) {
        (ValueUnionValue::Tensor(value), KernelTypesValue::Tensor(own)) => {
            tensor(rules::BP_INPUT_MATCH.key(), rules::BP_INPUT_ORDER.key(), value, own, path, reporter)
        }
        (ValueUnionValue::Int(value), KernelTypesValue::Int(own)) => {
            let (Ok(found), Ok(expected)) = (value.int_val(), own.int_val()) else { return Ok(()) };
            if found == expected {
                return Ok(());
            }
            let message = format_args!("value is {found}, but the method's input is {expected}");
            reporter.report(&rules::BP_INPUT_VALUE, &path.field("int_val"), value.place("int_val"), message)
        }
        (ValueUnionValue::Bool(value), KernelTypesValue::Bool(own)) => {
            let (Ok(found), Ok(expected)) = (value.bool_val(), own.bool_val()) else { return Ok(()) };
            if found == expected {
                return Ok(());
            }
            let message = format_args!("value is {found}, but the method's input is {expected}");
            reporter.report(&rules::BP_INPUT_VALUE, &path.field("bool_val"), value.place("bool_val"), message)
        }
        (ValueUnionValue::Double(value), KernelTypesValue::Double(own)) => {
            let (Ok(found), Ok(expected)) = (value.double_val(), own.double_val()) else { return Ok(()) };
            if is_close(found, expected) {
                return Ok(());
            }
            let message = format_args!("value is {found}, but the method's input is {expected}");
            reporter.report(&rules::BP_INPUT_VALUE, &path.field("double_val"), value.place("double_val"), message)
        }
        _ => other_type(rules::BP_INPUT_MATCH.key(), given, wanted, path, reporter),
    }
}

/// Checks an expected output of a test case (`given`) against the method's output (`wanted`). By then, the bundle and
/// its program are known to break no must-rule.
pub(super) fn output(given: Value<'_>, wanted: EValue<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let (Ok(Some(value)), Ok(Some(own))) = (given.val(), wanted.val()) else { return Ok(()) };
    match (value, own) {
        (ValueUnionValue::Tensor(value), KernelTypesValue::Tensor(own)) => {
            let rule = rules::BP_OUTPUT_MATCH.key();
            tensor(rule, rule, value, own, &path.field("val"), reporter)
        }
        (ValueUnionValue::Tensor(_), _) => {
            other_type(rules::BP_OUTPUT_MATCH.key(), given, wanted, &path.field("val"), reporter)
        }
        _ => {
            let ty = given.val_type().ok().and_then(ValueUnion::name).unwrap_or("unknown");
            let message = format_args!("value has type {ty}, expected Tensor; readers compare only tensors");
            let at = given.place("val_type");
            reporter.report(&rules::BP_OUTPUT_TENSOR, &path.field("val_type"), at, message)
        }
    }
}

fn other_type(
    rule: RuleKey,
    given: Value<'_>,
    wanted: EValue<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let found = given.val_type().ok().and_then(ValueUnion::name).unwrap_or("unknown");
    let own = wanted.val_type().ok().and_then(KernelTypes::name).unwrap_or("unknown");
    let message = format_args!("value has type {found}, but the method's value has type {own}");
    reporter.report(rule, path, given.table().span(), message)
}

/// Returns whether the runtime treats two floating-point inputs as equal.
fn is_close(found: f64, expected: f64) -> bool {
    // The difference of two equal infinities is NaN, so equality has to be tested separately.
    found == expected
        || found.is_nan() && expected.is_nan()
        || (found - expected).abs() <= 1e-4 + (1e-5 * expected).abs() && expected.is_finite()
}

/// Checks a bundled tensor against the method's tensor. `rule` covers the scalar type and the sizes, and `order_rule`
/// covers the dimension order.
fn tensor(
    rule: RuleKey,
    order_rule: RuleKey,
    given: Tensor<'_>,
    wanted: pte::Tensor<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let found = LayoutDescription::of(given.scalar_type(), given.sizes(), given.dim_order());
    let own = LayoutDescription::of(wanted.scalar_type(), wanted.sizes(), wanted.dim_order());
    let (Some(found), Some(own)) = (found, own) else { return Ok(()) };
    let dynamism = wanted.shape_dynamism().unwrap_or(TensorShapeDynamism::STATIC);
    let (rule, field, at) = if found.scalar_type != own.scalar_type {
        (rule, "scalar_type", given.place("scalar_type"))
    } else if !fits(found, own, dynamism) {
        (rule, "sizes", found.sizes.span())
    } else if order_differs(found, own.order) {
        (order_rule, "dim_order", found.order.span())
    } else {
        return Ok(());
    };
    let bound = if dynamism == TensorShapeDynamism::STATIC { "" } else { " at most" };
    let message = format_args!("tensor is {found}, but the method's tensor is{bound} {own}");
    reporter.report(rule, &path.field(field), at, message)
}

/// Returns whether the method's tensor (`own`) can be resized to the bundled tensor's sizes (`found`).
fn fits(found: LayoutDescription<'_>, own: LayoutDescription<'_>, dynamism: TensorShapeDynamism) -> bool {
    if found.sizes.len() != own.sizes.len() {
        return false;
    }
    match dynamism {
        TensorShapeDynamism::STATIC => found.sizes.as_bytes() == own.sizes.as_bytes(),
        TensorShapeDynamism::DYNAMIC_BOUND => {
            nbytes(found.scalar_type, found.sizes).ok() <= nbytes(own.scalar_type, own.sizes).ok()
        }
        _ => true,
    }
}

/// Returns whether the two tensors place their elements in different orders. Ignores dimensions of size 1, because
/// their position in the order moves no element.
fn order_differs(found: LayoutDescription<'_>, own: Vector<'_, u8>) -> bool {
    let moves = |dimension: &u8| found.sizes.get(usize::from(*dimension)).is_some_and(|size| size != 1);
    found
        .order
        .as_bytes()
        .iter()
        .filter(|dimension| moves(dimension))
        .ne(own.as_bytes().iter().filter(|dimension| moves(dimension)))
}
