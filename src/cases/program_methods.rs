//! A program and its methods: what must be there, what inputs and outputs may be, and the planned buffers.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::program as rules;

/// A program of these methods, with the constant that each adds to its input.
fn program_of(methods: Vec<TableTree>) -> TableTree {
    base::program_of(methods).with("constant_segment", base::subsegments(0, &[0, 0]))
}

fn write(methods: Vec<TableTree>) -> base::Bytes {
    base::write_program(&program_of(methods), &[&base::constants_data()])
}

/// Two methods with one constant between them.
fn two_methods() -> base::Bytes {
    let method = |name: &str| base::plan(base::constant(1)).with("name", name);
    write(vec![method("decode"), method("encode")])
}

/// A method that hands its input on, without an operator or a delegate.
fn without_instructions() -> base::Bytes {
    let plan = base::plan(base::planned(0))
        .with("outputs", vec![1])
        .with("chains", vec![base::chain(Vec::new())])
        .without("operators");
    base::write_program(&base::headerless_tree().with("execution_plan", vec![plan]), &[])
}

/// A method whose inputs and outputs are of every type that can be.
fn every_end() -> base::Bytes {
    let values = [
        base::constant(1),
        base::planned(0),
        base::planned(16),
        TableTree::new(pte::Int::TYPE).with("int_val", 1),
        TableTree::new(pte::Bool::TYPE).with("bool_val", true),
        TableTree::new(pte::Double::TYPE).with("double_val", 0.5),
        TableTree::new(pte::String::TYPE).with("string_val", "text"),
        TableTree::new(pte::Null::TYPE),
    ];
    let plan = base::plan(base::constant(1))
        .with("values", values.map(base::value).to_vec())
        .with("inputs", vec![1, 3, 4, 5, 6, 7])
        .with("outputs", vec![2, 3, 4, 5, 6, 7, 0]);
    write(vec![plan])
}

/// A method with two inputs.
fn two_inputs() -> base::Bytes {
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let values = [base::constant(1), base::planned(0), base::planned(16), alpha, base::planned(32)];
    let plan = base::plan(base::constant(1))
        .with("values", values.map(base::value).to_vec())
        .with("inputs", vec![1, 4])
        .with("chains", vec![base::chain(vec![base::kernel_call(), base::add([2, 4, 3, 2, 2])])])
        .with("non_const_buffer_sizes", vec![0_i64, 48]);
    write(vec![plan])
}

/// A method whose tensors have no place in planned memory: whoever calls it brings the memory.
fn without_planned_memory() -> base::Bytes {
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let values = [base::constant(1), base::tensor(&[2, 2]), base::tensor(&[2, 2]), alpha];
    let plan = base::plan(base::constant(1))
        .with("values", values.map(base::value).to_vec())
        .with("non_const_buffer_sizes", Vec::<i64>::new());
    write(vec![plan])
}

/// A method with two planned buffers, of which it uses one, and a device for each.
fn buffer_devices() -> base::Bytes {
    let device = |buffer: i32| {
        TableTree::new(pte::NonConstBufferDevice::TYPE)
            .with("buffer_idx", buffer)
            .with("device_type", pte::DeviceType::CPU.0)
            .with("device_index", 0)
    };
    let plan = base::plan(base::constant(1))
        .with("non_const_buffer_sizes", vec![0_i64, 32, 64])
        .with("non_const_buffer_device", vec![device(1), device(2)]);
    write(vec![plan])
}

cases! {
    /// Two methods in one file, as language models have them, and one constant for both.
    build "pte/valid/two-methods": "two methods with one constant" shows rules::PLAN_NAME_UNIQUE => two_methods;

    /// A method whose output is its input: its chain has no instructions, and no list of operators is needed. A reader that
    /// wants one operator, or one instruction, refuses it.
    build "pte/valid/no-instructions": "chain without instructions, no operators" shows rules::PLAN_OPERATORS_NONNULL
        => without_instructions;

    /// A tensor, an integer, a bool, a float, a string and nothing at all as inputs and as outputs, and a constant among the
    /// outputs. Lists alone cannot be handed over.
    build "pte/valid/inputs-of-every-type": "inputs and outputs of every type" shows rules::PLAN_IO_TYPES => every_end;

    /// Two inputs, each with a value of its own.
    build "pte/valid/two-inputs": "two inputs" shows rules::PLAN_INPUTS_DISTINCT => two_inputs;

    /// No planned memory at all, not even the reserved entry of the list: input and output are the caller's. A reader that
    /// takes the list's length less one for the number of buffers has 2^64 − 1 of them.
    build "pte/valid/no-planned-memory": "no planned buffers" shows rules::PLAN_NCB => without_planned_memory;

    /// Devices of planned buffers, as exporters write them since they can plan memory for more than the host.
    build "pte/valid/buffer-devices": "a device for each planned buffer" shows rules::PLAN_NCB_DEVICE => buffer_devices;

    /// On the host the device's index has no meaning, and −1 says so.
    accept "pte/valid/host-device-index-minus-1": "device index −1 on the host" shows rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_index", -1_i8);

    /// What tells how inputs and outputs were nested, without saying it: one accessor needs the strings, and nothing else
    /// does.
    accept "pte/valid/container-strings-absent": "container_meta_type without strings" shows rules::PLAN_CONTAINER_META,
        from "pte/valid/constants" => |file| {
            file.own_slot("execution_plan[0].container_meta_type", 0, 0);
            file.own_slot("execution_plan[0].container_meta_type", 1, 0);
        };

    /// A version of the tables' meaning that no exporter has written. Nothing but this number may tell the file from one that
    /// the reader knows.
    reject "pte/program/version-1": "version 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"] => |file| file.scalar("version", 1_u32);

    /// The largest number there is: minus one, to a reader that looks only for what is too large.
    reject "pte/program/version-max": "version 2^32 − 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"] => |file| file.scalar("version", u32::MAX);

    /// No list of methods: every look-up of a method begins with it.
    reject "pte/program/methods-absent": "execution_plan absent" breaks rules::PLAN_LIST_NONNULL,
        from "pte/valid/headerless", refs ["pytorch/executorch#1519"] => |file| file.slot("", 1, 0);

    /// A list without a method. Nothing is wrong with it, and nothing can be done with it.
    build "pte/program/no-methods": "no method" about rules::PLAN_NONEMPTY => || write(Vec::new());

    /// A method without a name, where a search by name passes it on the way to the next.
    reject "pte/method/name-absent": "name absent" breaks rules::PLAN_NAME,
        from "pte/valid/two-methods", refs ["pytorch/executorch#16795"] => |file| file.own_slot("execution_plan[0]", 0, 0);

    /// A name of no letters, which many programs take for no name given: the method is run by accident, or never.
    either "pte/method/name-empty": "empty name" about rules::PLAN_NAME_NONEMPTY,
        from "pte/valid/two-methods" => |file| {
            file.elements("execution_plan[1].name", 0, &[0]);
            file.count("execution_plan[1].name", 0);
        };

    /// The same name twice: which of the two is run, the reader decides.
    either "pte/method/name-twice": "two methods of one name" about rules::PLAN_NAME_UNIQUE,
        from "pte/valid/two-methods" => |file| file.elements("execution_plan[1].name", 0, b"de");

    /// No values. Everything else in a method is an index of them.
    reject "pte/method/values-absent": "values absent" breaks rules::PLAN_VALUES_NONNULL,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 2, 0);

    /// No list of inputs, which a method without inputs has too.
    reject "pte/method/inputs-absent": "inputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 3, 0);

    /// No list of outputs. A host asks for their number first, by an accessor that has no way to report an error.
    reject "pte/method/outputs-absent": "outputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 4, 0);

    /// No list of planned buffers, though tensors are in them.
    reject "pte/method/buffer-sizes-absent": "non_const_buffer_sizes absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 8, 0);

    /// No chain: a run would end before it begins, with outputs that nobody has computed.
    reject "pte/method/chains-absent": "chains absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 5, 0);

    /// The same with a list that is there.
    reject "pte/method/chains-empty": "chains empty" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", 0);

    /// A chain whose instructions are not there, where one without any has an empty list.
    reject "pte/method/instructions-absent": "instructions absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0]", 2, 0);

    /// Kernels are called by number, and there is no list to count in.
    reject "pte/method/operators-absent": "operators absent, and called" breaks rules::PLAN_OPERATORS_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.own_slot("execution_plan[0]", 6, 0);

    /// No list of delegates: hosts that ask which backends a method uses walk it before anything is prepared.
    reject "pte/method/delegates-absent": "delegates absent" breaks rules::PLAN_DELEGATES_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#22404", "pytorch/executorch#22405"]
        => |file| file.own_slot("execution_plan[0]", 7, 0);

    /// Nothing says how the outputs were nested in the exported module.
    either "pte/method/container-meta-absent": "container_meta_type absent" about rules::PLAN_CONTAINER_META,
        from "pte/valid/constants", refs ["pytorch/executorch#16704"] => |file| file.own_slot("execution_plan[0]", 1, 0);

    /// A chain that names a value as its input that the method does not have. What runs does not look; a viewer does.
    either "pte/method/chain-input-past-end": "input of a chain past the values" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].inputs", 0, &15_i32.to_le_bytes());

    /// The same for an output, below 0.
    either "pte/method/chain-output-negative": "output of a chain −1" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].outputs", 0, &(-1_i32).to_le_bytes());

    /// One call stack less than there are instructions: a debugger that takes the instruction's number for the stack's reads
    /// on.
    either "pte/method/stacktrace-short": "fewer call stacks than instructions" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 4);

    /// One past the values. Loading the program needs no input, so this is met when the caller sets one.
    reject "pte/method/input-past-end": "input one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &4_i32.to_le_bytes());

    /// Minus one: compared as a signed number, it is below every count.
    reject "pte/method/input-negative": "input −1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &(-1_i32).to_le_bytes());

    /// The most negative number. Made positive it is itself again, so a reader that checks its amount finds nothing wrong.
    reject "pte/method/input-min": "input −2^31" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &i32::MIN.to_le_bytes());

    /// One past the values, where the caller looks for a result.
    reject "pte/method/output-past-end": "output one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &4_i32.to_le_bytes());

    /// Minus one. The result that the caller takes is then whatever stands before the values in memory.
    reject "pte/method/output-negative": "output −1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &(-1_i32).to_le_bytes());

    /// The largest index there is: times the size of a value it wraps in 32 bits.
    reject "pte/method/output-max": "output 2^31 − 1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &i32::MAX.to_le_bytes());

    /// A list of integers as an input: its elements are other values of the method, which no caller can set.
    reject "pte/method/input-list": "list as an input" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].inputs", 0, &8_i32.to_le_bytes());

    /// A list of tensors as an output: the caller gets indexes of values that it cannot see, or pointers that it does not
    /// own.
    reject "pte/method/output-tensor-list": "list of tensors as an output" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, &11_i32.to_le_bytes());

    /// A list of tensors that may be missing, the last of the types: a comparison with the first of the lists alone lets it
    /// pass.
    reject "pte/method/output-optional-tensor-list": "list of optional tensors as an output" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, &12_i32.to_le_bytes());

    /// A constant as an input: what the caller sets is written over the weights of all methods, or faults on the mapped file.
    reject "pte/method/input-constant": "constant as an input" breaks rules::PLAN_INPUTS_NONCONST,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].inputs", 0, &0_i32.to_le_bytes());

    /// The same with a constant of a data file, which other programs may have in memory as well.
    reject "pte/method/input-external-constant": "constant of a data file as an input"
        breaks rules::PLAN_INPUTS_NONCONST,
        from "pte/valid/external-constants" => |file| file.elements("execution_plan[0].inputs", 0, &0_i32.to_le_bytes());

    /// One value as two inputs: the one set last is what both are.
    either "pte/method/input-twice": "one value as two inputs" about rules::PLAN_INPUTS_DISTINCT,
        from "pte/valid/two-inputs" => |file| file.elements("execution_plan[0].inputs", 4, &1_i32.to_le_bytes());

    /// A buffer of minus one byte, which as a size is almost 2^64.
    reject "pte/method/buffer-size-negative": "planned buffer of −1 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &(-1_i64).to_le_bytes());

    /// The most negative size, whose negation overflows.
    reject "pte/method/buffer-size-min": "planned buffer of −2^63 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &i64::MIN.to_le_bytes());

    /// Bytes in the entry that is none. A host that allocates every entry, or counts buffers from 0, is off by it.
    either "pte/method/buffer-0-not-empty": "bytes in the reserved planned buffer" about rules::PLAN_NCB_FIRST_ZERO,
        from "pte/valid/constants"
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 0, &64_i64.to_le_bytes());

    /// A file of a few hundred bytes that asks for a petabyte. A host that allocates what it is told dies of it, or fails
    /// late.
    either "pte/method/buffer-size-huge": "planned buffer of 2^50 bytes" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/constants", refs ["pytorch/executorch#7678"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &(1_i64 << 50).to_le_bytes());

    /// The largest size there is, twice and more: the sum of all buffers passes 2^64 and is small again.
    either "pte/method/buffer-sizes-wrap": "planned buffers whose sum wraps" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/buffer-devices" => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, &i64::MAX.to_le_bytes());
            file.elements("execution_plan[0].non_const_buffer_sizes", 16, &i64::MAX.to_le_bytes());
        };

    /// A device for the entry that is no buffer.
    reject "pte/method/buffer-device-of-0": "device of planned buffer 0" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 0_i32);

    /// The device of buffer −1. Taken as an index without a sign it is past every list, and with one it is below the reserved
    /// entry.
    reject "pte/method/buffer-device-of-minus-1": "device of planned buffer −1" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", -1_i32);

    /// A device for a buffer that is not there.
    reject "pte/method/buffer-device-past-end": "device of a planned buffer past the list" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 3_i32);

    /// Two devices for one buffer: the first is found, or the last.
    reject "pte/method/buffer-device-twice": "two devices of one planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 1_i32);

    /// A kind of device that the schema does not have. Taken for the host's memory it is a wild pointer.
    reject "pte/method/buffer-device-type-2": "device type 2" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 2_i8);

    /// A kind of device below all that there are: a comparison with the last one alone lets it pass.
    reject "pte/method/buffer-device-type-minus-1": "device type −1" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", -1_i8);

    /// The GPU number −1: off the host the index says which of several devices, and none of them has this number.
    reject "pte/method/buffer-device-index-minus-1": "device index −1 off the host" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/host-device-index-minus-1"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 1_i8);
}
