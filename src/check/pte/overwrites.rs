//! Checks for planned memory that an instruction overwrites although a later instruction still reads the old data.

use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::nbytes;
use crate::pte::schema::brief::{ExecutionPlan, Instruction, Tensor};
use crate::pte::schema::brief_values::InstructionArgumentsValue as Call;
use crate::pte::signatures::Domain;
use crate::rules::memory as rules;
use crate::sort::sort_by;

use super::super::finding::Reporter;
use super::super::scratch::Scratch;
use super::flow::{apply, call_at, each_tensor, own_effects, writes_last};
use super::held::{HeldValues, LAST_POSITION};
use super::plan::MethodPlan;

/// The scratch words per value: two for its contents, one for the start of its memory, one for its range among the
/// starts, one for its last write, and at most four for a tree of the starts.
const WORDS: usize = 9;

/// The number of bits for an offset in a planned buffer; the bits above contain the buffer's id. Real plans fit.
const OFFSET_BITS: u32 = 48;

/// Checks a method without jumps if it has only one chain, so its instructions run in order. Skips methods without
/// moves or views, because only moves and views let a value outlive the memory that the exporter planned for it.
pub(super) fn check(
    plan: ExecutionPlan<'_>,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let mut known = MethodPlan::of(plan);
    let (Some(count), Some(instructions)) = (known.count(), only_chain(plan)) else { return Ok(()) };
    if !lets_values_outlive(instructions, &mut known) {
        return Ok(());
    }
    let (held, rest) = scratch.words(WORDS * count)?.split_at_mut(2 * count);
    let (starts, rest) = rest.split_at_mut(count);
    let (ranges, rest) = rest.split_at_mut(count);
    let (written, tree) = rest.split_at_mut(count);
    let mut values = HeldValues::new(known, plan.table().buffer().len(), held);
    let mut memory = PlannedWrites::new(&values, starts, ranges, written, tree);
    let chains = &path.field("chains");
    let chain = &chains.index(0);
    let all = &chain.field("instructions");
    for index in 0..instructions.len() {
        if values.position == LAST_POSITION {
            return Ok(());
        }
        values.position += 1;
        let Some(call) = call_at(instructions, index) else { continue };
        memory.call(call, &mut values, &all.index(index).field("instr_args"), reporter)?;
    }
    if let Ok(Some(outputs)) = plan.outputs() {
        memory.reads(outputs, None, &mut values, &path.field("outputs"), reporter)?;
    }
    Ok(())
}

fn only_chain<'a>(plan: ExecutionPlan<'a>) -> Option<Vector<'a, Instruction<'a>>> {
    let chains = plan.chains().ok()?.filter(|chains| chains.len() == 1)?;
    chains.get(0)?.ok()?.instructions().ok()?
}

fn lets_values_outlive(instructions: Vector<'_, Instruction<'_>>, known: &mut MethodPlan<'_>) -> bool {
    (0..instructions.len()).any(|index| match call_at(instructions, index) {
        Some(Call::MoveCall(_)) => true,
        Some(Call::KernelCall(call)) => {
            let signature = known.signature(call.op_index().unwrap_or(-1));
            signature.is_some_and(|signature| signature.domain == Domain::View)
        }
        _ => false,
    })
}

/// When each part of planned memory was last written.
struct PlannedWrites<'s> {
    /// For each value, the leaves of the planned tensors that start inside its own tensor: the first leaf in the lower
    /// half, the end in the upper half. Two tensors overlap if and only if one contains the other's start.
    ranges: &'s [u64],
    /// When each value's own tensor was last written.
    written: &'s mut [u64],
    /// A segment tree over the starts. A word's upper half is the last write to all starts below the node; the lower
    /// half is the last write to any of them.
    tree: &'s mut [u64],
}

impl<'s> PlannedWrites<'s> {
    fn new(
        values: &HeldValues<'_, '_>,
        starts: &mut [u64],
        ranges: &'s mut [u64],
        written: &'s mut [u64],
        tree: &'s mut [u64],
    ) -> Self {
        let mut count = 0;
        for (index, (range, end)) in ranges.iter_mut().zip(&mut *written).enumerate() {
            let place = values.plan.tensor(index as i64).and_then(range_of);
            (*range, *end) = place.unwrap_or((0, 0));
            if let Some(((start, _), entry)) = place.zip(starts.get_mut(count)) {
                *entry = start;
                count += 1;
            }
        }
        let starts = starts.get_mut(..count).unwrap_or_default();
        sort_by(starts, |one, other| one < other);
        let leaf = |at: u64| (count.next_power_of_two() + starts.partition_point(|start| *start < at)) as u64;
        for (range, end) in ranges.iter_mut().zip(&mut *written) {
            *range = leaf(*range) | leaf(*end) << 32;
            *end = 0;
        }
        tree.fill(0);
        Self { ranges, written, tree }
    }

    /// Records what a call writes, and reports reads of data that has been overwritten. Sizes and numbers that other
    /// operators set do not matter here.
    fn call<'a>(
        &mut self,
        call: Call<'a>,
        values: &mut HeldValues<'a, '_>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let path = &path.field("args");
        match call {
            Call::KernelCall(call) => {
                let Ok(Some(args)) = call.args() else { return Ok(()) };
                match values.plan.signature(call.op_index().unwrap_or(-1)) {
                    Some(signature) => {
                        if signature.domain == Domain::Slice {
                            self.reads(args, args.get(0), values, path, reporter)?;
                            self.write(args.get(0).unwrap_or(-1), values);
                        } else if signature.domain == Domain::Element {
                            self.reads(args, args.get(1), values, path, reporter)?;
                        }
                        own_effects(signature, args, values);
                    }
                    None if writes_last(args) => {
                        let last = args.get(args.len().saturating_sub(1));
                        self.reads(args, last, values, path, reporter)?;
                        self.write(last.unwrap_or(-1), values);
                    }
                    None => self.write_all(args, values)?,
                }
            }
            Call::DelegateCall(call) => {
                if let Ok(Some(args)) = call.args() {
                    self.write_all(args, values)?;
                }
            }
            _ => apply(call, values),
        }
        Ok(())
    }

    /// Records a call that may write to any of its arguments.
    fn write_all<'a>(&mut self, args: Vector<'a, i32>, values: &mut HeldValues<'a, '_>) -> Flow {
        for arg in args.iter() {
            each_tensor(arg, values, &mut |values, value| {
                self.write(value, values);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn write(&mut self, value: i32, values: &HeldValues<'_, '_>) {
        let Some(owner) = values.data(value) else { return };
        let position = u64::from(values.position);
        if let Some(written) = self.written.get_mut(owner as usize) {
            *written = position;
        }
        let Some((first, end)) = self.leaves_of(owner) else { return };
        for mut node in [first, end - 1] {
            while node > 1 {
                node /= 2;
                let word = self.node(node);
                // The same instruction has already marked all nodes above this one.
                if word & u64::from(u32::MAX) == position {
                    break;
                }
                self.set(node, word & !u64::from(u32::MAX) | position);
            }
        }
        cover(first, end, |node| self.set(node, position << 32 | position));
    }

    /// The last write to any leaf of a range.
    fn last_write(&self, (first, end): (usize, usize)) -> u64 {
        let mut last = 0;
        cover(first, end, |node| last = last.max(self.node(node) & u64::from(u32::MAX)));
        let (mut low, mut high) = (first, end - 1);
        while low > 1 {
            (low, high) = (low / 2, high / 2);
            last = last.max(self.node(low) >> 32).max(self.node(high) >> 32);
        }
        last
    }

    fn node(&self, index: usize) -> u64 {
        self.tree.get(index).copied().unwrap_or(0)
    }

    fn set(&mut self, index: usize, word: u64) {
        if let Some(node) = self.tree.get_mut(index) {
            *node = word;
        }
    }

    /// The first leaf and the end of the leaves in a value's planned memory; `None` if there are none.
    fn leaves_of(&self, value: u32) -> Option<(usize, usize)> {
        let range = self.ranges.get(value as usize)?;
        let leaves = [range & u64::from(u32::MAX), range >> 32];
        let [first, end] = leaves.map(|leaf| usize::try_from(leaf).unwrap_or(0));
        (first < end).then_some((first, end))
    }

    /// Reports each tensor in `args`, other than `result`, whose memory another instruction has overwritten.
    fn reads<'a>(
        &mut self,
        args: Vector<'a, i32>,
        result: Option<i32>,
        values: &mut HeldValues<'a, '_>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        for (position, arg) in args.iter().enumerate().filter(|(_, arg)| Some(*arg) != result) {
            each_tensor(arg, values, &mut |values, value| {
                let Some(owner) = values.data(value) else { return Ok(()) };
                let Some(last) = self.leaves_of(owner).map(|leaves| self.last_write(leaves)) else { return Ok(()) };
                let Some(written) = self.written.get_mut(owner as usize) else { return Ok(()) };
                if last <= core::mem::replace(written, last.max(*written)) {
                    return Ok(());
                }
                let message = format_args!(
                    "value {value} has the data of value {owner}, but instruction {} has overwritten this memory",
                    last - 1
                );
                reporter.report(&rules::MEM_LIVE_OVERWRITE, &path.index(position), args.element_span(position), message)
            })?;
        }
        Ok(())
    }
}

/// Calls the closure with the tree nodes that together cover the leaves from `low` to `high`.
fn cover(mut low: usize, mut high: usize, mut each: impl FnMut(usize)) {
    while low < high {
        if low % 2 == 1 {
            each(low);
            low += 1;
        }
        if high % 2 == 1 {
            high -= 1;
            each(high);
        }
        (low, high) = (low / 2, high / 2);
    }
}

/// The start and the end of a tensor's planned memory. Each is one number: the buffer's id above the offset.
fn range_of(tensor: Tensor<'_>) -> Option<(u64, u64)> {
    let place = tensor.allocation_info().ok()??;
    let bytes = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok().filter(|bytes| *bytes > 0)?;
    let (low, high) = (place.memory_offset_low().ok()?, place.memory_offset_high().ok()?);
    let end = (u64::from(low) | u64::from(high) << 32).checked_add(bytes)?;
    let id = u64::from(u16::try_from(place.memory_id().ok()?).ok()?) << OFFSET_BITS;
    (end < 1 << OFFSET_BITS).then(|| (id + end - bytes, id + end))
}
