//! The tensors that keep their values between runs.

use std::collections::HashMap;

use torchproof::flatbuffer::Vector;
use torchproof::layout;
use torchproof::pte::Method;
use torchproof::pte::schema::{InstructionArgumentsValue, Tensor, TensorDataLocation};

use super::budget::ItemBudget;
use super::values::{Value, Values};
use crate::fields::vector::items;

/// Returns the number and the size of the tensors that keep their values.
pub(super) fn of<'a>(values: &Values<'a>, is_kept: &[bool]) -> (u64, u64) {
    let size = |value: &Value<'a>| match value {
        Value::Tensor(tensor, _) => layout::nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok(),
        _ => None,
    };
    let kept = values.all.iter().zip(is_kept).filter(|(_, is_kept)| **is_kept);
    kept.fold((0, 0), |(count, bytes), (value, _)| (count + 1, u64::saturating_add(bytes, size(value).unwrap_or(0))))
}

/// Returns which values are planned tensors with an initial value, or are read by a kernel before anything writes them.
pub(crate) fn kept<'a>(method: Method<'a>, values: &Values<'a>, budget: &mut ItemBudget) -> Vec<bool> {
    let tensor = |value: &Value<'a>| match value {
        Value::Tensor(tensor, _) if matches!(tensor.allocation_info(), Ok(Some(_))) => Some(*tensor),
        _ => None,
    };
    let planned: Vec<Option<Tensor<'_>>> = values.all.iter().map(tensor).collect();
    let is_kept = planned.iter().map(|tensor| tensor.is_some_and(has_value)).collect();
    let mut uses =
        Uses { values, is_written: planned.iter().map(Option::is_none).collect(), is_kept, by_place: places(&planned) };
    let inputs = items(method.plan().inputs()).try_for_each(|index| uses.write(index, budget));
    inputs.and_then(|()| {
        values.calls.iter().try_for_each(|call| match call {
            InstructionArgumentsValue::KernelCall(call) => uses.kernel(call.args().ok().flatten(), budget),
            // The file does not say which arguments a delegate writes.
            InstructionArgumentsValue::DelegateCall(call) => {
                items(call.args()).try_for_each(|index| uses.write(index, budget))
            }
            InstructionArgumentsValue::MoveCall(call) => uses.write(call.move_to().unwrap_or(-1), budget),
            _ => Some(()),
        })
    });
    uses.is_kept
}

/// Returns whether the tensor has an initial value, in the program or in a data file.
fn has_value(tensor: Tensor<'_>) -> bool {
    let is_external = || {
        let extra = tensor.extra_tensor_info().ok().flatten();
        extra.is_some_and(|extra| extra.location() == Ok(TensorDataLocation::EXTERNAL))
    };
    tensor.data_buffer_idx().is_ok_and(|index| index > 0) || is_external()
}

/// What the instructions have done with the values so far. Everything but planned tensors counts as written.
struct Uses<'v, 'a> {
    values: &'v Values<'a>,
    is_written: Vec<bool>,
    is_kept: Vec<bool>,
    /// For each value, the first planned tensor with the same bytes.
    by_place: Vec<usize>,
}

/// For a view of fixed shape, the exporter drops the instruction and leaves two tensors in the same place.
fn places(planned: &[Option<Tensor<'_>>]) -> Vec<usize> {
    let mut first = HashMap::new();
    let place = |tensor: Tensor<'_>| {
        let place = tensor.allocation_info().ok()??;
        let size = layout::nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok()?;
        Some((place.memory_id().ok()?, place.memory_offset_low().ok()?, place.memory_offset_high().ok()?, size))
    };
    let alike = |(index, tensor): (usize, &Option<Tensor<'_>>)| {
        tensor.and_then(place).map_or(index, |place| *first.entry(place).or_insert(index))
    };
    planned.iter().enumerate().map(alike).collect()
}

impl Uses<'_, '_> {
    /// Marks a value, and the items of a list, as written.
    fn write(&mut self, index: i32, budget: &mut ItemBudget) -> Option<()> {
        self.mark(index);
        if let Value::List(list) = self.values.get(index) {
            budget.visit(list.len())?;
            list.iter().for_each(|index| self.mark(index));
        }
        budget.visit(0)
    }

    fn mark(&mut self, index: i32) {
        let place = usize::try_from(index).ok().and_then(|index| self.by_place.get(index).copied());
        if let Some(is_written) = place.and_then(|place| self.is_written.get_mut(place)) {
            *is_written = true;
        }
    }

    /// A kernel writes its last argument, which it returns. A kernel that returns no tensor can write any argument.
    fn kernel(&mut self, args: Option<Vector<'_, i32>>, budget: &mut ItemBudget) -> Option<()> {
        let Some(args) = args else { return Some(()) };
        let Some(last) = args.len().checked_sub(1).and_then(|last| args.get(last)) else { return Some(()) };
        let returns_tensor = !matches!(self.values.get(last), Value::Other);
        self.write(last, budget)?;
        for arg in args.iter() {
            let index = usize::try_from(arg).ok();
            let is_unwritten =
                |index: &usize| self.by_place.get(*index).and_then(|place| self.is_written.get(*place)) == Some(&false);
            if let Some(index) = index.filter(is_unwritten).filter(|_| returns_tensor) {
                self.is_kept[index] = true;
            }
            self.write(arg, budget)?;
        }
        Some(())
    }
}
