//! A method's chains: instructions in any order, and their call stacks.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::values::Values;
use crate::ScalarType;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{FieldValue, TableTree, same_type};
use crate::generate::maker::Maker;
use crate::layout::{KERNEL_KEY_LIMIT, KERNEL_KEY_START, kernel_key_part};
use crate::pte::builder::{PlanBuilder, chain, instruction};
use crate::pte::schema::{
    DelegateCall, Frame, FrameList, FreeCall, JumpFalseCall, KernelCall, KernelTypes, MoveCall, OptionalTensorList,
    Tensor, TensorDataLocation, TensorList,
};
use crate::pte::signatures::{Domain, Output, SIGNATURES, Signature};
use crate::random::Random;

/// Operators that are not in [`SIGNATURES`]. The runtime's portable kernels implement all of them.
const OTHERS: &[(&str, &str)] = &[
    ("aten::add", "out"),
    ("aten::mul", "out"),
    ("aten::relu", "out"),
    ("aten::mm", "out"),
    ("aten::cat", "out"),
    ("aten::_softmax", "out"),
    ("aten::permute_copy", "out"),
];

#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    /// An operator whose arguments can have any type.
    Other { name: &'static str, overload: &'static str },
    /// An operator that the runtime's own library registers. The library aborts if an argument has the wrong type.
    Own(&'static Signature),
}

impl Operator {
    /// Omits in-place operators, because generated methods rarely have tensors of matching shapes for them.
    fn all() -> impl Iterator<Item = Operator> {
        let others = OTHERS.iter().map(|&(name, overload)| Operator::Other { name, overload });
        others.chain(SIGNATURES.iter().filter(|own| own.output != Output::Tensor).map(Operator::Own))
    }

    /// The first operator that is drawn accepts arguments of any type.
    pub(super) fn draw(random: &mut Random, count: usize) -> Vec<Operator> {
        let all: Vec<Operator> = Operator::all().collect();
        (0..count)
            .map(|position| if position == 0 { random.index(OTHERS.len()) } else { random.index(all.len()) })
            .map(|index| all[index])
            .collect()
    }

    pub(super) fn names(self) -> (&'static str, &'static str) {
        match self {
            Operator::Other { name, overload } => (name, overload),
            Operator::Own(signature) => signature.name.rsplit_once('.').unwrap_or((signature.name, "")),
        }
    }
}

/// Returns the names and overloads of all operators that generated programs call.
pub fn operators() -> impl Iterator<Item = (&'static str, &'static str)> {
    Operator::all().map(Operator::names)
}

#[derive(Clone, Copy, Debug)]
enum Wanted {
    Kernel,
    Delegate,
    Move,
    Jump,
    Free,
}

pub(super) fn chains(
    maker: &mut Maker<'_>,
    values: &Values,
    operators: &[Operator],
    delegates: usize,
    plan: &mut PlanBuilder,
) {
    let context = Context::new(maker, values, operators, delegates, plan);
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

/// What instructions can refer to. A reader can execute every chain, because no instruction reads a tensor without
/// data, writes a constant, or jumps back.
struct Context<'v> {
    values: &'v Values,
    /// The number of bytes that each value adds to the lookup key of a kernel.
    keys: Vec<usize>,
    delegates: usize,
    operators: &'v [Operator],
    /// Tensors with data; no instruction moves or frees them.
    readable: Vec<i32>,
    /// Readable nonempty tensors in host memory, each with the type of value that can store an element.
    elements: Vec<(i32, KernelTypes)>,
    /// Readable tensors with their ranks.
    ranks: Vec<(i32, usize)>,
    /// The index and the integer of each Int value that no instruction writes.
    literals: Vec<(i32, i64)>,
    /// Int values that instructions may write.
    counters: Vec<i32>,
    /// Readable tensors that no instruction may write.
    constants: BTreeSet<i32>,
    /// Values that can be arguments.
    passable: Vec<i32>,
    free: Vec<i32>,
    conditions: Vec<i32>,
    /// Values that move instructions can use, by type.
    movable: Vec<Vec<i32>>,
}

impl<'v> Context<'v> {
    fn new(
        maker: &mut Maker<'_>,
        values: &'v Values,
        operators: &'v [Operator],
        delegates: usize,
        plan: &PlanBuilder,
    ) -> Self {
        let tables = plan.get("values").and_then(FieldValue::as_tables).unwrap_or_default();
        let external: BTreeSet<i32> =
            ["inputs", "outputs"].into_iter().flat_map(|list| indices(plan.get(list))).collect();
        let changing: BTreeSet<i32> = values.changing.iter().copied().collect();
        let (mut readable, mut movable_tensors, mut free) = (Vec::new(), Vec::new(), Vec::new());
        for &index in &values.tensors {
            let stored = usize::try_from(index).ok().and_then(|index| tables.get(index)).is_some_and(is_stored);
            if !stored && !external.contains(&index) {
                movable_tensors.push(index);
                free.push(index);
            } else if changing.contains(&index) && maker.random.one_in(4) {
                movable_tensors.push(index);
            } else {
                readable.push(index);
            }
        }
        let known: BTreeSet<i32> = readable.iter().copied().collect();
        let unknown: BTreeSet<i32> = values.tensors.iter().copied().filter(|index| !known.contains(index)).collect();
        let is_passable = |index: &i32| {
            let table = usize::try_from(*index).ok().and_then(|index| tables.get(index));
            let lists = [TensorList::TYPE, OptionalTensorList::TYPE];
            let list =
                table.and_then(|table| table.at("val")).filter(|list| lists.iter().any(|ty| same_type(list.ty(), ty)));
            !unknown.contains(index)
                && list.is_none_or(|list| indices(list.get("items")).all(|item| !unknown.contains(&item)))
        };
        let value = |index: i32| usize::try_from(index).ok().and_then(|index| tables.get(index)?.at("val"));
        let sizes = |index: i32| indices(value(index).and_then(|tensor| tensor.get("sizes")));
        // The runtime rejects a condition without data, and a tensor without elements has none.
        let is_mask = |index: &&i32| known.contains(index) && sizes(**index).all(|size| size > 0);
        let is_on_host =
            |tensor: &TableTree| tensor.at("extra_tensor_info").is_none_or(|extra| extra.int("device_type") == 0);
        let element = |index: &i32| {
            let tensor = value(*index).filter(|tensor| is_on_host(tensor) && sizes(*index).all(|size| size > 0))?;
            Some((*index, element_type(tensor)?))
        };
        let (mut literals, mut counters) = (Vec::new(), Vec::new());
        for &index in &values.ints {
            match value(index).and_then(|int| i64::try_from(int.int("int_val")).ok()) {
                Some(number) if maker.random.one_in(2) => literals.push((index, number)),
                _ => counters.push(index),
            }
        }
        let groups: [&[i32]; 6] =
            [&movable_tensors, &counters, &values.bools, &values.doubles, &values.strings, &values.nulls];
        Context {
            values,
            keys: tables.iter().map(key_part).collect(),
            delegates,
            operators,
            constants: known.difference(&changing).copied().collect(),
            passable: (0..values.count).filter(is_passable).collect(),
            conditions: values.bools.iter().chain(values.masks.iter().filter(|mask| is_mask(mask))).copied().collect(),
            movable: groups.into_iter().filter(|group| !group.is_empty()).map(<[i32]>::to_vec).collect(),
            elements: readable.iter().filter_map(element).collect(),
            ranks: readable.iter().map(|index| (*index, sizes(*index).count())).collect(),
            readable,
            literals,
            counters,
            free,
        }
    }
}

/// Returns whether a file or planned memory contains the tensor's data.
fn is_stored(value: &TableTree) -> bool {
    value.at("val").is_some_and(|tensor| {
        let extra = tensor.at("extra_tensor_info");
        let location = extra.map_or(0, |extra| extra.int("location"));
        tensor.int("data_buffer_idx") != 0
            || tensor.at("allocation_info").is_some()
            || location == i128::from(TensorDataLocation::EXTERNAL.0)
    })
}

fn indices(list: Option<&FieldValue>) -> impl Iterator<Item = i32> {
    let bytes = list.and_then(FieldValue::as_bytes).unwrap_or_default();
    bytes.as_chunks().0.iter().map(|index| i32::from_le_bytes(*index))
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

    /// Omits the kinds of instructions for which the method has no suitable values.
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
                let drawn = maker.random.index(self.operators.len());
                let own = match self.operators.get(drawn) {
                    Some(Operator::Own(signature)) => self.own_arguments(maker, signature).map(|args| (drawn, args)),
                    _ => None,
                };
                // If `own` is `None`, call an operator that accepts arguments of any type. The first operator always
                // does.
                let (operator, args) = own.unwrap_or_else(|| {
                    let other = matches!(self.operators.get(drawn), Some(Operator::Other { .. }));
                    (if other { drawn } else { 0 }, self.other_arguments(maker))
                });
                TableTree::new(KernelCall::TYPE).with("op_index", operator).with("args", args)
            }
            Wanted::Delegate => {
                let arity = if self.values.count > 0 { maker.len(&maker.config.arguments, 4) } else { 0 };
                let delegate = maker.random.index(self.delegates);
                let args = self.arguments(maker, arity);
                TableTree::new(DelegateCall::TYPE).with("delegate_index", delegate).with("args", args)
            }
            Wanted::Move => {
                let among = &self.movable[maker.random.index(self.movable.len())];
                TableTree::new(MoveCall::TYPE)
                    .with("move_from", pick(&mut maker.random, among))
                    .with("move_to", pick(&mut maker.random, among))
            }
            Wanted::Jump => {
                let condition = pick(&mut maker.random, &self.conditions);
                // A jump to an earlier instruction can cause an endless loop. The end of the chain is a valid
                // destination.
                let destination = index + 1 + maker.random.index(count - index);
                TableTree::new(JumpFalseCall::TYPE)
                    .with("cond_value_index", condition)
                    .with("destination_instruction", destination)
            }
            Wanted::Free => TableTree::new(FreeCall::TYPE).with("value_index", pick(&mut maker.random, &self.free)),
        }
    }

    fn arguments(&self, maker: &mut Maker<'_>, count: usize) -> Vec<i32> {
        (0..count).filter_map(|_| maker.random.pick(&self.passable).copied()).collect()
    }

    /// The operator writes to its last argument, so that argument must not be a constant.
    fn other_arguments(&self, maker: &mut Maker<'_>) -> Vec<i32> {
        let count = maker.len(&maker.config.arguments, 4);
        let mut args = self.within_key_limit(self.arguments(maker, count));
        while args.last().is_some_and(|last| self.constants.contains(last)) {
            args.pop();
        }
        args
    }

    /// `None` if the method lacks a value that the operator needs.
    fn own_arguments(&self, maker: &mut Maker<'_>, signature: &Signature) -> Option<Vec<i32>> {
        let (mut args, operand) = match signature.domain {
            Domain::Dimension => (self.dimension(maker)?, KernelTypes::Int),
            Domain::Element => {
                let (tensor, ty) = *maker.random.pick(&self.elements)?;
                (vec![tensor], ty)
            }
            _ => self.operands(maker, signature)?,
        };
        if signature.domain == Domain::Division && operand == KernelTypes::Int {
            *args.last_mut()? = self.literal(maker, |number| !matches!(number, -1 | 0))?;
        }
        let result = match signature.output {
            Output::Value(ty) => ty,
            Output::OfOperands | Output::OfElement => operand,
            Output::Tensor => return None,
        };
        let results = if result == KernelTypes::Int { &self.counters } else { self.group(result) };
        args.push(*maker.random.pick(results)?);
        Some(args)
    }

    /// Also returns the type of the last operand.
    fn operands(&self, maker: &mut Maker<'_>, signature: &Signature) -> Option<(Vec<i32>, KernelTypes)> {
        let [operands @ .., _] = signature.parameters else { return None };
        let types = [KernelTypes::Int, KernelTypes::Double, KernelTypes::Bool, KernelTypes::Tensor];
        let accepted = |ty: &KernelTypes| operands.last().is_some_and(|types| types.accept(*ty));
        let possible: Vec<KernelTypes> =
            types.into_iter().filter(accepted).filter(|ty| !self.group(*ty).is_empty()).collect();
        let operand = *maker.random.pick(&possible)?;
        let mut args = Vec::new();
        for parameter in operands {
            let ty = if parameter.accept(operand) { operand } else { *parameter.0.first()? };
            args.push(*maker.random.pick(self.group(ty))?);
        }
        Some((args, operand))
    }

    /// Draws a tensor and one of its dimensions.
    fn dimension(&self, maker: &mut Maker<'_>) -> Option<Vec<i32>> {
        let (tensor, rank) = *maker.random.pick(&self.ranks)?;
        let dimension = self.literal(maker, |number| usize::try_from(number).is_ok_and(|number| number < rank))?;
        Some(vec![tensor, dimension])
    }

    /// Draws an Int value that no instruction writes.
    fn literal(&self, maker: &mut Maker<'_>, is_suitable: impl Fn(i64) -> bool) -> Option<i32> {
        let suitable: Vec<i32> =
            self.literals.iter().filter(|(_, number)| is_suitable(*number)).map(|(index, _)| *index).collect();
        maker.random.pick(&suitable).copied()
    }

    /// Values that the runtime's own operators may read. They may also write them, except for Int values.
    fn group(&self, ty: KernelTypes) -> &[i32] {
        match ty {
            KernelTypes::Int => &self.values.ints,
            KernelTypes::Double => &self.values.doubles,
            KernelTypes::Bool => &self.values.bools,
            KernelTypes::Tensor => &self.readable,
            _ => &[],
        }
    }

    /// Removes arguments until the kernel's lookup key is short enough.
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

/// The number of bytes that a value adds to the lookup key of a kernel; 0 if it is not a tensor.
fn key_part(value: &TableTree) -> usize {
    match value.at("val").filter(|value| same_type(value.ty(), Tensor::TYPE)) {
        Some(tensor) => {
            let scalar_type = ScalarType(i8::try_from(tensor.int("scalar_type")).unwrap_or(0));
            let dim_order = tensor.get("dim_order").and_then(FieldValue::as_bytes).unwrap_or_default();
            kernel_key_part(scalar_type, dim_order.iter().copied())
        }
        None => 0,
    }
}

/// The type of value that can store one of the tensor's elements.
fn element_type(tensor: &TableTree) -> Option<KernelTypes> {
    match ScalarType(i8::try_from(tensor.int("scalar_type")).ok()?) {
        ScalarType::BYTE | ScalarType::CHAR | ScalarType::SHORT | ScalarType::INT | ScalarType::LONG => {
            Some(KernelTypes::Int)
        }
        ScalarType::FLOAT | ScalarType::DOUBLE => Some(KernelTypes::Double),
        ScalarType::BOOL => Some(KernelTypes::Bool),
        _ => None,
    }
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
