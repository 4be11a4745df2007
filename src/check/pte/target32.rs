//! Checks dynamic tensors for a 32-bit host, after the verification pass.

use crate::Span;
use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::nbytes;
use crate::pte::schema::TensorShapeDynamism;
use crate::pte::schema::brief::{EValue, ExecutionPlan};
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::rules::tensors as rules;

use super::super::finding::Reporter;
use super::super::layout::MAX_RANK;
use super::super::scratch::Scratch;

/// The largest object on a 32-bit host, in bytes.
const MOST: u64 = u32::MAX as u64;

/// The maximum number of tensor elements that fits in the runtime's signed 32-bit counts.
const MOST_ELEMENTS: u64 = i32::MAX as u64;

pub(super) fn exceeds_target(bytes: u64, sizes: Vector<'_, i32>) -> bool {
    // An element has at least one byte, so few bytes mean few elements.
    bytes > MOST || bytes > MOST_ELEMENTS && elements(sizes).is_none_or(|elements| elements > MOST_ELEMENTS)
}

fn elements(sizes: Vector<'_, i32>) -> Option<u64> {
    sizes.iter().try_fold(1_u64, |product, size| product.checked_mul(u64::try_from(size).ok()?))
}

/// Checks the upper bounds of a method's dynamic tensors. Inputs have a rule of their own, because callers may never
/// pass inputs as large as the bound. For other tensors, the program plans memory for the bound.
pub(super) fn check(
    plan: ExecutionPlan<'_>,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let Ok(Some(values)) = plan.values() else { return Ok(()) };
    // `words` has one bit for each value, set if the value is an input.
    let words = scratch.words(values.len().div_ceil(64))?;
    words.fill(0);
    let inputs = plan.inputs().ok().flatten();
    for index in 0..inputs.map_or(0, Vector::len) {
        let input = inputs.and_then(|inputs| inputs.get(index)).unwrap_or(-1);
        let Some(value) = usize::try_from(input).ok().filter(|value| *value < values.len()) else { continue };
        if let Some(word) = words.get_mut(value / 64) {
            *word |= 1 << (value % 64);
        }
        if let Some((bytes, _)) = dynamic_bytes(values, value)
            && let Some(inputs) = inputs
        {
            let message =
                format_args!("value {input} may need {bytes} bytes, expected less than 2^32 for a 32-bit host");
            let at = inputs.element_span(index);
            reporter.report(&rules::T_DYNAMIC_INPUT_BOUNDS, &path.field("inputs").index(index), at, message)?;
        }
    }
    let is_input = |value: &usize| words.get(value / 64).is_some_and(|word| word >> (value % 64) & 1 != 0);
    for value in (0..values.len()).filter(|value| !is_input(value)) {
        if let Some((bytes, at)) = dynamic_bytes(values, value) {
            let message = format_args!("the tensor has {bytes} bytes, expected less than 2^32 for a 32-bit host");
            let path = &path.field("values");
            reporter.report(&rules::T_NBYTES_32BIT, &path.index(value).field("val").field("sizes"), at, message)?;
        }
    }
    Ok(())
}

/// Returns the number of bytes of a dynamic tensor that is too large for a 32-bit host, and the span of its `sizes`;
/// `None` for any other value.
fn dynamic_bytes(values: Vector<'_, EValue<'_>>, value: usize) -> Option<(u64, Span)> {
    let Ok(Some(KernelTypesValue::Tensor(tensor))) = values.get(value)?.ok()?.val() else { return None };
    if tensor.shape_dynamism().ok()? == TensorShapeDynamism::STATIC {
        return None;
    }
    let sizes = tensor.sizes().ok()??;
    if sizes.len() > MAX_RANK {
        return None;
    }
    let bytes = nbytes(tensor.scalar_type().ok()?, sizes).ok()?;
    exceeds_target(bytes, sizes).then_some((bytes, sizes.span()))
}
