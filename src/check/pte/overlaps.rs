//! Checks planned tensors that are in use at the same time in every run.

use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::nbytes;
use crate::pte::schema::brief::{AllocationDetails, EValue, ExecutionPlan, Tensor};
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::rules::{RuleKey, memory as rules};
use crate::sort::sort_by;

use super::super::finding::Reporter;
use super::super::scratch::Scratch;

/// Checks that no two inputs of a method share memory, and that no two outputs do.
pub(super) fn check(
    plan: ExecutionPlan<'_>,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let Ok(Some(values)) = plan.values() else { return Ok(()) };
    let path = &path.field("values");
    for (rule, list) in
        [(rules::MEM_INPUT_OVERLAP.key(), plan.inputs()), (rules::MEM_OUTPUT_OVERLAP.key(), plan.outputs())]
    {
        if let Ok(Some(list)) = list
            && list.len() > 1
        {
            expect_separate(rule, values, list, scratch.words(3 * list.len())?, path, reporter)?;
        }
    }
    Ok(())
}

/// Reports each tensor that shares bytes with another in the list. `words` must be three times as long as the list.
fn expect_separate(
    rule: RuleKey,
    values: Vector<'_, EValue<'_>>,
    list: Vector<'_, i32>,
    words: &mut [u64],
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let (entries, _) = words.as_chunks_mut::<3>();
    let mut count = 0;
    for (entry, found) in entries.iter_mut().zip(list.iter().filter_map(|index| memory_of(values, index))) {
        *entry = found;
        count += 1;
    }
    let entries = entries.get_mut(..count).unwrap_or_default();
    let buffer_of = |[tag, ..]: [u64; 3]| tag >> 32;
    let key = |entry: &[u64; 3]| (buffer_of(*entry), entry[1], entry[0]);
    sort_by(entries, |one, other| key(one) < key(other));
    // The entry that ends last among those visited so far in the current buffer.
    let mut last: Option<[u64; 3]> = None;
    for entry in &*entries {
        let [tag, offset, end] = *entry;
        let before = last.filter(|last| buffer_of(*last) == buffer_of(*entry));
        if let Some([other, _, other_end]) = before.filter(|[other, _, end]| offset < *end && *other != tag) {
            let (index, other) = (tag & 0xffff_ffff, other & 0xffff_ffff);
            report(rule, values, (index, other, other_end), path, reporter)?;
        }
        if before.is_none_or(|[.., other_end]| end > other_end) {
            last = Some(*entry);
        }
    }
    Ok(())
}

/// A value's range in planned memory, as three words; `None` if it has no bytes there. The first word holds the
/// buffer's id in its upper half and the value's index in its lower half; the others are the start and the end of the
/// range.
fn memory_of(values: Vector<'_, EValue<'_>>, index: i32) -> Option<[u64; 3]> {
    let (tensor, place) = planned(values, u64::try_from(index).ok()?)?;
    let bytes = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok().filter(|bytes| *bytes > 0)?;
    let (low, high) = (place.memory_offset_low().ok()?, place.memory_offset_high().ok()?);
    let offset = u64::from(low) | u64::from(high) << 32;
    let tag = u64::from(place.memory_id().ok()?) << 32 | u64::from(index.cast_unsigned());
    Some([tag, offset, offset.checked_add(bytes)?])
}

fn planned<'a>(values: Vector<'a, EValue<'a>>, index: u64) -> Option<(Tensor<'a>, AllocationDetails<'a>)> {
    let value = values.get(usize::try_from(index).ok()?)?.ok()?;
    let Ok(Some(KernelTypesValue::Tensor(tensor))) = value.val() else { return None };
    Some((tensor, tensor.allocation_info().ok()??))
}

#[cold]
fn report(
    rule: RuleKey,
    values: Vector<'_, EValue<'_>>,
    (index, other, end): (u64, u64, u64),
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let Some((_, place)) = planned(values, index) else { return Ok(()) };
    let path = &path.index(usize::try_from(index).unwrap_or(usize::MAX));
    let message = format_args!("the tensor begins before {end}, the end of value {other} in the same planned buffer");
    let at = place.place("memory_offset_low");
    reporter.report(rule, &path.field("val").field("allocation_info").field("memory_offset_low"), at, message)
}
