//! What a program for a 32-bit host is asked about its dynamic tensors, once all has been visited.

use crate::Span;
use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::nbytes;
use crate::pte::schema::{EValue, ExecutionPlan, KernelTypesValue, TensorShapeDynamism};
use crate::rules::tensors as rules;

use super::super::finding::Reporter;
use super::super::layout::MAX_RANK;
use super::super::scratch::Scratch;

/// The most bytes that a 32-bit host can hold in one object.
const MOST: u64 = u32::MAX as u64;

/// The most elements that its signed counts can tell.
const MOST_ELEMENTS: u64 = i32::MAX as u64;

/// Whether a tensor of these sizes and bytes is more than such a host counts.
pub(super) fn too_much(bytes: u64, sizes: Vector<'_, i32>) -> bool {
    // Elements are of a byte at least, so that few bytes are few elements.
    bytes > MOST || bytes > MOST_ELEMENTS && elements(sizes).is_none_or(|elements| elements > MOST_ELEMENTS)
}

fn elements(sizes: Vector<'_, i32>) -> Option<u64> {
    sizes.iter().try_fold(1_u64, |product, size| product.checked_mul(u64::try_from(size).ok()?))
}

/// The upper bounds of a method's dynamic tensors: an input's may never be reached, any other has its memory planned by them.
pub(super) fn check(
    plan: ExecutionPlan<'_>,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    let Ok(Some(values)) = plan.values() else { return Ok(()) };
    // A bit for each value that is an input.
    let words = scratch.words(values.len().div_ceil(64))?;
    words.fill(0);
    let inputs = plan.inputs().ok().flatten();
    for (index, input) in inputs.into_iter().flat_map(Vector::iter).enumerate() {
        let Some(value) = usize::try_from(input).ok().filter(|value| *value < values.len()) else { continue };
        words[value / 64] |= 1 << (value % 64);
        if let Some((bytes, _)) = dynamic_bytes(values, value)
            && let Some(inputs) = inputs
        {
            let message = format_args!("value {input} may take {bytes} bytes, more than a 32-bit host counts");
            let path = &path.field("inputs");
            let at = inputs.element_span(index);
            reporter.report(&rules::T_DYNAMIC_INPUT_BOUNDS, &path.index(index), at, message)?;
        }
    }
    for value in (0..values.len()).filter(|value| words[value / 64] >> (value % 64) & 1 == 0) {
        if let Some((bytes, at)) = dynamic_bytes(values, value) {
            let message = format_args!("{bytes} bytes are more than a 32-bit host counts");
            let path = &path.field("values");
            let path = &path.index(value);
            let path = &path.field("val");
            reporter.report(&rules::T_NBYTES_32BIT, &path.field("sizes"), at, message)?;
        }
    }
    Ok(())
}

/// Bytes of a dynamic tensor that a 32-bit host cannot hold, and where its sizes are.
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
    too_much(bytes, sizes).then_some((bytes, sizes.span()))
}
