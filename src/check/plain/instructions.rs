//! Chains and instructions, and the calls of the runtime's own operators.

use super::super::pte::domains::invalid_argument;
use super::super::pte::operators::FITTING;
use super::super::pte::plan::MethodPlan;
use super::object::VtableShape;
use super::require;
use super::state::{Method, MethodShapes, ProgramVisit, type_of};
use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::Visited;
use crate::pte::schema as pte;
use crate::pte::schema::{InstructionArguments, KernelTypes};
use crate::pte::signatures::{COPY_INDEX, Domain, Signature};

/// Visits the chains of a method.
pub(super) fn visit<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    plan: &Visited<'_, 'a, pte::ExecutionPlan<'a>>,
    method: &Method<'a>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    let chains = pass.visit.list(plan.chains())?;
    require!(!chains.is_empty());
    // Only calls of the runtime's own operators need the plan, and it is large.
    let mut known = None;
    let mut shape = [VtableShape::<pte::Chain<'_>, 4>::NONE];
    for position in pass.visit.positions(chains) {
        let chain = pass.visit.table(position?, &mut shape)?;
        for list in [chain.inputs(), chain.outputs()] {
            if let Some(list) = pass.visit.optional_list(list)? {
                require!(are_inside(list, method.values.len()));
            }
        }
        pass.visit.empty_list(chain.stacktrace())?;
        let instructions = pass.visit.list(chain.instructions())?;
        for position in pass.visit.positions(instructions) {
            let instruction = pass.visit.table(position?, &mut shapes.instruction)?;
            let at = instruction.instr_args()?;
            match instruction.instr_args_type() {
                InstructionArguments::KernelCall => kernel_call(pass, at, method, &mut known, shapes)?,
                InstructionArguments::DelegateCall => {
                    let mut shape = [VtableShape::<pte::DelegateCall<'_>, 2>::NONE];
                    let call = pass.visit.follow(at, &mut shape)?;
                    require!(are_inside(pass.visit.list(call.args())?, method.values.len()));
                    require!((call.delegate_index().cast_unsigned() as usize) < method.delegates);
                }
                // Moves, jumps and frees are rare.
                _ => return None,
            }
        }
    }
    Some(())
}

/// Whether all items are indexes below `count`.
#[inline]
fn are_inside(items: Vector<'_, i32>, count: usize) -> bool {
    // A negative index is a large unsigned number.
    let (words, _) = items.as_bytes().as_chunks::<4>();
    words.iter().all(|word| (u32::from_le_bytes(*word) as usize) < count)
}

#[inline]
fn kernel_call<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    at: usize,
    method: &Method<'a>,
    known: &mut Option<MethodPlan<'a>>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    let call = pass.visit.follow(at, &mut shapes.kernel_call)?;
    let args = pass.visit.list(call.args())?;
    require!(are_inside(args, method.values.len()));
    require!(args.len() <= FITTING);
    let index = call.op_index().cast_unsigned() as usize;
    require!(index < method.operators);
    if index < 64 && method.own >> index & 1 == 0 {
        return Some(());
    }
    let known = known.get_or_insert_with(|| MethodPlan::of(method.view));
    match known.signature(call.op_index()) {
        Some(signature) => own_call(pass, signature, args, (method, known), shapes),
        None => Some(()),
    }
}

/// Checks a call of one of the runtime's own operators.
fn own_call<'a>(
    pass: &ProgramVisit<'a, '_>,
    signature: &Signature,
    args: Vector<'a, i32>,
    (method, known): (&Method<'a>, &MethodPlan<'a>),
    shapes: &MethodShapes<'a>,
) -> Option<()> {
    require!(args.len() == signature.parameters.len());
    let mut bools = 0;
    for (index, (arg, types)) in args.iter().zip(signature.parameters).enumerate() {
        let ty = type_of(pass, method, usize::try_from(arg).ok()?, shapes)?;
        require!(types.accept(ty));
        bools |= u32::from(ty == KernelTypes::Bool) << index;
    }
    require!(signature.domain != Domain::Comparable || bools & 1 == bools >> 1 & 1);
    require!(signature.name != COPY_INDEX);
    require!(invalid_argument(signature.domain, args, known, &|_| true).is_none());
    Some(())
}
