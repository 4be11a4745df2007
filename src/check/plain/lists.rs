//! The checks of a program after the visit: distinct names and inputs, and separate memory of inputs and outputs.

use super::super::elements;
use super::super::pte::overlaps::memory_of;
use super::super::scratch::Scratch;
use super::names::{NameHashes, hash_of, hash_of_number, words_for};
use super::require;
use crate::flatbuffer::Vector;
use crate::pte::schema::{EValue, ExecutionPlan, KernelTypesValue, TensorDataLocation};

/// The length of the longest list of inputs or outputs that the pass checks. The pass compares all pairs of such a list.
const MOST_COMPARED: usize = 128;

/// Checks the lists of a program whose tables are verified. `named` is the number of tensors with a name.
pub(super) fn check(plans: Vector<'_, ExecutionPlan<'_>>, named: usize, scratch: &mut dyn Scratch) -> Option<()> {
    if plans.len() > 1 {
        let mut names = NameHashes::new(scratch.words(words_for(plans.len())).ok()?);
        for plan in plans.iter() {
            names.add(hash_of(plan.ok()?.name().ok()??.as_bytes())?)?;
        }
    }
    for plan in plans.iter() {
        let plan = plan.ok()?;
        let (values, inputs, outputs) = (plan.values().ok()??, plan.inputs().ok()??, plan.outputs().ok()??);
        if inputs.len() > 1 {
            let mut seen = NameHashes::new(scratch.words(words_for(inputs.len())).ok()?);
            for input in inputs.iter() {
                seen.add(hash_of_number(input.cast_unsigned()))?;
            }
        }
        for list in [inputs, outputs] {
            if list.len() > 1 {
                require!(list.len() <= MOST_COMPARED);
                require!(are_separate(values, list, scratch.words(3 * list.len()).ok()?));
            }
        }
    }
    if named > 1 { tensor_names(plans, NameHashes::new(scratch.words(words_for(named)).ok()?)) } else { Some(()) }
}

/// Whether no two tensors of a list share planned memory, except for one tensor that is listed twice.
fn are_separate(values: Vector<'_, EValue<'_>>, list: Vector<'_, i32>, words: &mut [u64]) -> bool {
    let (entries, _) = words.as_chunks_mut::<3>();
    for (count, found) in list.iter().filter_map(|index| memory_of(values, index)).enumerate() {
        let [one, start, end] = found;
        let shared =
            |[other, from, to]: &[u64; 3]| *other != one && *other >> 32 == one >> 32 && *from < end && start < *to;
        if entries.iter().take(count).any(shared) {
            return false;
        }
        let Some(entry) = entries.get_mut(count) else { return false };
        *entry = found;
    }
    true
}

/// Checks that the names of a method's tensors are distinct, and that the names of external tensors are distinct in the
/// program.
fn tensor_names(plans: Vector<'_, ExecutionPlan<'_>>, mut seen: NameHashes<'_>) -> Option<()> {
    for (index, plan) in elements(Ok(Some(plans))) {
        // Names of external tensors never equal other names, because the file and the program have separate names.
        let salt = hash_of_number(u32::try_from(index).ok()?);
        for value in plan.values().ok()??.iter() {
            let Ok(Some(KernelTypesValue::Tensor(tensor))) = value.ok()?.val() else { continue };
            let Some(extra) = tensor.extra_tensor_info().ok()? else { continue };
            let Some(name) = extra.fully_qualified_name().ok()? else { continue };
            let external = extra.location() == Ok(TensorDataLocation::EXTERNAL);
            let hash = hash_of(name.as_bytes())?;
            seen.add(if external { hash } else { hash ^ salt })?;
        }
    }
    Some(())
}
