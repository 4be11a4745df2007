//! A pass over a method's instructions that tracks what the values contain. It finds constants that get overwritten,
//! tensors without data, and arguments that the runtime's own operators cannot accept.

use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::pte::schema::brief::{ExecutionPlan, Instruction};
use crate::pte::schema::brief_values::InstructionArgumentsValue as Call;
use crate::pte::signatures::{Domain, Signature};
use crate::rules::instructions as rules;

use super::super::elements;
use super::super::finding::Reporter;
use super::super::scratch::Scratch;
use super::domains::invalid_argument;
use super::held::{HeldValues, LAST_POSITION};
use super::plan::MethodPlan;
use super::results::result;

/// Follows a method in file order. Findings are about the first time that an instruction runs, so a backward jump
/// affects only later instructions.
///
/// A `straight` method has no jumps.
pub(super) fn check(
    plan: ExecutionPlan<'_>,
    straight: bool,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let known = MethodPlan::of(plan);
    let Some(count) = known.count() else { return Ok(()) };
    let mut values = HeldValues::new(known, plan.table().buffer().len(), scratch.words(2 * count)?);
    values.set_by_caller(plan.outputs().ok().flatten(), 0);
    values.set_inputs(plan.inputs().ok().flatten());
    let path = &path.field("chains");
    for (chain, instructions) in elements(plan.chains()).filter_map(|(i, chain)| Some((i, chain.instructions().ok()??)))
    {
        let path = &path.index(chain);
        let path = &path.field("instructions");
        let start = values.position;
        let repeated = if straight { NOTHING } else { repeated(start, instructions) };
        let mut chain = ChainFlow { start, instructions, repeated };
        for index in 0..instructions.len() {
            if values.position == LAST_POSITION {
                return Ok(());
            }
            values.position += 1;
            if let Some(call) = call_at(instructions, index) {
                let path = &path.index(index);
                chain.instruction(call, &mut values, &path.field("instr_args"), reporter)?;
            }
        }
    }
    Ok(())
}

pub(super) fn call_at<'a>(instructions: Vector<'a, Instruction<'a>>, index: usize) -> Option<Call<'a>> {
    instructions.get(index)?.ok()?.instr_args().ok()?
}

/// An empty range of positions.
const NOTHING: (u32, u32) = (u32::MAX, 0);

/// The first and the last position that backward jumps repeat.
fn repeated(start: u32, instructions: Vector<'_, Instruction<'_>>) -> (u32, u32) {
    let mut range = NOTHING;
    for (position, index) in (start + 1..LAST_POSITION).zip(0..instructions.len()) {
        let Some(Call::JumpFalseCall(jump)) = call_at(instructions, index) else { continue };
        let to = jump.destination_instruction().ok().and_then(|to| u32::try_from(to).ok());
        if let Some(to) = to.and_then(|to| to.checked_add(start + 1)).filter(|to| *to <= position) {
            range = (range.0.min(to), position);
        }
    }
    range
}

struct ChainFlow<'a> {
    /// The position before the first instruction.
    start: u32,
    instructions: Vector<'a, Instruction<'a>>,
    repeated: (u32, u32),
}

impl<'a> ChainFlow<'a> {
    fn instruction(
        &mut self,
        call: Call<'a>,
        values: &mut HeldValues<'a, '_>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        match call {
            Call::KernelCall(call) => {
                let Ok(Some(args)) = call.args() else { return Ok(()) };
                match values.plan.signature(call.op_index().unwrap_or(-1)) {
                    Some(signature) => own_call(signature, args, values, path, reporter)?,
                    None => {
                        foreign_call(args, values, path, reporter)?;
                        kernel_writes(args, values, path, reporter)?;
                    }
                }
            }
            Call::DelegateCall(call) => {
                if let Ok(Some(args)) = call.args() {
                    foreign_call(args, values, path, reporter)?;
                }
            }
            Call::JumpFalseCall(jump) => {
                let to = u32::try_from(jump.destination_instruction().unwrap_or(-1));
                if let Some(to) = to.ok().and_then(|to| to.checked_add(self.start + 1)) {
                    self.jump(to, values);
                }
            }
            _ => apply(call, values),
        }
        Ok(())
    }

    /// After a backward jump, earlier instructions may have run again; after a forward jump, some may not have run at
    /// all. In a loop, an instruction that a jump skips can run for the first time after the instructions behind it.
    fn jump(&mut self, to: u32, values: &mut HeldValues<'a, '_>) {
        let own = values.position;
        let (first, last) = self.repeated;
        if to <= own {
            values.jump_over(to, own);
        } else if own < last && to > first {
            values.jump_over(first, last.max(to - 1));
            self.repeated = NOTHING;
            for position in own + 1..=last {
                if let Some(call) = call_at(self.instructions, (position - self.start - 1) as usize) {
                    apply(call, values);
                }
            }
        } else {
            values.jump_over(own + 1, to - 1);
        }
    }
}

/// Applies an instruction's effects to what the values contain.
pub(super) fn apply<'a>(call: Call<'a>, values: &mut HeldValues<'a, '_>) {
    match call {
        Call::KernelCall(call) => {
            let Ok(Some(args)) = call.args() else { return };
            match values.plan.signature(call.op_index().unwrap_or(-1)) {
                Some(signature) => own_effects(signature, args, values),
                None => _ = foreign_effects(args, values, &mut |_, _, _| Ok(())),
            }
        }
        Call::DelegateCall(call) => {
            if let Ok(Some(args)) = call.args() {
                _ = foreign_effects(args, values, &mut |_, _, _| Ok(()));
            }
        }
        Call::MoveCall(call) => {
            values.move_value(call.move_from().unwrap_or(-1), call.move_to().unwrap_or(-1));
        }
        Call::FreeCall(call) => values.share_data(call.value_index().unwrap_or(-1), None),
        Call::JumpFalseCall(_) | Call::Unknown => {}
    }
}

/// Other operators have no known signature, so they may resize any tensor argument and set any number. Calls the
/// closure with the position of each argument and each of the argument's tensors.
fn foreign_effects<'a, 's>(
    args: Vector<'a, i32>,
    values: &mut HeldValues<'a, 's>,
    each: &mut dyn FnMut(&mut HeldValues<'a, 's>, usize, i32) -> Flow,
) -> Flow {
    for (position, arg) in args.iter().enumerate() {
        each_tensor(arg, values, &mut |values, tensor| {
            values.resize(tensor);
            each(values, position, tensor)
        })?;
        if values.int(arg.into()).is_some() {
            values.set_int(arg, None);
        }
    }
    Ok(())
}

pub(super) fn own_effects(signature: &Signature, args: Vector<'_, i32>, values: &mut HeldValues<'_, '_>) {
    let arg = |position: usize| args.get(position).unwrap_or(-1);
    match signature.domain {
        Domain::View => {
            values.share_data(arg(2), Some(arg(0)));
            values.resize(arg(2));
        }
        Domain::Slice => values.resize_first(arg(0)),
        _ => {
            let result = result(signature, args, values);
            values.set_int(arg(signature.parameters.len() - 1), result);
        }
    }
}

/// Calls the closure with the argument if it is a Tensor, or with each Tensor in it if it is a list.
pub(super) fn each_tensor<'a, 's>(
    arg: i32,
    values: &mut HeldValues<'a, 's>,
    each: &mut dyn FnMut(&mut HeldValues<'a, 's>, i32) -> Flow,
) -> Flow {
    if values.is_tensor(arg) {
        return each(values, arg);
    }
    let items = if values.is_list(arg) { values.tensors(arg) } else { None };
    for item in items.into_iter().flat_map(Vector::iter) {
        if values.is_tensor(item) {
            each(values, item)?;
        }
    }
    Ok(())
}

/// For a call to another operator or a delegate, reports each tensor argument without data once.
fn foreign_call<'a>(
    args: Vector<'a, i32>,
    values: &mut HeldValues<'a, '_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let path = &path.field("args");
    foreign_effects(args, values, &mut |values, position, value| {
        if !values.lacks_data(value) {
            return Ok(());
        }
        values.share_data(value, None);
        let message = format_args!(
            "value {value}, argument {position}: the tensor has no data, expected stored data or planned memory"
        );
        reporter.report(&rules::INS_ARG_DATA, &path.index(position), args.element_span(position), message)
    })
}

/// Returns whether a call to an operator without a known signature writes to its last argument. It does if the same
/// value is also an earlier argument, as for `.out` and in-place operators.
pub(super) fn writes_last(args: Vector<'_, i32>) -> bool {
    let last = args.len().saturating_sub(1);
    args.iter().take(last).any(|arg| Some(arg) == args.get(last))
}

/// Checks the destination of a call to an operator without a known signature.
fn kernel_writes<'a>(
    args: Vector<'a, i32>,
    values: &HeldValues<'a, '_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    if !writes_last(args) {
        return Ok(());
    }
    let last = args.len().saturating_sub(1);
    write(args.get(last).unwrap_or(-1), last, args, values, path, reporter)
}

fn own_call<'a>(
    signature: &Signature,
    args: Vector<'a, i32>,
    values: &mut HeldValues<'a, '_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    if let Some(invalid) = invalid_argument(signature.domain, args, values) {
        let position = invalid.position;
        let value = args.get(position).unwrap_or(-1);
        let message = format_args!("value {value}, argument {position} of {}: {invalid}", signature.name);
        let at = args.element_span(position);
        reporter.report(invalid.rule(), &path.field("args").index(position), at, message)?;
        if invalid.lacks_data() {
            values.share_data(value, None);
        }
    }
    if signature.domain == Domain::Slice {
        write(args.get(0).unwrap_or(-1), 0, args, values, path, reporter)?;
    }
    own_effects(signature, args, values);
    Ok(())
}

/// Reports a call that writes to a value whose data is a constant.
fn write<'a>(
    value: i32,
    position: usize,
    args: Vector<'a, i32>,
    values: &HeldValues<'a, '_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let Some(constant) = values.constant(value) else { return Ok(()) };
    let message = format_args!("the call writes to value {value}, whose data is the constant of value {constant}");
    let path = &path.field("args");
    reporter.report(&rules::INS_CONST_WRITE, &path.index(position), args.element_span(position), message)
}
