//! Programs that are larger than the programs in [`base`](super::base).
//!
//! Together, the programs contain values of every type, several planned buffers, all instructions except delegate
//! calls, and external tensors.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::base::{self, BaseBytes, chain, constant, extra, kernel_call, planned, tensor};
use crate::ScalarType;
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::patch::Patcher;
use crate::pte::schema as pte;

fn int(value: i64) -> TableTree {
    TableTree::new(pte::Int::TYPE).with("int_val", value)
}

fn boolean(value: bool) -> TableTree {
    TableTree::new(pte::Bool::TYPE).with("bool_val", value)
}

/// Returns a TensorList with the given value indices.
fn tensor_list(items: &[i32]) -> TableTree {
    TableTree::new(pte::TensorList::TYPE).with("items", items.to_vec())
}

/// Returns an IntList with the given value indices.
fn int_list(items: Vec<i64>) -> TableTree {
    TableTree::new(pte::IntList::TYPE).with("items", items)
}

/// Returns a tensor without planned memory, such as an input that the caller provides.
fn unplanned(scalar: i8, sizes: &[i32]) -> TableTree {
    tensor(sizes).with("scalar_type", scalar)
}

/// Returns a float tensor in planned memory.
fn planned_at(sizes: &[i32], memory: u32, offset: u32) -> TableTree {
    let place = TableTree::new(pte::AllocationDetails::TYPE)
        .with("memory_id", memory)
        .with("memory_offset_low", offset)
        .with("memory_offset_high", 0);
    tensor(sizes).with("allocation_info", place)
}

fn kernel(operator: i32, args: &[i32]) -> TableTree {
    base::instruction(TableTree::new(pte::KernelCall::TYPE).with("op_index", operator).with("args", args.to_vec()))
}

fn operator_of(name: &str, overload: &str) -> TableTree {
    TableTree::new(pte::Operator::TYPE).with("name", name).with("overload", overload)
}

/// Returns a method with the given values. Values 0 to 3 must be a constant, the input, the output and an integer, in
/// this order.
fn method(values: Vec<TableTree>) -> TableTree {
    let values: Vec<TableTree> = values.into_iter().map(base::value).collect();
    base::plan(constant(1)).with("values", values)
}

/// Returns a program with one method, and with a constant segment for value 0.
fn program(method: TableTree) -> BaseBytes {
    let root = base::program_of(vec![method]).with("constant_segment", base::subsegments(0, &[0, 0]));
    base::write_program(&root, &[&base::constants_data()])
}

/// Returns a program with a value of every type.
///
/// The last values are an Int, a Tensor and a Null, so that lists can refer to later values.
pub(super) fn every_value() -> BaseBytes {
    program(method(vec![
        constant(1),
        planned(0),
        planned(16),
        int(1),
        TableTree::new(pte::Null::TYPE),
        boolean(true),
        TableTree::new(pte::Double::TYPE).with("double_val", 0.1),
        TableTree::new(pte::String::TYPE).with("string_val", "text"),
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

/// Returns a program with one empty list of each list type.
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

/// Returns a program with lists of 3000 items.
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

/// Returns a program whose tensors together contain every field that the schema defines for tensors.
///
/// The tensors are a constant, an input without planned memory, an output, and two named tensors in planned memory. The
/// tensors have four dimensions, so that the product of the sizes can overflow.
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

/// Returns a program whose input has the given number of dimensions. The input's lists of sizes and of dimension order
/// have room for 256 entries.
pub(super) fn rank(count: u32) -> BaseBytes {
    let order: Vec<u8> = (0..=u8::MAX).collect();
    let input = tensor(&[1; 256]).with("dim_order", order);
    let bytes = program(method(vec![constant(1), input, planned(16), int(1)]))?;
    let mut file = Patcher::new(bytes);
    file.count("execution_plan[0].values[1].val.sizes", count);
    file.count("execution_plan[0].values[1].val.dim_order", count);
    Ok(file.finish()?.bytes)
}

/// Returns a program with an additional input for each of the given scalar types.
pub(super) fn inputs_of(scalars: &[i8]) -> BaseBytes {
    let mut values = vec![constant(1), planned(0), planned(16), int(1)];
    let mut inputs = vec![1];
    for scalar in scalars {
        inputs.extend(i32::try_from(values.len()));
        values.push(unplanned(*scalar, &[2, 2]));
    }
    program(method(values).with("inputs", inputs))
}

/// Returns a program with tensors in two planned buffers.
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

/// Returns a program that adds a constant to each of two inputs. Value 4 is the second input, and value 5 is the second
/// output.
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

/// Returns a program with every instruction except a delegate call.
///
/// The instructions are, in this order: kernel call, move, jump, kernel call, free, kernel call.
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

/// Returns a program that frees value 4 between two kernel calls. No kernel call uses value 4, and the first call uses
/// value 5.
pub(super) fn free() -> BaseBytes {
    let free = TableTree::new(pte::FreeCall::TYPE).with("value_index", 4);
    let calls = vec![kernel(0, &[0, 1, 3, 5, 5]), base::instruction(free), kernel_call()];
    let values = vec![constant(1), planned(0), planned(16), int(1), planned(32), planned(48)];
    program(method(values).with("chains", vec![chain(calls)]).with("non_const_buffer_sizes", vec![0_i64, 64]))
}

/// Returns a name of the given length for an operator that no runtime registers.
fn long_name(len: usize) -> String {
    let mut name = String::from("example::");
    name.extend(core::iter::repeat_n('x', len.saturating_sub(name.len())));
    name
}

/// Returns a program with two uncalled operators whose full names have 99 bytes.
///
/// The first of these operators has no overload. The second has an overload, and its name has room for 5 000 bytes.
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

/// Returns a program that calls built-in operators: a slice copy, and arithmetic with integers.
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

/// Returns a program that calls built-in operators of the first releases: a slice copy and an addition.
///
/// No instruction uses value 6, a tensor without data.
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

/// Returns a program with a jump. The condition of the jump is a constant tensor of four bools, which are all true.
pub(super) fn true_condition() -> BaseBytes {
    let jump = TableTree::new(pte::JumpFalseCall::TYPE).with("cond_value_index", 4).with("destination_instruction", 2);
    let condition = unplanned(ScalarType::BOOL.0, &[4]).with("data_buffer_idx", 2);
    let method = method(vec![constant(1), planned(0), planned(16), int(1), condition])
        .with("chains", vec![chain(vec![base::instruction(jump), kernel_call()])]);
    let root = base::program_of(vec![method]).with("constant_segment", base::subsegments(0, &[0, 0, 16]));
    base::write_program(&root, &[&[&base::constants_data()[..], &[1; 4]].concat()])
}

/// Returns a program that declares the host as the device of two planned buffers. One buffer contains the input.
pub(super) fn device_plan() -> BaseBytes {
    let on_host = |tensor: TableTree, name| {
        tensor.with("data_buffer_idx", 0).with("extra_tensor_info", extra(name, pte::TensorDataLocation::SEGMENT))
    };
    let device = |buffer: i32| {
        TableTree::new(pte::NonConstBufferDevice::TYPE)
            .with("buffer_idx", buffer)
            .with("device_type", pte::DeviceType::CPU.0)
            .with("device_index", 0)
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
            .with("non_const_buffer_device", vec![device(2), device(3)]),
    )
}

/// Returns a program that calls built-in operators on tensors and integers. The chain calls the operators in the order
/// of the list `operators`.
pub(super) fn tensor_operators() -> BaseBytes {
    let values = vec![
        constant(1),
        planned(0),
        planned(16),
        int(1),
        int(2),
        int(0),
        TableTree::new(pte::Double::TYPE).with("double_val", 0.5),
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

/// Returns a program that calls a kernel with 16 tensors of 16 dimensions and an integer.
///
/// This call has the longest possible lookup key.
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

/// Returns a program with the given methods. The program also contains a named blob.
fn external_program(methods: Vec<TableTree>) -> BaseBytes {
    let root = base::program_of(methods)
        .with("constant_segment", base::subsegments(0, &[0]))
        .with("named_data", vec![base::program_named("inside", 1)]);
    base::write_program(&root, &[b"", &base::ramp(24)])
}

/// Returns a program with two constants in data files.
pub(super) fn external_constants() -> BaseBytes {
    external_program(vec![external_method("forward", external("second"))])
}

/// Returns a program with two constants in data files and without named data.
pub(super) fn external_constants_alone() -> BaseBytes {
    let root = base::program_of(vec![external_method("forward", external("second"))])
        .with("constant_segment", base::subsegments(0, &[0]));
    base::write_program(&root, &[b""])
}

/// Returns a program with two constants in data files and a named output. The output's data is in no data file.
pub(super) fn external_beside_named() -> BaseBytes {
    let mut method = external_method("forward", external("second"));
    if let Some(output) = method.at_mut("values[2].val") {
        output.assign("extra_tensor_info", extra("output", pte::TensorDataLocation::SEGMENT));
    }
    external_program(vec![method])
}

/// Returns a program with two tensors in data files. A reader must copy the second tensor to planned memory.
pub(super) fn external_mutable() -> BaseBytes {
    let place = TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1).with("memory_offset_low", 64);
    external_program(vec![external_method("forward", external("second").with("allocation_info", place))])
}

/// Returns a program with two methods that use the same external constants.
pub(super) fn external_methods() -> BaseBytes {
    external_program(vec![external_method("decode", external("second")), external_method("encode", external("second"))])
}

/// Returns a program with an external constant whose name is empty.
pub(super) fn external_without_name() -> BaseBytes {
    external_program(vec![external_method("forward", external(""))])
}

/// Returns a data file with a tensor for each name in `tensors` and an opaque blob for each name in `blobs`.
pub(super) fn external_data(tensors: &[&str], blobs: &[&str]) -> BaseBytes {
    let all = tensors.iter().map(|name| (name, Some(base::floats(SHAPE)))).chain(blobs.iter().map(|name| (name, None)));
    let entries: Vec<TableTree> =
        all.zip(0_u32..).map(|((name, layout), segment)| base::named(name, segment, layout)).collect();
    let bytes = base::ramp(24);
    let segments = vec![bytes.as_slice(); entries.len()];
    base::data(entries, &segments)
}

/// Returns a data file with the external constants. The second constant has no elements.
pub(super) fn external_data_without_elements() -> BaseBytes {
    let entries = vec![
        base::named("weight", 0, Some(base::floats(SHAPE))),
        base::named("second", 1, Some(base::floats(&[0, 3]))),
    ];
    base::data(entries, &[&base::ramp(24), &[]])
}
