//! Checks instructions and the operators that kernel calls use.

use crate::ScalarType;
use crate::error::OutOfRange;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, OffsetTarget, Path, VisitedTable};
use crate::pte::schema::brief::{DelegateCall, FreeCall, Instruction, JumpFalseCall, KernelCall, MoveCall, Operator};
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::pte::schema::{InstructionArguments, KernelTypes};
use crate::rules::{RuleKey, instructions as rules, program};

use super::super::finding::Reporter;
use super::items::{expect_inside, outside};
use super::operators;
use super::plan::{CONDITIONS, FLOW, FREES, JUMPS, MethodPlan, is_constant, lacks_data};

/// An operator's `name.overload` must be shorter than this, in bytes.
pub(in crate::check) const NAME_LIMIT: usize = 100;

#[inline]
pub(super) fn check<'a>(
    instruction: &VisitedTable<'_, 'a, Instruction<'a>>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let ty = instruction.instr_args_type();
    let known = InstructionArguments::KernelCall.0..=InstructionArguments::FreeCall.0;
    if known.contains(&ty.0) {
        return Ok(());
    }
    let has_value = instruction.instr_args();
    // The verification pass has already reported an invalid offset to the arguments.
    if ty.0 != 0 && has_value.is_some() && instruction.view().instr_args().is_ok() {
        let message = format_args!("instruction type is {}, expected 1 to 5", ty.0);
        let at = instruction.place("instr_args_type");
        return reporter.report(&rules::INS_TYPE_KNOWN, &path.field("instr_args_type"), at, message);
    }
    if ty.0 == 0 && has_value.is_none() {
        let message = format_args!("the instruction has no type and no arguments");
        let at = instruction.table().span();
        return reporter.report(&rules::INS_NONNULL, &path.field("instr_args"), at, message);
    }
    Ok(())
}

pub(super) fn kernel_call<'a>(
    call: &VisitedTable<'_, 'a, KernelCall<'a>>,
    plan: &mut MethodPlan<'a>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let args = match call.args() {
        OffsetTarget::Here(args) => args,
        OffsetTarget::Absent => return reporter.absent(&rules::INS_ARGS_NONNULL, "args", call.table(), path),
        OffsetTarget::Broken => return Ok(()),
    };
    if let Some(count) = plan.count() {
        expect_inside(rules::INS_ARG_RANGE.key(), args, count, &path.field("args"), reporter)?;
    }
    operators::check_key(args, plan, path, reporter)?;
    if !reporter.must_only() {
        // Most operators return their result in the last argument.
        let last = args.len().checked_sub(1).and_then(|last| args.get(last)).unwrap_or(-1);
        plan.uses |= FLOW * u8::from(plan.tensor(last.into()).is_some_and(is_constant));
    }
    let index = call.op_index();
    let Some(all) = plan.operators else {
        if plan.no_operators {
            return Ok(());
        }
        plan.no_operators = true;
        let message = format_args!("index is {index}, but operators is absent");
        let at = call.place("op_index");
        return reporter.report(&program::PLAN_OPERATORS_NONNULL, &path.field("op_index"), at, message);
    };
    if outside(index, all.len()) {
        let message = format_args!("{}", OutOfRange::new(index, all.len()));
        return reporter.report(&rules::INS_OP_INDEX, &path.field("op_index"), call.place("op_index"), message);
    }
    operators::check_call(index, args, plan, path, reporter)
}

pub(super) fn delegate_call(
    call: DelegateCall<'_>,
    plan: &MethodPlan<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    match call.args() {
        Ok(None) => return reporter.absent(&rules::INS_ARGS_NONNULL, "args", call.table(), path),
        Ok(Some(args)) => {
            if let Some(count) = plan.count() {
                expect_inside(rules::INS_ARG_RANGE.key(), args, count, &path.field("args"), reporter)?;
            }
        }
        Err(_) => {}
    }
    let (Ok(index), Some(count)) = (call.delegate_index(), plan.delegates) else { return Ok(()) };
    if outside(index, count) {
        let message = format_args!("{}", OutOfRange::new(index, count));
        let (path, at) = (&path.field("delegate_index"), call.place("delegate_index"));
        return reporter.report(&rules::INS_DELEGATE_INDEX, path, at, message);
    }
    Ok(())
}

pub(super) fn move_call(
    call: MoveCall<'_>,
    plan: &mut MethodPlan<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    plan.uses |= FLOW * u8::from(!reporter.must_only());
    let (Ok(from), Ok(to), Some(count)) = (call.move_from(), call.move_to(), plan.count()) else { return Ok(()) };
    let mut inside = true;
    for (name, index) in [("move_from", from), ("move_to", to)] {
        if outside(index, count) {
            inside = false;
            let message = format_args!("{}", OutOfRange::new(index, count));
            reporter.report(&rules::INS_MOVE_RANGE, &path.field(name), call.place(name), message)?;
        }
    }
    let (from, to) = (i64::from(from), i64::from(to));
    let types = plan.type_of(from).zip(plan.type_of(to));
    if inside && types.is_some_and(|(from, to)| from != to) {
        let message = format_args!(
            "the call moves value {from} of type {} over value {to} of type {}",
            plan.type_name(from),
            plan.type_name(to)
        );
        return reporter.report(&rules::INS_MOVE_TYPE, &path.field("move_to"), call.place("move_to"), message);
    }
    Ok(())
}

pub(super) fn jump(
    call: JumpFalseCall<'_>,
    plan: &mut MethodPlan<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    plan.uses |= JUMPS;
    if let (Ok(index), Some(count)) = (call.cond_value_index(), plan.count()) {
        if plan.tensor(index.into()).is_some_and(lacks_data) {
            plan.uses |= CONDITIONS;
        }
        let (path, at) = (&path.field("cond_value_index"), call.place("cond_value_index"));
        if outside(index, count) {
            let message = format_args!("{}", OutOfRange::new(index, count));
            reporter.report(&rules::INS_JUMP_COND_RANGE, path, at, message)?;
        } else if !is_condition(plan, index.into()) {
            let message = format_args!(
                "value {index} has type {}, expected Bool or a tensor of bools",
                plan.type_name(index.into())
            );
            reporter.report(&rules::INS_JUMP_COND_TYPE, path, at, message)?;
        }
    }
    let Ok(to) = call.destination_instruction() else { return Ok(()) };
    let (path, at) = (&path.field("destination_instruction"), call.place("destination_instruction"));
    let (own, count) = (plan.instruction, plan.instructions);
    match usize::try_from(to) {
        Ok(to) if to == own => {
            let message = format_args!("instruction {to} jumps to itself, so its condition never changes");
            reporter.report(&rules::INS_TERMINATION, path, at, message)
        }
        Ok(to) if to <= count => Ok(()),
        _ => {
            let message = format_args!("destination is instruction {to}, expected 0 to {count}");
            reporter.report(&rules::INS_JUMP_DEST, path, at, message)
        }
    }
}

/// Returns whether the value at `index` can be a jump's condition; `true` if it is unreadable.
fn is_condition(plan: &MethodPlan<'_>, index: i64) -> bool {
    match plan.type_of(index) {
        None | Some(KernelTypes::Bool) => true,
        Some(KernelTypes::Tensor) => match plan.value_of(index) {
            Some(KernelTypesValue::Tensor(tensor)) => {
                // An unknown scalar type violates another rule, so do not report the tensor again.
                tensor.scalar_type().map_or(true, |ty| ty == ScalarType::BOOL || ty.element_size().is_none())
            }
            _ => true,
        },
        Some(_) => false,
    }
}

pub(super) fn free(
    call: FreeCall<'_>,
    plan: &mut MethodPlan<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    plan.uses |= FREES;
    let (Ok(index), Some(count)) = (call.value_index(), plan.count()) else { return Ok(()) };
    let (path, at) = (&path.field("value_index"), call.place("value_index"));
    if outside(index, count) {
        let message = format_args!("{}", OutOfRange::new(index, count));
        return reporter.report(&rules::INS_FREE_RANGE, path, at, message);
    }
    if plan.type_of(index.into()).is_some_and(|ty| ty != KernelTypes::Tensor) {
        let message = format_args!("value {index} has type {}, expected Tensor", plan.type_name(index.into()));
        return reporter.report(&rules::INS_FREE_TYPE, path, at, message);
    }
    Ok(())
}

pub(super) fn operator(
    operator: Operator<'_>,
    plan: &mut MethodPlan<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    plan.uses |= FLOW * u8::from(!has_valid_name(operator));
    reporter.require(&rules::INS_OVERLOAD_NONNULL, "overload", &operator.overload(), operator.table(), path)
}

/// The length in bytes of an operator's `name.overload`; `None` if it has no name.
fn name_len(operator: Operator<'_>) -> Option<usize> {
    let overload = operator.overload().ok().flatten().map_or(0, |overload| overload.as_bytes().len());
    let name = operator.name().ok().flatten()?;
    Some(name.as_bytes().len() + if overload == 0 { 0 } else { 1 + overload })
}

/// Returns whether an operator has a name and its `name.overload` is shorter than [`NAME_LIMIT`].
pub(super) fn has_valid_name(operator: Operator<'_>) -> bool {
    name_len(operator).is_some_and(|len| len < NAME_LIMIT)
}

pub(super) fn report_name(
    rule: RuleKey,
    operator: Operator<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let (Some(full), Ok(Some(name))) = (name_len(operator), operator.name()) else {
        return reporter.absent(rule, "name", operator.table(), path);
    };
    let message = format_args!("name and overload have {full} bytes together, expected less than {NAME_LIMIT}");
    reporter.report(rule, &path.field("name"), name.span(), message)
}
