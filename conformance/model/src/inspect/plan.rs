//! A method's memory plan: where its tensors are, and during which instructions.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use torchproof::pte::Method;
use torchproof::pte::schema::{KernelTypesValue, Tensor};

use super::budget::RowBudget;
use super::columns::{index, item};
use super::tables::{InstructionTable, OperatorTable, ValueTable};
use crate::fields::vector::items;
use crate::needs::{BufferNeeds, ItemBudget, Values, buffers, kept};

/// A method's memory plan.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanOutput {
    /// The planned buffers, without the reserved first one.
    pub buffers: Vec<PlannedBuffer>,
    /// The tensors in planned memory, one row each.
    pub tensors: PlannedTensors,
    /// Pairs of rows of `tensors` that share bytes while both are live. At most 100 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<[i32; 2]>,
    /// The size of the tensors that keep their values between runs.
    pub state_bytes: u64,
}

/// A planned buffer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedBuffer {
    #[serde(flatten)]
    pub buffer: BufferNeeds,
    /// The maximum number of bytes that live tensors need at any instruction.
    pub peak: u64,
}

/// The tensors in planned memory.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedTensors {
    /// The value's index.
    pub value: Vec<i32>,
    /// The index of the buffer in `buffers`.
    pub buffer: Vec<i32>,
    /// The offset in the buffer.
    pub offset: Vec<u64>,
    /// The size, or its upper bound.
    pub bytes: Vec<u64>,
    /// The first instruction that uses the tensor, or -1 if it already has a value before that.
    pub first: Vec<i32>,
    /// The last instruction that uses the tensor, or the number of instructions if its value is still used after them.
    pub last: Vec<i32>,
    /// `true` if the tensor keeps its value between runs.
    pub keeps: Vec<bool>,
}

/// The sizes of live tensors, by offset and row.
type LiveTensors = BTreeMap<(u64, usize), u64>;

/// The maximum number of listed overlaps.
const OVERLAPS: usize = 100;

impl PlanOutput {
    pub(super) fn of(
        method: Method<'_>,
        values: &ValueTable,
        instructions: &InstructionTable,
        operators: &OperatorTable,
        budget: &mut RowBudget,
        items: &mut ItemBudget,
    ) -> Self {
        let uses = Uses::of(method, values, instructions, operators, budget);
        let is_kept = Values::of(method, items).map_or_else(Vec::new, |values| kept(method, &values, items));
        let mut plan = Self::default();
        for (number, tensor) in method.tensors().flatten() {
            let Some((buffer, offset)) = placed(tensor).filter(|_| number < uses.spans.len()) else { continue };
            if !budget.admits(0) {
                budget.omit(|| "planned tensors".to_owned());
                break;
            }
            let bytes = tensor.scalar_type().ok().zip(tensor.sizes().ok().flatten());
            let bytes = bytes.and_then(|(ty, sizes)| torchproof::layout::nbytes(ty, sizes).ok()).unwrap_or(0);
            let keeps = is_kept.get(number).copied().unwrap_or(false);
            let (first, last) = if keeps { (-1, index(instructions.rows())) } else { uses.spans[number] };
            let table = &mut plan.tensors;
            table.value.push(index(number));
            table.buffer.push(buffer);
            table.offset.push(offset);
            table.bytes.push(bytes);
            table.first.push(first);
            table.last.push(last);
            table.keeps.push(keeps);
            plan.state_bytes = plan.state_bytes.saturating_add(if keeps { bytes } else { 0 });
        }
        plan.buffers =
            buffers(method.plan(), items).into_iter().map(|buffer| PlannedBuffer { buffer, peak: 0 }).collect();
        plan.measure(&uses);
        plan
    }

    /// Computes the peaks and overlaps in one sweep over the instructions. A tensor's views share its bytes on purpose.
    fn measure(&mut self, uses: &Uses) {
        let table = &self.tensors;
        let mut events = Vec::new();
        for row in 0..table.value.len() {
            if table.first[row] <= table.last[row] && table.bytes[row] > 0 {
                events.push((table.first[row], true, row));
                events.push((table.last[row].saturating_add(1), false, row));
            }
        }
        // At any instruction, first remove the tensors that end there, then add those that begin there.
        events.sort_unstable();
        // For each buffer, the live tensors by address, and their size without views.
        let mut live: HashMap<i32, (LiveTensors, u64)> = HashMap::new();
        let mut views: HashMap<(i32, u64, u64), u32> = HashMap::new();
        for (_, begins, row) in events {
            let (buffer, offset, bytes) = (table.buffer[row], table.offset[row], table.bytes[row]);
            let (by_address, sum) = live.entry(buffer).or_default();
            let alike = views.entry((buffer, offset, bytes)).or_default();
            if !begins {
                by_address.remove(&(offset, row));
                *alike -= 1;
                *sum = sum.saturating_sub(if *alike == 0 { bytes } else { 0 });
                continue;
            }
            let before = by_address.range(..(offset, row)).next_back();
            let after = by_address.range((offset, row)..).next();
            for ((at, other), len) in [before, after].into_iter().flatten() {
                let overlaps = at.saturating_add(*len) > offset && offset.saturating_add(bytes) > *at;
                let same_place = *at == offset && *len == bytes;
                let is_view = || uses.is_view(table.value[row], table.value[*other], same_place);
                if overlaps && self.overlaps.len() < OVERLAPS && !is_view() {
                    self.overlaps.push([index(*other), index(row)]);
                }
            }
            by_address.insert((offset, row), bytes);
            *sum = sum.saturating_add(if *alike == 0 { bytes } else { 0 });
            *alike += 1;
            let peak = usize::try_from(buffer).ok().and_then(|buffer| self.buffers.get_mut(buffer));
            if let Some(buffer) = peak {
                buffer.peak = buffer.peak.max(*sum);
            }
        }
    }
}

/// Returns the index of the buffer, not counting the reserved one, and the offset in it.
fn placed(tensor: Tensor<'_>) -> Option<(i32, u64)> {
    let planned = tensor.allocation_info().ok()??;
    let buffer = i32::try_from(planned.memory_id().ok()?).ok()?.checked_sub(1)?;
    let offset = u64::from(planned.memory_offset_low().ok()?) | u64::from(planned.memory_offset_high().ok()?) << 32;
    Some((buffer, offset))
}

/// The first and the last instruction that uses each value, and the value that each view shows.
struct Uses {
    spans: Vec<(i32, i32)>,
    roots: Vec<i32>,
    /// `true` if an instruction or the caller writes the value.
    is_written: Vec<bool>,
}

impl Uses {
    fn of(
        method: Method<'_>,
        values: &ValueTable,
        instructions: &InstructionTable,
        operators: &OperatorTable,
        budget: &mut RowBudget,
    ) -> Self {
        let count = values.tensor.len();
        let mut uses = Self {
            spans: vec![(i32::MAX, i32::MIN); count],
            roots: (0..index(count)).collect(),
            is_written: vec![false; count],
        };
        items(method.plan().inputs()).for_each(|value| {
            uses.touch(method, value, -1, budget);
            uses.write(value);
        });
        for row in 0..instructions.rows() {
            let (args, writes) = (instructions.args.get(row), instructions.writes.get(row));
            for value in args.iter().chain(writes) {
                uses.touch(method, *value, index(row), budget);
            }
            writes.iter().for_each(|value| uses.write(*value));
            let is_view = match instructions.kind.get(row) {
                Some("move") => true,
                Some("kernel") => operators.is_view(instructions.target[row]),
                _ => false,
            };
            if let ([from, ..], [to]) = (args, writes)
                && is_view
            {
                uses.join(*from, *to);
            }
        }
        let end = index(instructions.rows());
        items(method.plan().outputs()).for_each(|value| uses.touch(method, value, end, budget));
        // A value's root is never greater than the value, so a single pass takes each value to its final root.
        for value in 0..count {
            uses.roots[value] = uses.root(index(value));
        }
        uses
    }

    fn touch(&mut self, method: Method<'_>, value: i32, at: i32, budget: &mut RowBudget) {
        self.extend(value, at);
        let list = match method.value(value).ok().and_then(|value| value.val().ok()?) {
            Some(KernelTypesValue::TensorList(list)) => list.items(),
            Some(KernelTypesValue::OptionalTensorList(list)) => list.items(),
            _ => return,
        };
        if budget.visit(crate::fields::vector::len(list)) {
            items(list).for_each(|item| self.extend(item, at));
        }
    }

    fn extend(&mut self, value: i32, at: i32) {
        if let Some((first, last)) = usize::try_from(value).ok().and_then(|value| self.spans.get_mut(value)) {
            (*first, *last) = ((*first).min(at), (*last).max(at));
        }
    }

    fn root(&self, value: i32) -> i32 {
        let direct = item(&self.roots, value).copied().unwrap_or(value);
        item(&self.roots, direct).copied().unwrap_or(direct)
    }

    /// The destination of a view or a move shares the bytes of its source.
    fn join(&mut self, one: i32, other: i32) {
        let (one, other) = (self.last_root(one), self.last_root(other));
        if let Some(root) = usize::try_from(one.max(other)).ok().and_then(|at| self.roots.get_mut(at)) {
            *root = one.min(other);
        }
    }

    /// Returns the root of a value. Halves the path on the way, to keep many joins fast.
    fn last_root(&mut self, value: i32) -> i32 {
        let mut value = value;
        while let Ok(at) = usize::try_from(value)
            && self.roots.get(at).is_some_and(|root| *root != value)
        {
            self.roots[at] = self.root(value);
            value = self.roots[at];
        }
        value
    }

    fn write(&mut self, value: i32) {
        if let Some(is_written) = usize::try_from(value).ok().and_then(|value| self.is_written.get_mut(value)) {
            *is_written = true;
        }
    }

    /// If nothing writes a tensor and it shares its place with another tensor, it is a view without an instruction.
    fn is_view(&self, one: i32, other: i32, same_place: bool) -> bool {
        let is_written = |value| item(&self.is_written, value) == Some(&true);
        self.root(one) == self.root(other) || same_place && !(is_written(one) && is_written(other))
    }
}
