//! A method's values and calls, read once, because kernel calls refer to the same values many times.

use std::collections::BTreeMap;
use std::fmt::Write;

use torchproof::flatbuffer::Vector;
use torchproof::pte::Method;
use torchproof::pte::schema::{InstructionArgumentsValue, KernelTypesValue, Tensor};

use super::budget::ItemBudget;
use crate::fields::vector::{items, len};

/// The longest kernel key that a runtime can look up.
pub(super) const LONGEST_KEY: usize = 658;

pub(crate) struct Values<'a> {
    pub all: Vec<Value<'a>>,
    /// The parts of kernel keys.
    text: String,
    pub calls: Vec<InstructionArgumentsValue<'a>>,
}

#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    Tensor(Tensor<'a>, KeyPart),
    /// The items of a list of tensors.
    List(Vector<'a, i32>),
    Other,
}

/// Where a tensor adds its part of a kernel key, such as `6;0,1` for element type 6 and dim order 0, 1.
#[derive(Clone, Copy)]
pub(crate) struct KeyPart {
    start: usize,
    end: usize,
}

impl<'a> Values<'a> {
    /// Returns `None` if the method has too many values.
    pub(crate) fn of(method: Method<'a>, budget: &mut ItemBudget) -> Option<Self> {
        let values = method.plan().values();
        budget.visit(len(values))?;
        let mut read = Self { all: Vec::new(), text: String::new(), calls: Vec::new() };
        let mut parts = BTreeMap::new();
        for value in items(values) {
            let value = match value.ok().and_then(|value| value.val().ok()?) {
                Some(KernelTypesValue::Tensor(tensor)) => {
                    Value::Tensor(tensor, read.key_part(tensor, &mut parts, budget)?)
                }
                Some(KernelTypesValue::TensorList(list)) => list_of(list.items().ok().flatten()),
                Some(KernelTypesValue::OptionalTensorList(list)) => list_of(list.items().ok().flatten()),
                _ => Value::Other,
            };
            read.all.push(value);
        }
        for instruction in method.instructions().flatten().take_while(|_| budget.visit(0).is_some()) {
            read.calls.extend(instruction.instr_args().ok().flatten());
        }
        Some(read)
    }

    fn key_part(
        &mut self,
        tensor: Tensor<'a>,
        parts: &mut BTreeMap<(i8, &'a [u8]), KeyPart>,
        budget: &mut ItemBudget,
    ) -> Option<KeyPart> {
        let ty = tensor.scalar_type().unwrap_or_default().0;
        let order = tensor.dim_order().ok().flatten().map_or(&[][..], Vector::as_bytes);
        let order = order.get(..LONGEST_KEY).unwrap_or(order);
        budget.visit(order.len())?;
        if let Some(part) = parts.get(&(ty, order)) {
            return Some(*part);
        }
        let start = self.text.len();
        let _ = write!(self.text, "{ty};");
        for (index, dimension) in order.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let _ = write!(self.text, "{comma}{dimension}");
        }
        let part = KeyPart { start, end: self.text.len() };
        parts.insert((ty, order), part);
        Some(part)
    }

    pub(super) fn part(&self, part: KeyPart) -> &str {
        &self.text[part.start..part.end]
    }

    pub(super) fn get(&self, index: i32) -> Value<'a> {
        usize::try_from(index).ok().and_then(|index| self.all.get(index)).copied().unwrap_or(Value::Other)
    }
}

fn list_of(items: Option<Vector<'_, i32>>) -> Value<'_> {
    items.map_or(Value::Other, Value::List)
}
