//! Programs larger than those in [`base`](super::base).
//!
//! Together, they contain values of every type, several planned buffers, all instructions except delegate calls, and
//! external tensors.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::base::{
    self, BaseBytes, boolean, chain, constant, double, extra, int, kernel_call, method, planned, string, tensor,
};
use crate::ScalarType;
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::patch::Patcher;
use crate::pte::schema as pte;

fn tensor_list(items: &[i32]) -> TableTree {
    TableTree::new(pte::TensorList::TYPE).with("items", items.to_vec())
}

fn int_list(items: Vec<i64>) -> TableTree {
    TableTree::new(pte::IntList::TYPE).with("items", items)
}

fn unplanned(scalar: i8, sizes: &[i32]) -> TableTree {
    tensor(sizes).with("scalar_type", scalar)
}

fn planned_at(sizes: &[i32], memory: u32, offset: u32) -> TableTree {
    let place = TableTree::new(pte::AllocationDetails::TYPE)
        .with("memory_id", memory)
        .with("memory_offset_low", offset)
        .with("memory_offset_high", 0);
    tensor(sizes).with("allocation_info", place)
}

pub(super) fn kernel(operator: i32, args: &[i32]) -> TableTree {
    base::instruction(TableTree::new(pte::KernelCall::TYPE).with("op_index", operator).with("args", args.to_vec()))
}

pub(super) fn operator_of(name: &str, overload: &str) -> TableTree {
    TableTree::new(pte::Operator::TYPE).with("name", name).with("overload", overload)
}

fn program(method: TableTree) -> BaseBytes {
    base::program(vec![method])
}

/// The values end with an Int, a Tensor and a Null, so that lists can refer to values that come after them.
pub(super) fn every_value() -> BaseBytes {
    program(method(vec![
        constant(1),
        planned(0),
        planned(16),
        int(1),
        TableTree::new(pte::Null::TYPE),
        boolean(true),
        double(0.1),
        string("text"),
        int_list(vec![3, 3]),
        TableTree::new(pte::DoubleList::TYPE).with("items", vec![0.5, -0.25]),
        TableTree::new(pte::BoolList::TYPE).with("items", vec![true, false]),
        tensor_list(&[1, 2]),
        TableTree::new(pte::OptionalTensorList::TYPE).with("items", vec![1, -1, 4]),
        int(2),
        planned(0),
        TableTree::new(pte::Null::TYPE),
    ]))
}

pub(super) fn empty_lists() -> BaseBytes {
    program(method(vec![
        constant(1),
        planned(0),
        planned(16),
        int(1),
        int_list(Vec::new()),
        TableTree::new(pte::DoubleList::TYPE).with("items", Vec::<f64>::new()),
        TableTree::new(pte::BoolList::TYPE).with("items", Vec::<bool>::new()),
        tensor_list(&[]),
        TableTree::new(pte::OptionalTensorList::TYPE).with("items", Vec::<i32>::new()),
    ]))
}

pub(super) fn long_lists() -> BaseBytes {
    program(method(vec![
        constant(1),
        planned(0),
        planned(16),
        int(1),
        int_list(vec![3; 3000]),
        TableTree::new(pte::BoolList::TYPE).with("items", vec![true; 3000]),
        tensor_list(&[1; 3000]),
        TableTree::new(pte::OptionalTensorList::TYPE).with("items", vec![-1; 3000]),
    ]))
}

/// Together, the tensors have every field of the schema. They are a constant, an unplanned input, an output, and two
/// named tensors in planned memory. Each has four sizes, so that their product can overflow.
pub(super) fn tensors() -> BaseBytes {
    let all = |tensor: TableTree| {
        tensor
            .with("storage_offset", 0)
            .with("requires_grad", false)
            .with("data_buffer_idx", 0)
            .with("layout", 0)
            .with("shape_dynamism", pte::TensorShapeDynamism::STATIC.0)
    };
    let segment = pte::TensorDataLocation::SEGMENT;
    let sizes = &[1, 1, 2, 2];
    program(method(vec![
        all(tensor(sizes)).with("data_buffer_idx", 1),
        all(tensor(sizes)).with("extra_tensor_info", extra("input", segment)),
        all(planned_at(sizes, 1, 16)),
        int(1),
        all(planned_at(sizes, 1, 0)).with("extra_tensor_info", extra("alpha", segment)),
        all(planned_at(sizes, 1, 0)).with("extra_tensor_info", extra("gamma", segment)),
    ]))
}

/// The input has `count` dimensions, but its `sizes` and `dim_order` have room for 256.
pub(super) fn rank(count: u32) -> BaseBytes {
    let order: Vec<u8> = (0..=u8::MAX).collect();
    let input = tensor(&[1; 256]).with("dim_order", order);
    let bytes = program(method(vec![constant(1), input, planned(16), int(1)]))?;
    let mut file = Patcher::new(bytes);
    file.count("execution_plan[0].values[1].val.sizes", count);
    file.count("execution_plan[0].values[1].val.dim_order", count);
    Ok(file.finish()?.bytes)
}

pub(super) fn inputs_of(scalars: &[i8]) -> BaseBytes {
    let mut values = vec![constant(1), planned(0), planned(16), int(1)];
    let mut inputs = vec![1];
    for scalar in scalars {
        inputs.extend(i32::try_from(values.len()));
        values.push(unplanned(*scalar, &[2, 2]));
    }
    program(method(values).with("inputs", inputs))
}

/// A method with tensors in two planned buffers.
pub(super) fn memory_plan() -> BaseBytes {
    let sizes = &[2, 2];
    let values = vec![
        constant(1),
        planned_at(sizes, 1, 0),
        planned_at(sizes, 1, 16),
        int(1),
        planned_at(sizes, 1, 48).with("extra_tensor_info", extra("alpha", pte::TensorDataLocation::SEGMENT)),
        planned_at(sizes, 2, 0),
        planned_at(&[0, 4], 2, 16),
    ];
    program(method(values).with("non_const_buffer_sizes", vec![0_i64, 64, 16]))
}

/// Adds a constant to each of two inputs. Value 4 is the second input, and value 5 is the second output.
pub(super) fn two_of_each() -> BaseBytes {
    let values = vec![constant(1), planned(0), planned(16), int(1), planned(32), planned(48)];
    program(
        method(values)
            .with("inputs", vec![1, 4])
            .with("outputs", vec![2, 5])
            .with("chains", vec![chain(vec![kernel_call(), base::add([0, 4, 3, 5, 5])])])
            .with("non_const_buffer_sizes", vec![0_i64, 64]),
    )
}

/// The instructions are a kernel call, a move, a jump, a kernel call, a free and a kernel call.
pub(super) fn instructions() -> BaseBytes {
    let jump = TableTree::new(pte::JumpFalseCall::TYPE).with("cond_value_index", 5).with("destination_instruction", 4);
    let copy = TableTree::new(pte::MoveCall::TYPE).with("move_from", 3).with("move_to", 4);
    let free = TableTree::new(pte::FreeCall::TYPE).with("value_index", 6);
    let calls = vec![
        kernel(1, &[0, 1, 2, 2]),
        base::instruction(copy),
        base::instruction(jump),
        kernel_call(),
        base::instruction(free),
        kernel_call(),
    ];
    let values = vec![
        constant(1),
        planned(0),
        planned(16),
        int(1),
        int(2),
        boolean(true),
        planned(32),
        planned(48).with("scalar_type", ScalarType::BOOL.0).with("sizes", vec![1]).with("dim_order", vec![0_u8]),
        tensor_list(&[1, 6]),
    ];
    program(
        method(values)
            .with("chains", vec![chain(calls)])
            .with("operators", vec![base::operator(), operator_of("aten::mul", "out")])
            .with("non_const_buffer_sizes", vec![0_i64, 64]),
    )
}

/// Frees value 4 between two kernel calls. Neither of them uses value 4; the first one writes to value 5.
pub(super) fn free() -> BaseBytes {
    let free = TableTree::new(pte::FreeCall::TYPE).with("value_index", 4);
    let calls = vec![kernel(0, &[0, 1, 3, 5, 5]), base::instruction(free), kernel_call()];
    let values = vec![constant(1), planned(0), planned(16), int(1), planned(32), planned(48)];
    program(method(values).with("chains", vec![chain(calls)]).with("non_const_buffer_sizes", vec![0_i64, 64]))
}

fn long_name(len: usize) -> String {
    let mut name = String::from("example::");
    name.extend(core::iter::repeat_n('x', len.saturating_sub(name.len())));
    name
}

/// Two operators without calls, with full names of 99 bytes. One has no overload; the other's name has room for 5 000.
pub(super) fn long_operator_names() -> BaseBytes {
    let operators = vec![base::operator(), operator_of(&long_name(99), ""), operator_of(&long_name(5000), "out")];
    let bytes = program(
        method(vec![constant(1), planned(0), planned(16), int(1)])
            .with("operators", operators)
            .with("chains", vec![chain(vec![kernel_call()])]),
    )?;
    let mut file = Patcher::new(bytes);
    let name = "execution_plan[0].operators[2].name";
    let start = file.at(name, PartKind::Elements);
    file.count(name, 95);
    file.put(start + 95, &[0]);
    Ok(file.finish()?.bytes)
}

/// A method that copies a slice and does arithmetic with integers.
pub(super) fn own_operators() -> BaseBytes {
    let stack = planned_at(&[4, 2], 1, 0).with("shape_dynamism", pte::TensorShapeDynamism::DYNAMIC_BOUND.0);
    let values = vec![constant(1), planned_at(&[2], 1, 32), stack, int(3), int(1), int(2), boolean(true)];
    let own = |name: &str, overload: &str| operator_of(&alloc::format!("executorch_prim::{name}"), overload);
    let operators =
        vec![own("et_copy_index", "tensor"), own("add", "Scalar"), own("neg", "Scalar"), own("sym_ite", "Scalar")];
    let calls = vec![kernel(0, &[2, 1, 3]), kernel(1, &[4, 5, 5]), kernel(2, &[4, 5]), kernel(3, &[6, 4, 5, 5])];
    program(
        method(values)
            .with("operators", operators)
            .with("chains", vec![chain(calls)])
            .with("non_const_buffer_sizes", vec![0_i64, 48]),
    )
}

/// Copies a slice and adds integers as in the first releases. No instruction uses value 6, a tensor without data.
pub(super) fn first_operators() -> BaseBytes {
    let bound = pte::TensorShapeDynamism::DYNAMIC_BOUND.0;
    let bare = unplanned(ScalarType::FLOAT.0, &[4, 2]).with("shape_dynamism", bound);
    let stack = planned_at(&[4, 2], 1, 0).with("shape_dynamism", bound);
    let values = vec![constant(1), planned_at(&[2], 1, 32), stack, int(3), int(1), int(2), bare];
    let operators =
        vec![operator_of("executorch_prim::et_copy_index", "tensor"), operator_of("executorch_prim::add", "Scalar")];
    let calls = vec![kernel(0, &[2, 1, 3]), kernel(1, &[4, 5, 5])];
    program(
        method(values)
            .with("operators", operators)
            .with("chains", vec![chain(calls)])
            .with("non_const_buffer_sizes", vec![0_i64, 48]),
    )
}

/// The jump's condition is a constant tensor of four bools, which are all true.
pub(super) fn true_condition() -> BaseBytes {
    let jump = TableTree::new(pte::JumpFalseCall::TYPE).with("cond_value_index", 4).with("destination_instruction", 2);
    let condition = unplanned(ScalarType::BOOL.0, &[4]).with("data_buffer_idx", 2);
    let method = method(vec![constant(1), planned(0), planned(16), int(1), condition])
        .with("chains", vec![chain(vec![base::instruction(jump), kernel_call()])]);
    base::write_program(
        &base::program_with(vec![method], &[0, 0, 16]),
        &[&[&base::constants_data()[..], &[1; 4]].concat()],
    )
}

/// Declares the host as the device of two planned buffers, one of which contains the input.
pub(super) fn device_plan() -> BaseBytes {
    let on_host = |tensor: TableTree, name| {
        tensor.with("data_buffer_idx", 0).with("extra_tensor_info", extra(name, pte::TensorDataLocation::SEGMENT))
    };
    let sizes = &[2, 2];
    let values = vec![
        constant(1),
        on_host(planned_at(sizes, 2, 0), "input"),
        planned(16),
        int(1),
        on_host(planned_at(sizes, 3, 0), "inside"),
    ];
    program(
        method(values)
            .with("non_const_buffer_sizes", vec![0_i64, 32, 16, 16])
            .with("non_const_buffer_device", vec![base::device(2), base::device(3)]),
    )
}

/// The chain calls the operators in list order.
pub(super) fn tensor_operators() -> BaseBytes {
    let values = vec![
        constant(1),
        planned(0),
        planned(16),
        int(1),
        int(2),
        int(0),
        double(0.5),
        int_list(vec![4, 4]),
        planned_at(&[1], 1, 32),
        boolean(true),
        int(-7),
        int(3),
    ];
    let operators = vec![
        operator_of("aten::sym_size", "int"),
        operator_of("aten::sym_numel", ""),
        operator_of("aten::_local_scalar_dense", ""),
        operator_of("executorch_prim::et_view", "default"),
        operator_of("executorch_prim::floordiv", "int"),
        operator_of("executorch_prim::mod", "int"),
        operator_of("executorch_prim::add.Scalar", ""),
        operator_of("executorch_prim::eq", "Scalar"),
    ];
    let calls = vec![
        kernel(0, &[1, 5, 3]),
        kernel(1, &[1, 3]),
        kernel(2, &[8, 6]),
        kernel(3, &[1, 7, 2]),
        kernel(4, &[3, 4, 3]),
        kernel(5, &[3, 4, 3]),
        kernel(6, &[3, 4, 3]),
        kernel(7, &[10, 11, 9]),
    ];
    program(
        method(values)
            .with("operators", operators)
            .with("chains", vec![chain(calls)])
            .with("non_const_buffer_sizes", vec![0_i64, 48]),
    )
}

/// Value 6 is a view of the constant and has no memory of its own. Value 7 gets the constant from a MoveCall.
pub(super) fn shared_data() -> BaseBytes {
    let view = tensor(&[2, 2]).with("shape_dynamism", pte::TensorShapeDynamism::DYNAMIC_BOUND.0);
    let values = vec![constant(1), planned(0), planned(16), int(1), int(2), int_list(vec![4, 4]), view, planned(32)];
    let copy = TableTree::new(pte::MoveCall::TYPE).with("move_from", 0).with("move_to", 7);
    let calls = vec![kernel(1, &[0, 5, 6]), base::instruction(copy), kernel(0, &[6, 7, 3, 2, 2])];
    program(
        method(values)
            .with("operators", vec![base::operator(), operator_of("executorch_prim::et_view", "default")])
            .with("chains", vec![chain(calls)])
            .with("non_const_buffer_sizes", vec![0_i64, 48]),
    )
}

/// A MoveCall gives value 5 the sum in value 4. The next call writes to value 6, and the last call reads value 5.
pub(super) fn moved_value() -> BaseBytes {
    let values = vec![constant(1), planned(0), planned(16), int(1), planned(32), planned(48), planned(64)];
    let copy = TableTree::new(pte::MoveCall::TYPE).with("move_from", 4).with("move_to", 5);
    let sum = |first, second, out| base::add([first, second, 3, out, out]);
    let calls = vec![sum(0, 1, 4), base::instruction(copy), sum(1, 1, 6), sum(5, 6, 2)];
    program(method(values).with("chains", vec![chain(calls)]).with("non_const_buffer_sizes", vec![0_i64, 80]))
}

/// A kernel call with an integer and 16 tensors of 16 dimensions each.
pub(super) fn longest_kernel_key() -> BaseBytes {
    let most = tensor(&[1; 16]).with("scalar_type", ScalarType::BFLOAT16.0);
    let arguments = [&[1; 16][..], &[3]].concat();
    program(
        method(vec![constant(1), most, planned(16), int(1)])
            .with("operators", vec![operator_of("aten::cat", "out")])
            .with("chains", vec![chain(vec![kernel(0, &arguments)])]),
    )
}

const SHAPE: &[i32] = &[2, 3];

fn external(name: &str) -> TableTree {
    tensor(SHAPE).with("data_buffer_idx", 0).with("extra_tensor_info", extra(name, pte::TensorDataLocation::EXTERNAL))
}

fn external_method(name: &str, second: TableTree) -> TableTree {
    method(vec![external("weight"), planned_at(SHAPE, 1, 0), planned_at(SHAPE, 1, 32), int(1), second])
        .with("name", name)
        .with("non_const_buffer_sizes", vec![0_i64, 96])
}

fn external_program(methods: Vec<TableTree>) -> BaseBytes {
    let named = vec![base::program_named("inside", 1)];
    base::write_program(&base::program_with(methods, &[0]).with("named_data", named), &[b"", &base::ramp(24)])
}

pub(super) fn external_constants() -> BaseBytes {
    external_program(vec![external_method("forward", external("second"))])
}

/// The program itself has no named data.
pub(super) fn external_constants_alone() -> BaseBytes {
    base::write_program(&base::program_with(vec![external_method("forward", external("second"))], &[0]), &[b""])
}

/// The output has a name, but no data file contains data for it.
pub(super) fn external_beside_named() -> BaseBytes {
    let mut method = external_method("forward", external("second"));
    if let Some(output) = method.at_mut("values[2].val") {
        output.assign("extra_tensor_info", extra("output", pte::TensorDataLocation::SEGMENT));
    }
    external_program(vec![method])
}

/// A reader must copy the second tensor into planned memory.
pub(super) fn external_mutable() -> BaseBytes {
    let place = TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1).with("memory_offset_low", 64);
    external_program(vec![external_method("forward", external("second").with("allocation_info", place))])
}

/// Two methods with the same external constants.
pub(super) fn external_methods() -> BaseBytes {
    external_program(vec![external_method("decode", external("second")), external_method("encode", external("second"))])
}

pub(super) fn external_without_name() -> BaseBytes {
    external_program(vec![external_method("forward", external(""))])
}

/// A data file with tensors, and with blobs that have no layout.
pub(super) fn external_data(tensors: &[&str], blobs: &[&str]) -> BaseBytes {
    let all = tensors.iter().map(|name| (name, Some(base::floats(SHAPE)))).chain(blobs.iter().map(|name| (name, None)));
    let entries: Vec<TableTree> =
        all.zip(0_u32..).map(|((name, layout), segment)| base::named(name, segment, layout)).collect();
    let bytes = base::ramp(24);
    let segments = vec![bytes.as_slice(); entries.len()];
    base::data(entries, &segments)
}

/// A data file with two constants, the second of which has no elements.
pub(super) fn external_data_without_elements() -> BaseBytes {
    let entries = vec![
        base::named("weight", 0, Some(base::floats(SHAPE))),
        base::named("second", 1, Some(base::floats(&[0, 3]))),
    ];
    base::data(entries, &[&base::ramp(24), &[]])
}
