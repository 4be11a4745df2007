//! **A program that the checker accepts is safe to use without further checks.**
//!
//! * Checking arbitrary bytes as a program always ends with a verdict, and reports at least as many violations of
//!   must-rules for a 32-bit host as for a 64-bit host.
//! * In an accepted program, every index is in range, the bytes of every tensor exist, and every planned tensor is
//!   inside its buffer. Unlike the checker, this contract follows each reference separately.

use torchproof::check::{Checker, Report, Target};
use torchproof::flatbuffer::schema::Element;
use torchproof::flatbuffer::{Fault, Vector};
use torchproof::layout::nbytes;
use torchproof::pte::schema::{EValue, InstructionArgumentsValue, KernelTypes, KernelTypesValue, Tensor};
use torchproof::pte::{self, Method, Pte};

use crate::read_any::LIMITS;

pub fn run(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if let Some(identifier) = bytes.get_mut(4..8) {
        identifier.copy_from_slice(&pte::IDENTIFIER);
    }
    let [target64, target32] = [Target::Bits64, Target::Bits32].map(|target| judged(&bytes, target));
    assert!(target32.must >= target64.must, "the check for a 32-bit host reports fewer violations");
    if target64.accepts() {
        let program = Pte::open(&bytes).expect("accepted, but cannot be opened");
        for method in program.methods() {
            usable(&program, method.expect("accepted"));
        }
    }
}

pub(crate) fn judged(bytes: &[u8], target: Target) -> Report {
    Checker::new().limits(LIMITS).target(target).check(bytes)
}

/// Reads every part of an accepted method, as a runtime does.
fn usable(program: &Pte<'_>, method: Method<'_>) {
    let plan = method.plan();
    let values: Vec<EValue<'_>> = all(plan.values());
    let count = values.len();
    let inside =
        |index: i32| assert!(usize::try_from(index).is_ok_and(|index| index < count), "value {index} of {count}");
    let tag = |index: i32| values[usize::try_from(index).expect("inside")].val_type().expect("accepted");
    assert!(method.name().is_ok());
    for index in present(plan.inputs()).iter() {
        inside(index);
        assert!(
            !(KernelTypes::IntList.0..=KernelTypes::OptionalTensorList.0).contains(&tag(index).0),
            "an input is a list"
        );
    }
    present(plan.outputs()).iter().for_each(inside);
    let buffers = present(plan.non_const_buffer_sizes());
    for (own, value) in values.iter().enumerate() {
        match value.val().expect("accepted") {
            None => assert_eq!(value.val_type(), Ok(KernelTypes::Null)),
            Some(KernelTypesValue::Tensor(tensor)) => placed(program, tensor, buffers),
            Some(KernelTypesValue::String(string)) => assert!(string.string_val().expect("accepted").is_some()),
            Some(KernelTypesValue::IntList(list)) => {
                for item in present(list.items()).iter() {
                    let item = i32::try_from(item).expect("an index");
                    inside(item);
                    assert_eq!(tag(item), KernelTypes::Int);
                }
            }
            Some(KernelTypesValue::TensorList(list)) => {
                for item in present(list.items()).iter() {
                    inside(item);
                    assert_eq!(tag(item), KernelTypes::Tensor);
                    assert!(usize::try_from(item).is_ok_and(|item| item < own), "a list with a later item");
                }
            }
            Some(KernelTypesValue::OptionalTensorList(list)) => {
                for item in present(list.items()).iter().filter(|item| *item != -1) {
                    inside(item);
                    assert!([KernelTypes::Tensor, KernelTypes::Null].contains(&tag(item)));
                    assert!(usize::try_from(item).is_ok_and(|item| item < own), "a list with a later item");
                }
            }
            Some(KernelTypesValue::DoubleList(list)) => drop(present(list.items())),
            Some(KernelTypesValue::BoolList(list)) => drop(present(list.items())),
            Some(KernelTypesValue::Unknown(tag)) => panic!("accepted, but a value has type {tag}"),
            Some(_) => {}
        }
    }
    let chains = all(plan.chains());
    assert!(!chains.is_empty());
    let operators: Vec<_> = method.operators().collect();
    for chain in chains {
        let instructions = all(chain.instructions());
        for instruction in &instructions {
            match instruction.instr_args().expect("accepted").expect("an instruction without arguments") {
                InstructionArgumentsValue::KernelCall(call) => {
                    present(call.args()).iter().for_each(inside);
                    let own = usize::try_from(call.op_index().expect("accepted")).expect("an index");
                    let operator = operators[own].as_ref().expect("accepted");
                    assert!(operator.name().expect("accepted").is_some());
                }
                InstructionArgumentsValue::DelegateCall(call) => {
                    present(call.args()).iter().for_each(inside);
                    let own = usize::try_from(call.delegate_index().expect("accepted")).expect("an index");
                    assert!(own < method.delegates().count());
                }
                InstructionArgumentsValue::MoveCall(call) => {
                    inside(call.move_from().expect("accepted"));
                    inside(call.move_to().expect("accepted"));
                }
                InstructionArgumentsValue::JumpFalseCall(call) => {
                    inside(call.cond_value_index().expect("accepted"));
                    let to = usize::try_from(call.destination_instruction().expect("accepted"));
                    assert!(to.is_ok_and(|to| to <= instructions.len()), "a jump out of the chain");
                }
                InstructionArgumentsValue::FreeCall(call) => {
                    let index = call.value_index().expect("accepted");
                    inside(index);
                    assert_eq!(tag(index), KernelTypes::Tensor);
                }
                other => panic!("accepted, but an instruction is {other:?}"),
            }
        }
    }
}

/// Checks that the tensor's bytes exist, and that its planned memory is inside its buffer.
fn placed(program: &Pte<'_>, tensor: Tensor<'_>, buffers: Vector<'_, i64>) {
    let sizes = present(tensor.sizes());
    let bytes = nbytes(tensor.scalar_type().expect("accepted"), sizes).expect("accepted, but its byte count overflows");
    assert!(sizes.len() <= 16 && sizes.len() == present(tensor.dim_order()).len());
    if let Some(found) = program.tensor_bytes(tensor).expect("accepted, but its bytes do not exist") {
        assert_eq!(found.len() as u64, bytes);
    }
    if let Some(place) = tensor.allocation_info().expect("accepted") {
        let [id, low, high] = [place.memory_id(), place.memory_offset_low(), place.memory_offset_high()];
        let [id, low, high] = [id, low, high].map(|part| part.expect("accepted"));
        assert_ne!(id, 0);
        let size = buffers.get(id as usize).expect("accepted, but its buffer is not planned");
        let end = u128::from(low) + (u128::from(high) << 32) + u128::from(bytes);
        assert!(u128::try_from(size).is_ok_and(|size| end <= size), "accepted, but ends at {end} of {size}");
    }
}

fn present<'a, T: Element<'a>>(found: Result<Option<Vector<'a, T>>, Fault>) -> Vector<'a, T> {
    found.expect("accepted, but cannot be read").expect("accepted, but absent")
}

fn all<'a, T: Element<'a, Item = Result<T, Fault>> + 'a>(found: Result<Option<Vector<'a, T>>, Fault>) -> Vec<T> {
    let read: Result<Vec<T>, Fault> = present(found).iter().collect();
    read.expect("accepted, but an element cannot be read")
}
