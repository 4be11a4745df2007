//! What a program for a 32-bit host is asked about its dynamic tensors, once all has been visited.

use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path, Stop};
use crate::layout::nbytes;
use crate::pte::schema::{EValue, ExecutionPlan, KernelTypesValue, TensorShapeDynamism};
use crate::rules::tensors as rules;
use crate::{Limit, Span};

use super::super::finding::{Memory, Reporter};
use super::super::layout::MAX_RANK;

/// The most bytes that a 32-bit host can hold in one object.
pub(super) const MOST: u64 = u32::MAX as u64;

/// The upper bounds of a method's dynamic tensors: an input's may never be reached, any other has its memory planned by them.
pub(super) fn check(
    plan: ExecutionPlan<'_>,
    memory: &mut dyn Memory,
    path: &Path<'_>,
    reporter: &mut Reporter<'_>,
) -> Flow {
    let Ok(Some(values)) = plan.values() else { return Ok(()) };
    let words = memory.words(values.len().div_ceil(64)).ok_or(Stop::Limit(Limit::Scratch))?;
    words.fill(0);
    let inputs = plan.inputs().ok().flatten();
    for (index, input) in inputs.into_iter().flat_map(Vector::iter).enumerate() {
        let Some(value) = usize::try_from(input).ok().filter(|value| *value < values.len()) else { continue };
        words[value / 64] |= 1 << (value % 64);
        if let Some((bytes, _)) = dynamic_bytes(values, value)
            && let Some(inputs) = inputs
        {
            let message = format_args!("value {input} may take {bytes} bytes, which do not fit into 32 bits");
            let path = &path.field("inputs");
            let at = inputs.element_span(index);
            reporter.report(&rules::T_DYNAMIC_INPUT_BOUNDS, &path.index(index), at, message)?;
        }
    }
    for value in (0..values.len()).filter(|value| words[value / 64] >> (value % 64) & 1 == 0) {
        if let Some((bytes, at)) = dynamic_bytes(values, value) {
            let message = format_args!("{bytes} bytes do not fit into 32 bits");
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
    (bytes > MOST).then_some((bytes, sizes.span()))
}
