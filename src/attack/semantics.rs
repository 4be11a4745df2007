//! Semantics: references to unsuitable values, and unsupported field values.

use super::attacks;
use super::base::{Base, BasePart, has_method, join};
use super::forge::Forge;
use super::offsets::segment_table;
use super::references::{TensorStorage, element_where, list_of, storage_of};
use crate::FileKind::{Bpte, Pte};
use crate::ScalarType;
use crate::annotate::PartKind;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::pte::schema::{
    EValue, ExecutionPlan, InstructionArgumentsValue, KernelCall, KernelTypes, KernelTypesValue, Operator, Tensor,
    TensorDataLocation,
};
use crate::pte::signatures;
use crate::random::Random;
use crate::rules::{bundled, instructions, mutable_data, program, tensors, values};

attacks! {
    /// Make a list of tensors contain a tensor that comes after the list.
    breaks "semantics/forward-reference": values::VAL_LIST_ORDER => |forge| {
        let owner = *forge.random.pick(&["TensorList", "OptionalTensorList"])?;
        element_where(forge, (Pte, owner, "items"), |base, place, random| {
            let own = index_in(&place.entry.path, ".values[")?;
            value(base, place, random, |index, value| {
                index > own && value.val_type() == Ok(KernelTypes::Tensor)
            })
        })
    };
    /// Set a TensorList item to a value that is not a tensor, possibly to the list itself.
    breaks "semantics/tensor-list-of-others": values::VAL_TENSORLIST_INDICES => |forge| {
        list_of_others(forge, "TensorList", &[KernelTypes::Tensor])
    };
    /// Set an OptionalTensorList item to a value that is neither a Tensor nor Null.
    breaks "semantics/optional-tensor-list-of-others": values::VAL_OPTTENSORLIST_INDICES => |forge| {
        list_of_others(forge, "OptionalTensorList", &[KernelTypes::Tensor, KernelTypes::Null])
    };
    /// Set an IntList item to a value that is not an Int.
    breaks "semantics/int-list-of-others": values::VAL_INTLIST_INDICES => |forge| {
        list_of_others(forge, "IntList", &[KernelTypes::Int])
    };
    /// Use a list as an input, which the format forbids.
    breaks "semantics/list-as-input-or-output": program::PLAN_IO_TYPES => |forge| {
        element_where(forge, (Pte, "ExecutionPlan", "inputs"), |base, place, random| {
            let lists = KernelTypes::IntList.0..=KernelTypes::OptionalTensorList.0;
            value(base, place, random, |_, value| value.val_type().is_ok_and(|ty| lists.contains(&ty.0)))
        })
    };
    /// Use a constant as an input, so that the input's value overwrites the constant.
    breaks "semantics/constant-as-input": program::PLAN_INPUTS_NONCONST => |forge| {
        element_where(forge, (Pte, "ExecutionPlan", "inputs"), |base, place, random| {
            value(base, place, random, |_, value| tensor(value).is_some_and(is_constant))
        })
    };
    /// Make a jump its own destination, which can cause an endless loop.
    preserves "semantics/jump-to-itself" => |forge| {
        forge.assign_any(Pte, "JumpFalseCall", "destination_instruction", |place, _| {
            index_in(&place.entry.path, ".instructions[")
        })
    };
    /// Set a jump's destination to any instruction of its chain or to the end; a backward jump can cause an endless
    /// loop.
    preserves "semantics/jump-back" => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "JumpFalseCall", "destination_instruction", |place, random| {
            let (chain, _) = place.entry.path.rsplit_once(".instructions[")?;
            Some(random.within(0..=base.count(&join(chain, "instructions"))?))
        })
    };
    /// Set a jump's condition to a value that is neither a Bool nor a bool tensor.
    breaks "semantics/condition": instructions::INS_JUMP_COND_TYPE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "JumpFalseCall", "cond_value_index", |place, random| {
            value(base, place, random, |_, value| {
                let typed = value.val_type().is_ok_and(|ty| ty != KernelTypes::Bool);
                let bools = tensor(value).and_then(|tensor| tensor.scalar_type().ok()) == Some(ScalarType::BOOL);
                typed && !bools
            })
        })
    };
    /// Set the value index of a FreeCall to a value that is not a tensor.
    breaks "semantics/free-of-another-type": instructions::INS_FREE_TYPE => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "FreeCall", "value_index", |place, random| {
            value(base, place, random, |_, value| value.val_type().is_ok_and(|ty| ty != KernelTypes::Tensor))
        })
    };
    /// Make a FreeCall free any tensor, even one that is still in use.
    preserves "semantics/free-of-another-tensor" => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "FreeCall", "value_index", |place, random| {
            value(base, place, random, |_, value| value.val_type() == Ok(KernelTypes::Tensor))
        })
    };
    /// Set the destination of a move instruction to a value of any type.
    preserves "semantics/move-over-another" => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "MoveCall", "move_to", |place, random| value(base, place, random, |_, _| true))
    };
    /// Pass an argument of the wrong type to `et_copy_index`.
    breaks "semantics/copy-index-of-others": instructions::INS_ARG_TYPES => |forge| {
        let base = forge.base;
        let (place, index, value) = forge.parts((Pte, "KernelCall", "args"), PartKind::Elements, |place, random| {
            let (call, _) = place.entry.path.rsplit_once('.')?;
            let operator = operator_of(base, &base.find(call, PartKind::Table)?)?;
            signatures::find(operator).filter(|signature| signature.name == signatures::COPY_INDEX)?;
            let index = random.index(3);
            let wanted = [KernelTypes::Tensor, KernelTypes::Tensor, KernelTypes::Int][index];
            let found = value(base, place, random, |_, value| value.val_type().is_ok_and(|ty| ty != wanted))?;
            Some((*place, index, found))
        })?;
        forge.set_element(&place, index, value)
    };
    /// Give a tensor a `storage_offset`, which the runtime does not support.
    breaks "semantics/storage-offset": tensors::T_STORAGE_OFFSET => |forge| {
        forge.assign_any(Pte, "Tensor", "storage_offset", |_, random| {
            Some(if random.one_in(2) { 1 } else { u64::from(u32::MAX) - random.below(8) })
        })
    };
    /// Flip a tensor's `requires_grad`, which inference ignores.
    preserves "semantics/requires-grad" => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "Tensor", "requires_grad", |place, _| {
            base.scalar(place, "requires_grad").map(|was| 1 - was.min(1))
        })
    };
    /// Set a Double to NaN, an infinity or -0.
    preserves "semantics/not-a-number" => |forge| {
        let base = forge.base;
        forge.assign_any(Pte, "Double", "double_val", |place, random| {
            // Skip bundled programs: the Double can be an input whose value is in a test case.
            place.frame.whole.then_some(())?;
            let choices = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];
            let value = random.pick(&choices)?.to_bits();
            (base.scalar(place, "double_val") != Some(value)).then_some(value)
        })
    };
    /// Change a bundled test case's integer, so that it differs from the method's.
    breaks "semantics/bundled-input-value": bundled::BP_INPUT_VALUE => |forge| {
        let base = forge.base;
        forge.assign_any(Bpte, "Int", "int_val", |place, _| {
            place.entry.path.contains(".inputs[").then_some(())?;
            has_method(base, &place.entry.path)?;
            Some(base.scalar(place, "int_val").unwrap_or(0) ^ 1)
        })
    };
    /// Set the scalar type of a bundled input to another valid type that needs no more bytes.
    breaks "semantics/bundled-input-type": bundled::BP_INPUT_MATCH => |forge| bundled_scalar_type(forge, ".inputs[");
    /// Set the scalar type of an expected tensor to another valid type that needs no more bytes.
    breaks "semantics/bundled-output-type": bundled::BP_OUTPUT_MATCH => |forge| {
        bundled_scalar_type(forge, ".expected_outputs[")
    };
    /// Give a tensor an empty initial value in a program whose segment base is 0.
    breaks "semantics/initial-value-without-data": mutable_data::MUT_NEEDS_HEADER => |forge| {
        let base = forge.base;
        let frame = forge.frame(Pte)?;
        base.header(&frame, "segment_base_offset").filter(|base| *base > 0)?;
        let tensors = base.column(Pte, "Tensor", "", PartKind::Table);
        forge.any(tensors, |place, _| {
            let (tensor, storage) = storage_of(base, place)?;
            (storage == TensorStorage::Mutable && list_of(tensor) == Some(0)).then_some(())
        })?;
        let list = base.find(&frame.path("mutable_data_segments[0]"), PartKind::Table)?;
        let index = usize::try_from(base.scalar(&list, "segment_index")?).ok()?;
        let table = segment_table(base, &frame, index)?;
        if base.scalar(&table, "size")? > 0 {
            forge.assign(&table, "size", 0)?;
        }
        forge.header(&frame, "segment_base_offset", 0)
    };
    /// Set a test suite's method name to one that no method has.
    preserves "semantics/suite-of-no-method" => |forge| {
        let base = forge.base;
        let (place, value) =
            forge.parts((Bpte, "BundledMethodTestSuite", "method_name"), PartKind::Elements, |place, _| {
                // No method name begins with the byte 1 or 2.
                (place.len() > 0).then(|| (*place, if base.number(place.at(), 1) == 1 { 2 } else { 1 }))
            })?;
        forge.number(&place.entry.path, place.at(), 1, value)
    };
}

/// Returns the number after the last occurrence of `list`.
fn index_in(path: &str, list: &str) -> Option<u64> {
    let (_, behind) = path.rsplit_once(list)?;
    behind.split_once(']')?.0.parse().ok()
}

/// Returns the index of a value in the method that contains `place`.
pub(super) fn value(
    base: &Base,
    place: &BasePart<'_>,
    random: &mut Random,
    test: impl Fn(u64, EValue<'_>) -> bool,
) -> Option<u64> {
    let (plan, _): (ExecutionPlan<'_>, _) = base.plan(place)?;
    let values = plan.values().ok()??;
    let start = random.index(values.len());
    let mut round = (start..values.len()).chain(0..start);
    let found = round
        .find(|index| values.get(*index).is_some_and(|value| value.is_ok_and(|value| test(*index as u64, value))))?;
    Some(found as u64)
}

fn tensor(value: EValue<'_>) -> Option<Tensor<'_>> {
    match value.val().ok()?? {
        KernelTypesValue::Tensor(tensor) => Some(tensor),
        _ => None,
    }
}

/// A constant has data in the program or a data file, but no planned memory.
fn is_constant(tensor: Tensor<'_>) -> bool {
    let extra = tensor.extra_tensor_info().ok().flatten();
    let external = extra.is_some_and(|extra| extra.location() == Ok(TensorDataLocation::EXTERNAL));
    matches!(tensor.allocation_info(), Ok(None)) && (external || tensor.data_buffer_idx().is_ok_and(|index| index > 0))
}

fn list_of_others(forge: &mut Forge<'_>, owner: &'static str, fitting: &[KernelTypes]) -> Option<()> {
    element_where(forge, (Pte, owner, "items"), |base, place, random| {
        value(base, place, random, |_, value| value.val_type().is_ok_and(|ty| !fitting.contains(&ty)))
    })
}

pub(super) fn operator_of<'b>(base: &'b Base, call: &BasePart<'b>) -> Option<Operator<'b>> {
    let index = KernelCall::from_table(base.table(call)?).op_index().ok()?;
    let (plan, _) = base.plan(call)?;
    plan.operators().ok()??.get(usize::try_from(index).ok()?)?.ok()
}

/// The elements of the new type are not wider than those of the old one.
fn bundled_scalar_type(forge: &mut Forge<'_>, list: &str) -> Option<()> {
    let base = forge.base;
    forge.assign_any(Bpte, "Tensor", "scalar_type", |place, random| {
        place.entry.path.contains(list).then_some(())?;
        has_method(base, &place.entry.path)?;
        let was = ScalarType(base.scalar(place, "scalar_type").unwrap_or(0).to_le_bytes()[0].cast_signed());
        let width = was.element_size()?;
        let narrower = |ty: &i8| *ty != was.0 && ScalarType(*ty).element_size().is_some_and(|size| size <= width);
        let types: alloc::vec::Vec<i8> = (0..30).filter(narrower).collect();
        random.pick(&types).map(|ty| u64::from(ty.cast_unsigned()))
    })
}
/// Returns the arguments of all instructions in the method that contains `place`.
fn calls<'b>(base: &'b Base, place: &BasePart<'b>) -> impl Iterator<Item = InstructionArgumentsValue<'b>> {
    let plan = base.plan(place).and_then(|(plan, _)| plan.chains().ok()?);
    let chains = plan.into_iter().flat_map(Vector::iter).filter_map(|chain| chain.ok()?.instructions().ok()?);
    chains.flat_map(Vector::iter).filter_map(|instruction| instruction.ok()?.instr_args().ok()?)
}

pub(super) fn is_called(base: &Base, operator: &BasePart<'_>) -> bool {
    let own = index_in(&operator.entry.path, ".operators[");
    calls(base, operator).any(|call| match call {
        InstructionArgumentsValue::KernelCall(call) => {
            call.op_index().ok().and_then(|index| u64::try_from(index).ok()) == own
        }
        _ => false,
    })
}

/// Returns whether this is a nonempty tensor without stored data that the method uses only as a condition.
pub(super) fn is_only_condition(base: &Base, place: &BasePart<'_>) -> bool {
    let Some(own) = index_in(&place.entry.path, ".values[").and_then(|index| i32::try_from(index).ok()) else {
        return false;
    };
    let contains = |items: Option<Vector<'_, i32>>| items.is_some_and(|items| items.iter().any(|item| item == own));
    let is_external = base
        .plan(place)
        .is_none_or(|(plan, _)| contains(plan.inputs().ok().flatten()) || contains(plan.outputs().ok().flatten()));
    let plain = base.table(place).map(Tensor::from_table).is_some_and(|tensor| {
        let sizes = tensor.sizes().ok().flatten();
        matches!(tensor.extra_tensor_info(), Ok(None))
            && tensor.data_buffer_idx() == Ok(0)
            && sizes.is_some_and(|sizes| sizes.iter().all(|size| size > 0))
    });
    let mut is_condition = false;
    let written = calls(base, place).any(|call| match call {
        InstructionArgumentsValue::KernelCall(call) => contains(call.args().ok().flatten()),
        InstructionArgumentsValue::DelegateCall(call) => contains(call.args().ok().flatten()),
        InstructionArgumentsValue::MoveCall(call) => call.move_to() == Ok(own),
        InstructionArgumentsValue::JumpFalseCall(call) => {
            is_condition |= call.cond_value_index() == Ok(own);
            false
        }
        _ => false,
    });
    plain && is_condition && !is_external && !written
}
