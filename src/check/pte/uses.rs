//! Checks how a method's instructions use operators and values, after the verification pass.

use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::pte::schema::brief::{ExecutionPlan, FreeCall, Instruction, Tensor};
use crate::pte::schema::brief_values::{InstructionArgumentsValue as Call, KernelTypesValue};
use crate::rules::instructions as rules;

use super::super::elements;
use super::super::finding::Reporter;
use super::super::scratch::Scratch;
use super::flow;
use super::instructions::{has_valid_name, report_name};
use super::overwrites;
use super::plan::{CONDITIONS, FREES, JUMPS, MethodPlan, is_constant, lacks_data};

/// Runs these checks for a method that needs at least one of them. `needed` has the flags of all methods together.
pub(super) fn check(
    plan: ExecutionPlan<'_>,
    needed: u8,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    operator_names(plan, scratch, path, reporter)?;
    if !reporter.must_only() {
        let mut straight = true;
        if needed & JUMPS != 0 {
            each_call(plan, &mut |call| straight &= !matches!(call, Call::JumpFalseCall(_)));
        }
        if needed & FREES != 0 {
            frees(plan, straight, scratch, path, reporter)?;
        }
        flow::check(plan, straight, scratch, path, reporter)?;
        if straight {
            overwrites::check(plan, scratch, path, reporter)?;
        }
    }
    if needed & CONDITIONS != 0 { conditions(plan, scratch, path, reporter) } else { Ok(()) }
}

/// Calls the closure `each` with the arguments of a method's instructions, in file order.
fn each_call<'a>(plan: ExecutionPlan<'a>, each: &mut dyn FnMut(Call<'a>)) {
    for (_, chain) in elements(plan.chains()) {
        for (_, instruction) in elements(chain.instructions()) {
            if let Some(call) = call_of(instruction) {
                each(call);
            }
        }
    }
}

fn call_of(instruction: Instruction<'_>) -> Option<Call<'_>> {
    instruction.instr_args().ok()?
}

/// Reports operators with invalid names. The rule is stronger for operators that are called.
fn operator_names(
    plan: ExecutionPlan<'_>,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let mut count = 0;
    for (index, operator) in elements(plan.operators()) {
        if !has_valid_name(operator) {
            count = index + 1;
        }
    }
    if count == 0 {
        return Ok(());
    }
    let mut called = Flags::new(scratch, count)?;
    each_call(plan, &mut |call| {
        if let Call::KernelCall(call) = call {
            called.set(call.op_index().unwrap_or(-1), USED);
        }
    });
    let path = &path.field("operators");
    for (index, operator) in elements(plan.operators()) {
        if has_valid_name(operator) {
            continue;
        }
        let used = called.has(index, USED);
        let rule = if used { rules::INS_OP_NAME.key() } else { rules::INS_OP_NAME_UNCALLED.key() };
        report_name(rule, operator, &path.index(index), reporter)?;
    }
    Ok(())
}

const USED: u64 = 1;
const USED_LATER: u64 = 2;
const INPUT: u64 = 4;
const OUTPUT: u64 = 8;
/// Marks a value that can differ between runs.
const VARIABLE: u64 = 1;

/// Four flags for each of a method's operators or values.
struct Flags<'s> {
    words: &'s mut [u64],
    count: usize,
}

impl<'s> Flags<'s> {
    fn new(scratch: &'s mut dyn Scratch, count: usize) -> Result<Self, crate::flatbuffer::walk::Stop> {
        let words = scratch.words(count.div_ceil(16))?;
        words.fill(0);
        Ok(Self { words, count })
    }

    /// The word and the bit shift of the flags at `index`; `None` if it is out of range.
    fn place(&self, index: i32) -> Option<(usize, usize)> {
        let index = usize::try_from(index).ok().filter(|index| *index < self.count)?;
        Some((index / 16, index % 16 * 4))
    }

    fn set(&mut self, index: i32, flag: u64) {
        if let Some((word, shift)) = self.place(index)
            && let Some(word) = self.words.get_mut(word)
        {
            *word |= flag << shift;
        }
    }

    fn clear(&mut self, index: i32, flag: u64) {
        if let Some((word, shift)) = self.place(index)
            && let Some(word) = self.words.get_mut(word)
        {
            *word &= !(flag << shift);
        }
    }

    fn has(&self, index: usize, flag: u64) -> bool {
        let place = i32::try_from(index).ok().and_then(|index| self.place(index));
        place.is_some_and(|(word, shift)| self.words.get(word).is_some_and(|word| word >> shift & flag != 0))
    }

    fn set_all(&mut self, items: Option<Vector<'_, i32>>, flag: u64) {
        let Some(items) = items else { return };
        for item in items.iter() {
            self.set(item, flag);
        }
    }

    fn set_used(&mut self, call: Call<'_>, flag: u64) {
        match call {
            Call::KernelCall(call) => self.set_all(call.args().ok().flatten(), flag),
            Call::DelegateCall(call) => self.set_all(call.args().ok().flatten(), flag),
            Call::JumpFalseCall(call) => self.set(call.cond_value_index().unwrap_or(-1), flag),
            Call::MoveCall(_) | Call::FreeCall(_) | Call::Unknown => {}
        }
    }
}

fn frees(
    plan: ExecutionPlan<'_>,
    straight: bool,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let known = MethodPlan::of(plan);
    let (Some(count), Ok(Some(chains))) = (known.count(), plan.chains()) else { return Ok(()) };
    let mut flags = Flags::new(scratch, count)?;
    flags.set_all(plan.inputs().ok().flatten(), INPUT);
    flags.set_all(plan.outputs().ok().flatten(), OUTPUT);
    each_call(plan, &mut |call| flags.set_used(call, USED));
    // This goes from the last instruction to the first, so the flags mark what later instructions use. A method with
    // jumps may execute its instructions in another order, so nothing is marked.
    let path = &path.field("chains");
    for (position, chain) in
        (0..chains.len()).rev().filter_map(|position| Some((position, chains.get(position)?.ok()?)))
    {
        let Ok(Some(instructions)) = chain.instructions() else { continue };
        let path = &path.index(position);
        let path = &path.field("instructions");
        for position in (0..instructions.len()).rev() {
            let Some(call) = instructions.get(position).and_then(|call| call_of(call.ok()?)) else { continue };
            match call {
                Call::FreeCall(call) => {
                    let index = call.value_index().unwrap_or(-1);
                    if let Some(what) = known.tensor(index.into()).and_then(|tensor| need(index, tensor, &flags)) {
                        report_free(call, what, &path.index(position), reporter)?;
                    }
                }
                // After a MoveCall, its source and its destination refer to the same tensor data.
                Call::MoveCall(call) => {
                    let (from, to) = (call.move_from().unwrap_or(-1), call.move_to().unwrap_or(-1));
                    let used = usize::try_from(to).is_ok_and(|to| flags.has(to, USED_LATER));
                    flags.clear(to, USED_LATER);
                    if used {
                        flags.set(from, USED_LATER);
                    }
                }
                _ => {}
            }
            if straight {
                flags.set_used(call, USED_LATER);
            }
        }
    }
    Ok(())
}

fn need(index: i32, tensor: Tensor<'_>, flags: &Flags<'_>) -> Option<&'static str> {
    let has = |flag| usize::try_from(index).is_ok_and(|index| flags.has(index, flag));
    if is_constant(tensor) {
        Some("a constant")
    } else if has(OUTPUT) {
        Some("an output of the method")
    } else if has(INPUT) {
        Some("an input of the method")
    } else if has(USED_LATER) {
        Some("an argument of a later instruction")
    } else if has(USED) && matches!(tensor.allocation_info(), Ok(Some(_))) {
        Some("a used tensor in planned memory, which has no data in later runs")
    } else {
        None
    }
}

fn report_free(call: FreeCall<'_>, what: &str, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let index = call.value_index().unwrap_or(-1);
    let message = format_args!("value {index} is {what}; the call frees its data");
    let (path, at) = (&path.field("instr_args"), call.place("value_index"));
    reporter.report(&rules::INS_FREE_LIVE, &path.field("value_index"), at, message)
}

/// Marks a call's arguments, and the items of its list arguments, as values that the call may write.
fn set_written(known: &MethodPlan<'_>, args: Option<Vector<'_, i32>>, flags: &mut Flags<'_>) {
    let Some(args) = args else { return };
    for arg in args.iter() {
        // Mark a list's items only once, even if several calls use it.
        let marked = usize::try_from(arg).is_ok_and(|arg| flags.has(arg, VARIABLE));
        flags.set(arg, VARIABLE);
        if marked {
            continue;
        }
        match known.value_of(arg.into()) {
            Some(KernelTypesValue::TensorList(list)) => flags.set_all(list.items().ok().flatten(), VARIABLE),
            Some(KernelTypesValue::OptionalTensorList(list)) => flags.set_all(list.items().ok().flatten(), VARIABLE),
            _ => {}
        }
    }
}

/// Reports jump conditions without data. Ignores values that can differ between runs: a caller can set the data of
/// inputs and outputs, and instructions can write to other values.
fn conditions(
    plan: ExecutionPlan<'_>,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let mut known = MethodPlan::of(plan);
    let (Some(count), Ok(Some(chains))) = (known.count(), plan.chains()) else { return Ok(()) };
    let mut flags = Flags::new(scratch, count)?;
    flags.set_all(plan.inputs().ok().flatten(), VARIABLE);
    flags.set_all(plan.outputs().ok().flatten(), VARIABLE);
    each_call(plan, &mut |call| match call {
        Call::KernelCall(call) => {
            let args = call.args().ok().flatten();
            let last = args.and_then(|args| args.get(args.len().checked_sub(1)?));
            match known.signature(call.op_index().unwrap_or(-1)) {
                Some(_) => flags.set(last.unwrap_or(-1), VARIABLE),
                None => set_written(&known, args, &mut flags),
            }
        }
        Call::DelegateCall(call) => set_written(&known, call.args().ok().flatten(), &mut flags),
        Call::MoveCall(call) => flags.set(call.move_to().unwrap_or(-1), VARIABLE),
        Call::JumpFalseCall(_) | Call::FreeCall(_) | Call::Unknown => {}
    });
    let fixed = |index: i32| usize::try_from(index).is_ok_and(|index| !flags.has(index, VARIABLE));
    let path = &path.field("chains");
    for (position, chain) in elements(Ok(Some(chains))) {
        let path = &path.index(position);
        let path = &path.field("instructions");
        for (position, instruction) in elements(chain.instructions()) {
            let path = &path.index(position);
            let path = &path.field("instr_args");
            if let Some(Call::JumpFalseCall(call)) = call_of(instruction) {
                let index = call.cond_value_index().unwrap_or(-1);
                if fixed(index) && known.tensor(index.into()).is_some_and(lacks_data) {
                    let message = format_args!(
                        "the condition, value {index}, has no data, expected stored data or planned memory"
                    );
                    let (path, at) = (&path.field("cond_value_index"), call.place("cond_value_index"));
                    reporter.report(&rules::INS_JUMP_COND_DATA, path, at, message)?;
                }
            }
        }
    }
    Ok(())
}
