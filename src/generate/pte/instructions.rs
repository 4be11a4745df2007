//! The chains of a method: instructions in any order, and their call stacks.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::values::Values;
use crate::ScalarType;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{TableTree, Value, same_type};
use crate::generate::maker::Maker;
use crate::layout::{KERNEL_KEY_LIMIT, KERNEL_KEY_START, kernel_key_part};
use crate::pte::builder::{PlanBuilder, chain, instruction};
use crate::pte::schema::{DelegateCall, Frame, FrameList, FreeCall, JumpFalseCall, KernelCall, MoveCall, Tensor};
use crate::random::Random;

/// The operators that generated programs call.
///
/// Each entry contains the name, the overload and, for an operator in the runtime's own namespace, the number of
/// arguments.
///
/// The runtime's portable kernels implement all these operators.
pub const OPERATORS: &[(&str, &str, Option<usize>)] = &[
    ("aten::add", "out", None),
    ("aten::mul", "out", None),
    ("aten::relu", "out", None),
    ("aten::mm", "out", None),
    ("aten::cat", "out", None),
    ("aten::_softmax", "out", None),
    ("aten::permute_copy", "out", None),
    ("executorch_prim::add", "Scalar", Some(3)),
    ("executorch_prim::eq", "Scalar", Some(3)),
    ("executorch_prim::sym_float", "Scalar", Some(2)),
    ("executorch_prim::et_view", "default", Some(3)),
];

/// The kind of an instruction.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Kernel,
    Delegate,
    Move,
    Jump,
    Free,
}

/// Generates the chains of a method with these values, delegates and [`OPERATORS`].
pub(super) fn chains(
    maker: &mut Maker<'_>,
    values: &Values,
    operators: &[usize],
    delegates: usize,
    plan: &mut PlanBuilder,
) {
    let outputs = plan.get("outputs").and_then(Value::as_bytes).unwrap_or_default();
    let outputs: BTreeSet<i32> = outputs.as_chunks().0.iter().map(|index| i32::from_le_bytes(*index)).collect();
    let context = Context {
        values,
        keys: plan.get("values").and_then(Value::as_tables).unwrap_or_default().iter().map(key_part).collect(),
        delegates,
        operators,
        free: values.changing.iter().copied().filter(|value| !outputs.contains(value)).collect(),
        conditions: values.bools.iter().chain(&values.masks).copied().collect(),
        movable: [&values.tensors, &values.ints, &values.bools, &values.doubles, &values.strings, &values.nulls]
            .into_iter()
            .filter(|group| !group.is_empty())
            .map(Vec::as_slice)
            .collect(),
    };
    let count = maker.number(&maker.config.chains).max(1);
    let mut chains = Vec::new();
    for index in 0..count {
        // The table of the first chain is already reserved.
        if index > 0 && !maker.take(1) {
            break;
        }
        chains.push(context.chain(maker));
    }
    plan.assign("chains", chains);
}

/// The values, delegates and operators that instructions can refer to.
struct Context<'v> {
    values: &'v Values,
    /// The bytes that each value adds to a kernel's lookup key.
    keys: Vec<usize>,
    delegates: usize,
    operators: &'v [usize],
    free: Vec<i32>,
    conditions: Vec<i32>,
    /// Values grouped by type.
    movable: Vec<&'v [i32]>,
}

impl Context<'_> {
    fn chain(&self, maker: &mut Maker<'_>) -> TableTree {
        let order = self.order(maker);
        let count = order.len();
        let traced = maker.often(maker.config.stack_traces);
        let traces: Vec<TableTree> = if traced { order.iter().map(|_| trace(maker)).collect() } else { Vec::new() };
        let made = order.into_iter().enumerate().map(|(index, wanted)| self.instruction(maker, wanted, index, count));
        let mut chain = chain(made.map(instruction).collect());
        if traced {
            chain.assign("stacktrace", traces);
        }
        if self.values.count > 0 && maker.random.one_in(4) {
            chain.assign("inputs", self.arguments(maker, 2));
            chain.assign("outputs", self.arguments(maker, 2));
        }
        chain
    }

    /// Draws the kinds of a chain's instructions.
    ///
    /// Omits kinds that need values that the method does not have.
    fn order(&self, maker: &mut Maker<'_>) -> Vec<Wanted> {
        let config = maker.config;
        let some = self.values.count > 0;
        let kinds = [
            (&config.kernel_calls, Wanted::Kernel, some),
            (&config.delegate_calls, Wanted::Delegate, self.delegates > 0),
            (&config.moves, Wanted::Move, !self.movable.is_empty()),
            (&config.jumps, Wanted::Jump, !self.conditions.is_empty()),
            (&config.frees, Wanted::Free, !self.free.is_empty()),
        ];
        let mut order = Vec::new();
        for (count, wanted, possible) in kinds {
            if possible {
                let count = maker.count(count, 2);
                order.extend((0..count).map(|_| wanted));
            }
        }
        maker.shuffle(&mut order);
        order
    }

    fn instruction(&self, maker: &mut Maker<'_>, wanted: Wanted, index: usize, count: usize) -> TableTree {
        let pick = |random: &mut Random, from: &[i32]| random.pick(from).copied().unwrap_or(0);
        match wanted {
            Wanted::Kernel => {
                let operator = maker.random.index(self.operators.len());
                let arity = self.operators.get(operator).and_then(|known| OPERATORS[*known].2);
                let arity = arity.unwrap_or_else(|| maker.len(&maker.config.arguments, 4));
                let args = self.within_key_limit(self.arguments(maker, arity));
                TableTree::new(KernelCall::TYPE).with("op_index", operator).with("args", args)
            }
            Wanted::Delegate => {
                let arity = if self.values.count > 0 { maker.len(&maker.config.arguments, 4) } else { 0 };
                let delegate = maker.random.index(self.delegates);
                let args = self.arguments(maker, arity);
                TableTree::new(DelegateCall::TYPE).with("delegate_index", delegate).with("args", args)
            }
            Wanted::Move => {
                let among = self.movable[maker.random.index(self.movable.len())];
                TableTree::new(MoveCall::TYPE)
                    .with("move_from", pick(&mut maker.random, among))
                    .with("move_to", pick(&mut maker.random, among))
            }
            Wanted::Jump => {
                let condition = pick(&mut maker.random, &self.conditions);
                // The destination is any instruction or the end of the chain, but not the jump itself.
                let to = maker.random.index(count);
                let destination = if to < index { to } else { to + 1 };
                TableTree::new(JumpFalseCall::TYPE)
                    .with("cond_value_index", condition)
                    .with("destination_instruction", destination)
            }
            Wanted::Free => TableTree::new(FreeCall::TYPE).with("value_index", pick(&mut maker.random, &self.free)),
        }
    }

    fn arguments(&self, maker: &mut Maker<'_>, count: usize) -> Vec<i32> {
        let values = usize::try_from(self.values.count).unwrap_or(0);
        (0..count).map(|_| number(maker.random.index(values))).collect()
    }

    /// Truncates the arguments so that the kernel's lookup key does not exceed the maximum length.
    fn within_key_limit(&self, mut arguments: Vec<i32>) -> Vec<i32> {
        let mut bytes = KERNEL_KEY_START;
        arguments.retain(|argument| {
            let part = usize::try_from(*argument).ok().and_then(|index| self.keys.get(index)).copied().unwrap_or(0);
            let fits = bytes + part <= KERNEL_KEY_LIMIT;
            bytes += if fits { part } else { 0 };
            fits
        });
        arguments
    }
}

/// Returns the bytes that a value adds to a kernel's lookup key; 0 for non-tensors.
fn key_part(value: &TableTree) -> usize {
    match value.at("val").filter(|value| same_type(value.ty(), Tensor::TYPE)) {
        Some(tensor) => {
            let scalar_type = ScalarType(i8::try_from(tensor.int("scalar_type")).unwrap_or(0));
            let dim_order = tensor.get("dim_order").and_then(Value::as_bytes).unwrap_or_default();
            kernel_key_part(scalar_type, dim_order.iter().copied())
        }
        None => 0,
    }
}

/// Converts an index to `i32`; no generated list has an index that exceeds this type.
fn number(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

fn trace(maker: &mut Maker<'_>) -> TableTree {
    let count = maker.count(&maker.config.frames, 1);
    let frame = |_| {
        TableTree::new(Frame::TYPE)
            .with("filename", maker.text())
            .with("lineno", maker.random.index(10_000))
            .with("name", maker.text())
            .with("context", maker.text())
    };
    TableTree::new(FrameList::TYPE).with("items", (0..count).map(frame).collect::<Vec<_>>())
}
