//! Chains and instructions, and the calls of the runtime's own operators.

use super::super::pte::domains::invalid_argument;
use super::super::pte::operators::FITTING;
use super::super::pte::plan::MethodPlan;
use super::require;
use super::state::{Method, MethodShapes, ProgramVisit};
use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::Visited;
use crate::pte::schema as pte;
use crate::pte::schema::{InstructionArguments, KernelTypes};
use crate::pte::signatures::{Domain, SIGNATURES, Signature, position};

/// Visits the chains of a method.
pub(super) fn visit<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    plan: &Visited<'_, 'a, pte::ExecutionPlan<'a>>,
    method: &Method<'a>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    let chains = pass.visit.list(plan.chains())?;
    require!(!chains.is_empty());
    for position in pass.visit.positions(chains) {
        let chain = pass.visit.table(position?, &mut shapes.chain)?;
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
                InstructionArguments::KernelCall => kernel_call(pass, at, method, shapes)?,
                InstructionArguments::DelegateCall => {
                    let call = pass.visit.follow(at, &mut shapes.delegate_call)?;
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

#[inline(never)]
fn kernel_call<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    at: usize,
    method: &Method<'a>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    let call = pass.visit.follow(at, &mut shapes.kernel_call)?;
    let args = pass.visit.list(call.args())?;
    require!(are_inside(args, method.values.len()));
    require!(args.len() <= FITTING);
    let operators = method.operators?;
    let index = call.op_index().cast_unsigned() as usize;
    require!(index < operators.len());
    let own = match method.signatures.get(index) {
        Some(own) => usize::from(*own),
        None => position(operators.get(index)?.ok()?).map_or(0, |own| own + 1),
    };
    if own == 0 {
        return Some(());
    }
    own_call(pass, SIGNATURES.get(own - 1)?, args, method, shapes)
}

/// Checks a call of one of the runtime's own operators.
fn own_call<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    signature: &Signature,
    args: Vector<'a, i32>,
    method: &Method<'a>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    require!(args.len() == signature.parameters.len());
    let (visit, (words, _)) = (&mut pass.visit, args.as_bytes().as_chunks());
    let mut found = [None; 2];
    for (index, (arg, types)) in words.iter().zip(signature.parameters).enumerate() {
        if types.is_any() {
            continue;
        }
        let value = visit.element(method.values, u32::from_le_bytes(*arg) as usize, &mut shapes.value)?;
        let ty = value.val_type();
        require!(types.accept(ty));
        if let Some(found) = found.get_mut(index) {
            *found = Some((ty, value.val()?));
        }
    }
    match signature.domain {
        Domain::Any => Some(()),
        Domain::Comparable => {
            let [one, other] = found.map(|found| found.map(|(ty, _)| ty == KernelTypes::Bool));
            require!(one == other);
            Some(())
        }
        Domain::Dimension => {
            let [Some((_, tensor)), Some((_, dimension))] = found else { return None };
            let rank = visit.again(tensor, &mut shapes.tensor)?.sizes().here()?.len();
            let dimension = visit.again(dimension, &mut shapes.int)?.int_val();
            require!(dimension.cast_unsigned() < rank as u64);
            Some(())
        }
        // The calls of the operator `et_copy_index` have more rules.
        Domain::Slice => None,
        // The other domains are rare.
        domain => {
            require!(invalid_argument(domain, args, &MethodPlan::of(method.view), &|_| true).is_none());
            Some(())
        }
    }
}
