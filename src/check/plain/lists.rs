//! The checks of a program after the visit: distinct names, and the inputs and outputs: distinct inputs, types, and separate
//! memory.

use super::super::scratch::Scratch;
use super::names::{NameHashes, hash_of, hash_of_number, words_for};
use super::object::{Visit, VtableShape};
use super::require;
use super::state::MethodShapes;
use super::tensor::bytes_of;
use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::Visited;
use crate::pte::schema::{EValue, ExecutionPlan, ExtraTensorInfo, KernelTypes, Tensor, TensorDataLocation};

/// The length of the longest list of inputs or outputs that the pass checks. The pass compares all pairs of such a list.
const MOST_COMPARED: usize = 128;

/// Checks the lists of a program whose tables are visited. `named` is the number of tensors with a name.
pub(super) fn check<'a>(
    visit: &mut Visit<'a>,
    plans: Vector<'a, ExecutionPlan<'a>>,
    shapes: &mut MethodShapes<'a>,
    named: usize,
    scratch: &mut dyn Scratch,
) -> Option<()> {
    if plans.len() > 1 {
        let mut names = NameHashes::new(scratch.words(words_for(plans.len())).ok()?);
        for index in 0..plans.len() {
            names.add(hash_of(visit.element(plans, index, &mut shapes.plan)?.name().here()?.as_bytes())?)?;
        }
        names.finish()?;
    }
    for index in 0..plans.len() {
        let plan = visit.element(plans, index, &mut shapes.plan)?;
        let (values, inputs, outputs) = (plan.values().here()?, plan.inputs().here()?, plan.outputs().here()?);
        require!(inputs.len() <= MOST_COMPARED);
        require!(outputs.len() <= MOST_COMPARED);
        for (index, input) in inputs.iter().enumerate() {
            require!(!inputs.iter().take(index).any(|other| other == input));
        }
        for (list, constants) in [(inputs, false), (outputs, true)] {
            // A single value has nothing to compare with.
            let words = if list.len() > 1 { 3 * list.len() } else { 0 };
            let (ranges, _) = scratch.words(words).ok()?.as_chunks_mut::<3>();
            ends(visit, values, list, constants, shapes, ranges)?;
        }
    }
    if named > 1 {
        tensor_names(visit, plans, shapes, NameHashes::new(scratch.words(words_for(named)).ok()?))
    } else {
        Some(())
    }
}

/// Checks the values that are inputs or outputs. No two tensors of the list may share planned memory, except for one
/// tensor that is listed twice.
///
/// `constants` states whether the list may contain constants. The length of `ranges` must be the length of the list, or 0
/// to compare no ranges.
fn ends<'a>(
    visit: &mut Visit<'a>,
    values: Vector<'a, EValue<'a>>,
    list: Vector<'a, i32>,
    constants: bool,
    shapes: &mut MethodShapes<'a>,
    ranges: &mut [[u64; 3]],
) -> Option<()> {
    let mut count = 0;
    for item in list.iter() {
        let item = item.cast_unsigned();
        let value = visit.element(values, item as usize, &mut shapes.value)?;
        let ty = value.val_type();
        require!(ty.0 < KernelTypes::IntList.0);
        if ty != KernelTypes::Tensor {
            continue;
        }
        let tensor = visit.again(value.val()?, &mut shapes.tensor)?;
        if tensor.allocation_info().is_absent() {
            require!(constants || !has_data(visit, &tensor, &mut shapes.extra)?);
            continue;
        }
        if ranges.is_empty() {
            return Some(());
        }
        let bytes = bytes_of(tensor.scalar_type(), tensor.sizes().here()?, tensor.dim_order().here()?)?;
        let place = visit.again(tensor.allocation_info().offset_position()?, &mut shapes.allocation)?;
        let start = u64::from(place.memory_offset_low()) | u64::from(place.memory_offset_high()) << 32;
        let (tag, end) = (u64::from(place.memory_id()) << 32 | u64::from(item), start.saturating_add(bytes));
        if bytes == 0 {
            continue;
        }
        let (before, after) = ranges.split_at_mut_checked(count)?;
        let shared =
            |[other, from, to]: &[u64; 3]| *other != tag && *other >> 32 == tag >> 32 && *from < end && start < *to;
        require!(!before.iter().any(shared));
        *after.first_mut()? = [tag, start, end];
        count += 1;
    }
    Some(())
}

/// Whether the data of a tensor is in the file or in a data file.
fn has_data<'a>(
    visit: &mut Visit<'a>,
    tensor: &Visited<'_, 'a, Tensor<'a>>,
    extra: &mut [VtableShape<ExtraTensorInfo<'a>, 5>; 1],
) -> Option<bool> {
    let Some(at) = tensor.extra_tensor_info().offset_position() else { return Some(tensor.data_buffer_idx() > 0) };
    let location = visit.again(at, extra)?.location();
    Some(tensor.data_buffer_idx() > 0 || location == TensorDataLocation::EXTERNAL)
}

/// Checks that the names of a method's tensors are distinct, and that the names of external tensors are distinct in the
/// program.
fn tensor_names<'a>(
    visit: &mut Visit<'a>,
    plans: Vector<'a, ExecutionPlan<'a>>,
    shapes: &mut MethodShapes<'a>,
    mut seen: NameHashes<'_>,
) -> Option<()> {
    for index in 0..plans.len() {
        // Names of external tensors never equal other names, because the file and the program have separate names.
        let salt = hash_of_number(u32::try_from(index).ok()?);
        let values = visit.element(plans, index, &mut shapes.plan)?.values().here()?;
        for index in 0..values.len() {
            let value = visit.element(values, index, &mut shapes.value)?;
            if value.val_type() != KernelTypes::Tensor {
                continue;
            }
            let extra = visit.again(value.val()?, &mut shapes.tensor)?.extra_tensor_info();
            let Some(at) = extra.offset_position() else { continue };
            let extra = visit.again(at, &mut shapes.extra)?;
            let Some(name) = extra.fully_qualified_name().here() else { continue };
            let hash = hash_of(name.as_bytes())?;
            let external = extra.location() == TensorDataLocation::EXTERNAL;
            seen.add(if external { hash } else { hash ^ salt })?;
        }
    }
    seen.finish()
}
