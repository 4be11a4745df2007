//! The tensors that keep their values between runs.

use torchproof::flatbuffer::Vector;
use torchproof::layout;
use torchproof::pte::Method;
use torchproof::pte::schema::{InstructionArgumentsValue, Tensor, TensorDataLocation};

use super::budget::ItemBudget;
use super::values::{Value, Values};
use crate::fields::vector::items;

/// Returns the number and the size of the planned tensors with an initial value, and of those that a kernel reads before anything
/// writes them.
pub(super) fn of<'a>(method: Method<'a>, values: &Values<'a>, budget: &mut ItemBudget) -> (u64, u64) {
    let tensor = |value: &Value<'a>| match value {
        Value::Tensor(tensor, _) if matches!(tensor.allocation_info(), Ok(Some(_))) => Some(*tensor),
        _ => None,
    };
    let planned: Vec<Option<Tensor<'_>>> = values.all.iter().map(tensor).collect();
    let is_kept = planned.iter().map(|tensor| tensor.is_some_and(has_value)).collect();
    let mut uses = Uses { values, is_written: planned.iter().map(Option::is_none).collect(), is_kept };
    let inputs = items(method.plan().inputs()).try_for_each(|index| uses.write(index, budget));
    inputs.and_then(|()| {
        values.calls.iter().try_for_each(|call| match call {
            InstructionArgumentsValue::KernelCall(call) => uses.kernel(call.args().ok().flatten(), budget),
            // Which arguments a delegate writes is not in the file.
            InstructionArgumentsValue::DelegateCall(call) => {
                items(call.args()).try_for_each(|index| uses.write(index, budget))
            }
            InstructionArgumentsValue::MoveCall(call) => uses.write(call.move_to().unwrap_or(-1), budget),
            _ => Some(()),
        })
    });
    let size = |tensor: Tensor<'_>| layout::nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok();
    let kept = planned.into_iter().zip(uses.is_kept).filter(|(_, is_kept)| *is_kept);
    let sizes = kept.filter_map(|(tensor, _)| Some(size(tensor?).unwrap_or(0)));
    sizes.fold((0, 0), |(count, bytes), size| (count + 1, u64::saturating_add(bytes, size)))
}

/// The initial value is in the program or in a data file.
fn has_value(tensor: Tensor<'_>) -> bool {
    let is_external = || {
        let extra = tensor.extra_tensor_info().ok().flatten();
        extra.is_some_and(|extra| extra.location() == Ok(TensorDataLocation::EXTERNAL))
    };
    tensor.data_buffer_idx().is_ok_and(|index| index > 0) || is_external()
}

/// What the instructions so far did with the values. Others than planned tensors count as written.
struct Uses<'v, 'a> {
    values: &'v Values<'a>,
    is_written: Vec<bool>,
    is_kept: Vec<bool>,
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
        if let Some(is_written) = usize::try_from(index).ok().and_then(|index| self.is_written.get_mut(index)) {
            *is_written = true;
        }
    }

    /// The last argument of a kernel is what it returns, which it writes. A kernel that returns no tensor can write any argument.
    fn kernel(&mut self, args: Option<Vector<'_, i32>>, budget: &mut ItemBudget) -> Option<()> {
        let Some(args) = args else { return Some(()) };
        let Some(last) = args.len().checked_sub(1).and_then(|last| args.get(last)) else { return Some(()) };
        let returns_tensor = !matches!(self.values.get(last), Value::Other);
        self.write(last, budget)?;
        for arg in args.iter() {
            let index = usize::try_from(arg).ok().filter(|index| self.is_written.get(*index) == Some(&false));
            if let Some(index) = index.filter(|_| returns_tensor) {
                self.is_kept[index] = true;
            }
            self.write(arg, budget)?;
        }
        Some(())
    }
}
