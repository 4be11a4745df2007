//! Cases about a program and its methods: required fields, inputs, outputs and planned buffers.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::program as rules;

/// Returns a program of these methods, with the constant that each adds to its input.
fn program_of(methods: Vec<TableTree>) -> TableTree {
    base::program_of(methods).with("constant_segment", base::subsegments(0, &[0, 0]))
}

fn write(methods: Vec<TableTree>) -> base::BaseBytes {
    base::write_program(&program_of(methods), &[&base::constants_data()])
}

/// Returns a program of two methods that share a constant.
fn two_methods() -> base::BaseBytes {
    let method = |name: &str| base::plan(base::constant(1)).with("name", name);
    write(vec![method("decode"), method("encode")])
}

/// Returns a program whose method returns its input, without operators and delegates.
fn without_instructions() -> base::BaseBytes {
    let plan = base::plan(base::planned(0))
        .with("outputs", vec![1])
        .with("chains", vec![base::chain(Vec::new())])
        .without("operators");
    base::write_program(&base::headerless_tree().with("execution_plan", vec![plan]), &[])
}

/// Returns a program whose inputs and outputs have every allowed type.
fn every_end() -> base::BaseBytes {
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

/// Returns a program with two inputs.
fn two_inputs() -> base::BaseBytes {
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let values = [base::constant(1), base::planned(0), base::planned(16), alpha, base::planned(32)];
    let plan = base::plan(base::constant(1))
        .with("values", values.map(base::value).to_vec())
        .with("inputs", vec![1, 4])
        .with("chains", vec![base::chain(vec![base::kernel_call(), base::add([2, 4, 3, 2, 2])])])
        .with("non_const_buffer_sizes", vec![0_i64, 48]);
    write(vec![plan])
}

/// Returns a program whose tensors have no planned memory; the caller provides it.
fn without_planned_memory() -> base::BaseBytes {
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let values = [base::constant(1), base::tensor(&[2, 2]), base::tensor(&[2, 2]), alpha];
    let plan = base::plan(base::constant(1))
        .with("values", values.map(base::value).to_vec())
        .with("non_const_buffer_sizes", Vec::<i64>::new());
    write(vec![plan])
}

/// Returns a program with two planned buffers, of which it uses one, and a device for each.
fn buffer_devices() -> base::BaseBytes {
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
    /// Language models have several methods in one file. A reader that looks for `forward`, or uses the first method,
    /// runs the wrong method or no method.
    build "pte/valid/two-methods": "two methods with one constant" shows rules::PLAN_NAME_UNIQUE => two_methods;

    /// The method's output is its input, so its chain is empty, and the method needs no operators. A reader that
    /// requires an operator or an instruction rejects the file.
    build "pte/valid/no-instructions": "chain without instructions, no operators" shows rules::PLAN_OPERATORS_NONNULL
        => without_instructions;

    /// The inputs and outputs include a tensor, an integer, a bool, a float, a string and a Null, and one output is a
    /// constant. Every value type except lists is allowed.
    build "pte/valid/inputs-of-every-type": "inputs and outputs of every type" shows rules::PLAN_IO_TYPES => every_end;

    /// The two inputs have separate values and memory. A reader that uses one buffer for all inputs, or orders inputs
    /// by value index, confuses the two inputs.
    build "pte/valid/two-inputs": "two inputs" shows rules::PLAN_INPUTS_DISTINCT => two_inputs;

    /// The list of buffer sizes is empty, even without the reserved entry; the caller provides the memory. A reader
    /// that subtracts 1 from the list's length gets 2^64 − 1 buffers.
    build "pte/valid/no-planned-memory": "no planned buffers" shows rules::PLAN_NCB => without_planned_memory;

    /// Exporters that can plan memory on other devices write a device for each buffer. Both buffers are on the host, so
    /// a reader that does not know the device field may ignore it.
    build "pte/valid/buffer-devices": "device for each planned buffer" shows rules::PLAN_NCB_DEVICE => buffer_devices;

    /// On the host, a buffer's device index has no meaning. A reader that checks the index before the device type
    /// rejects the file.
    accept "pte/valid/host-device-index-minus-1": "device index −1 on the host" shows rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_index", -1_i8);

    /// The table that describes the nesting of inputs and outputs has no strings. Only one accessor uses the strings,
    /// so a reader that requires them rejects a method that can run.
    accept "pte/valid/container-strings-absent": "container_meta_type without strings" shows rules::PLAN_CONTAINER_META,
        from "pte/valid/constants" => |file| {
            file.own_slot("execution_plan[0].container_meta_type", 0, 0);
            file.own_slot("execution_plan[0].container_meta_type", 1, 0);
        };

    /// No exporter has written this version of the schema. Only the version number distinguishes the file from a
    /// supported file.
    reject "pte/program/version-1": "schema version 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"] => |file| file.scalar("version", 1_u32);

    /// As a signed integer, the version is −1, so a reader that rejects only newer versions accepts it. No other field
    /// shows that the tables may differ.
    reject "pte/program/version-max": "schema version 2^32 − 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"]
        => |file| file.scalar("version", u32::MAX);

    /// Every method lookup uses the list of methods. Verifiers allow an absent list, and the first lookup dereferences
    /// a null pointer.
    reject "pte/program/methods-absent": "execution_plan absent" breaks rules::PLAN_LIST_NONNULL,
        from "pte/valid/headerless", refs ["pytorch/executorch#1519"] => |file| file.slot("", 1, 0);

    /// The program opens, but every method lookup fails. A test that only opens files does not detect the fault.
    build "pte/program/no-methods": "program without methods" about rules::PLAN_NONEMPTY => || write(Vec::new());

    /// A search for `encode` compares the absent name of the first method and dereferences a null pointer.
    reject "pte/method/name-absent": "method name absent" breaks rules::PLAN_NAME,
        from "pte/valid/two-methods", refs ["pytorch/executorch#16795"]
        => |file| file.own_slot("execution_plan[0]", 0, 0);

    /// Many hosts treat an empty name as no name, so they run the method by accident or never.
    either "pte/method/name-empty": "empty method name" about rules::PLAN_NAME_NONEMPTY,
        from "pte/valid/two-methods" => |file| {
            file.elements("execution_plan[1].name", 0, &[0]);
            file.count("execution_plan[1].name", 0);
        };

    /// Both methods are named `decode`. A linear search finds the first method, and a map keeps the last, so two
    /// readers run different methods.
    either "pte/method/name-twice": "two methods with one name" about rules::PLAN_NAME_UNIQUE,
        from "pte/valid/two-methods" => |file| file.elements("execution_plan[1].name", 0, b"de");

    /// Inputs, outputs, lists and instructions index the values. A reader that compares an index with the number of
    /// values dereferences a null pointer.
    reject "pte/method/values-absent": "values absent" breaks rules::PLAN_VALUES_NONNULL,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 2, 0);

    /// The list of inputs is absent; a method without inputs has an empty list. A reader that allocates state for each
    /// input dereferences a null pointer to get the count.
    reject "pte/method/inputs-absent": "inputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 3, 0);

    /// The list of outputs is absent. The accessor for the number of outputs cannot report an error and dereferences a
    /// null pointer.
    reject "pte/method/outputs-absent": "outputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 4, 0);

    /// Two tensors are in planned buffer 1, but the list of sizes is absent. A host that treats the absent list as
    /// empty allocates nothing, and the tensors' addresses are invalid.
    reject "pte/method/buffer-sizes-absent": "non_const_buffer_sizes absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 8, 0);

    /// The list of chains is absent. A reader dereferences a null pointer, or treats the absent list as empty and
    /// returns outputs that no instruction computed.
    reject "pte/method/chains-absent": "chains absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 5, 0);

    /// The list of chains is present, and the offset to a chain still follows the count of 0. A reader that takes the
    /// first chain without a check runs normally.
    reject "pte/method/chains-empty": "chains empty" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", 0);

    /// The list of instructions is absent; a chain that does nothing has an empty list. Each step of a run dereferences
    /// a null pointer to get the count.
    reject "pte/method/instructions-absent": "instructions absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0]", 2, 0);

    /// The only kernel call uses operator 0, but the list of operators is absent. A reader that compares the index with
    /// the count dereferences a null pointer when it loads the method.
    reject "pte/method/operators-absent": "operators absent but called" breaks rules::PLAN_OPERATORS_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.own_slot("execution_plan[0]", 6, 0);

    /// A host that lists a method's backends before it loads the method dereferences a null pointer. For this host, a
    /// check on load comes too late.
    reject "pte/method/delegates-absent": "delegates absent" breaks rules::PLAN_DELEGATES_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#22404", "pytorch/executorch#22405"]
        => |file| file.own_slot("execution_plan[0]", 7, 0);

    /// The table describes the nesting of the outputs, and the method runs without the table. The one accessor that
    /// needs the table dereferences a null pointer or fails late.
    either "pte/method/container-meta-absent": "container_meta_type absent" about rules::PLAN_CONTAINER_META,
        from "pte/valid/constants", refs ["pytorch/executorch#16704"]
        => |file| file.own_slot("execution_plan[0]", 1, 0);

    /// The method has 15 values, and the chain's input is 15. The runtime ignores a chain's inputs; a tool that draws
    /// or splits the graph reads past the table.
    either "pte/method/chain-input-past-end": "chain input past the values" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].inputs", 0, &15_i32.to_le_bytes());

    /// The runtime ignores a chain's outputs, but tools that draw the graph use the outputs. In languages where −1 is
    /// the last element, the drawing is wrong without an error.
    either "pte/method/chain-output-negative": "chain output −1" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].outputs", 0, &(-1_i32).to_le_bytes());

    /// The chain has five instructions and four call stacks. A debugger that indexes stacks by instruction number
    /// reads past the list.
    either "pte/method/stacktrace-short": "fewer call stacks than instructions" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 4);

    /// The method has four values and the input is 4, so an off-by-one check accepts the index. Readers do not use the
    /// index when they load the method; when the caller sets the input, the reader writes past the table.
    reject "pte/method/input-past-end": "input one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &4_i32.to_le_bytes());

    /// As a signed integer, −1 is below the number of values. When the caller sets the input, the reader uses memory
    /// before the table as its destination.
    reject "pte/method/input-negative": "input −1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &(-1_i32).to_le_bytes());

    /// In 32 bits, −2^31 is its own negation, so a check of the absolute value passes.
    reject "pte/method/input-min": "input −2^31" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &i32::MIN.to_le_bytes());

    /// The method has four values and the output is 4. The method loads and runs, and the caller then gets the memory
    /// after the table as the result.
    reject "pte/method/output-past-end": "output one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &4_i32.to_le_bytes());

    /// As a signed integer, −1 is below the number of values. The caller gets the memory before the table as the
    /// result.
    reject "pte/method/output-negative": "output −1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &(-1_i32).to_le_bytes());

    /// Multiplied by the size of a value, the index wraps in 32 bits to the slot before the first. The run succeeds,
    /// and its result comes from that slot.
    reject "pte/method/output-max": "output 2^31 − 1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &i32::MAX.to_le_bytes());

    /// The items of a list are other values of the method, which a caller cannot set. A reader that copies the input's
    /// bytes over the list overwrites the list's pointers.
    reject "pte/method/input-list": "IntList as an input" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].inputs", 0, &8_i32.to_le_bytes());

    /// The output is a list of tensors. The caller gets indices that it cannot resolve or pointers that it does not
    /// own.
    reject "pte/method/output-tensor-list": "TensorList as an output" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, &11_i32.to_le_bytes());

    /// OptionalTensorList is the last value type. A reader that rejects list types one by one may miss this type and
    /// return tensors that the method owns.
    reject "pte/method/output-optional-tensor-list": "OptionalTensorList as an output" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, &12_i32.to_le_bytes());

    /// Setting the input overwrites the weights of all methods or faults on a read-only mapping. Every index is
    /// valid, so only a check of the tensor's storage detects it.
    reject "pte/method/input-constant": "constant as an input" breaks rules::PLAN_INPUTS_NONCONST,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].inputs", 0, &0_i32.to_le_bytes());

    /// Setting the input overwrites a data file that other programs may share. The constant's `data_buffer_idx` is 0,
    /// so a reader that identifies constants by `data_buffer_idx` does not detect the constant.
    reject "pte/method/input-external-constant": "constant of a data file as an input"
        breaks rules::PLAN_INPUTS_NONCONST,
        from "pte/valid/external-constants"
        => |file| file.elements("execution_plan[0].inputs", 0, &0_i32.to_le_bytes());

    /// Both inputs are value 1, so the second write overwrites the first. The order of calls decides which input is
    /// lost.
    either "pte/method/input-twice": "one value as two inputs" about rules::PLAN_INPUTS_DISTINCT,
        from "pte/valid/two-inputs" => |file| file.elements("execution_plan[0].inputs", 4, &1_i32.to_le_bytes());

    /// As an unsigned integer, the size is almost 2^64. The allocation fails, or the aligned size wraps to a few bytes.
    /// The host allocates the buffer, so loading the method does not check the size.
    reject "pte/method/buffer-size-negative": "planned buffer of −1 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &(-1_i64).to_le_bytes());

    /// In 64 bits, −2^63 is its own negation, so a check of the absolute value passes. As an unsigned integer, the size
    /// is 2^63.
    reject "pte/method/buffer-size-min": "planned buffer of −2^63 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &i64::MIN.to_le_bytes());

    /// Entry 0 is reserved but has a size. A host that allocates every entry, or counts buffers from 0, assigns the
    /// wrong buffers.
    either "pte/method/buffer-0-not-empty": "bytes in the reserved planned buffer" about rules::PLAN_NCB_FIRST_ZERO,
        from "pte/valid/constants"
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 0, &64_i64.to_le_bytes());

    /// A file of 784 bytes requests a petabyte. A host that allocates without a limit fails, or fails late where
    /// the system commits memory lazily.
    either "pte/method/buffer-size-huge": "planned buffer of 2^50 bytes" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/constants", refs ["pytorch/executorch#7678"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &(1_i64 << 50).to_le_bytes());

    /// Each size is the largest signed integer, and the total is −2, below every limit. Rounded up to an alignment, the
    /// total wraps to 0.
    either "pte/method/buffer-sizes-wrap": "planned buffers whose total size wraps" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/buffer-devices" => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, &i64::MAX.to_le_bytes());
            file.elements("execution_plan[0].non_const_buffer_sizes", 16, &i64::MAX.to_le_bytes());
        };

    /// Buffer 0 is reserved and has no device. A reader that counts buffers from 0 assigns the device to the first
    /// buffer and no device to buffer 2.
    reject "pte/method/buffer-device-of-0": "device for planned buffer 0" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 0_i32);

    /// As a signed integer, −1 is below the number of buffers, so a reader writes before its table of devices. As an
    /// unsigned integer, −1 is almost 2^32, and no search finds the entry.
    reject "pte/method/buffer-device-of-minus-1": "device for planned buffer −1" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", -1_i32);

    /// The planned buffers are 1 and 2, and the device is for buffer 3. A reader that fills a table by buffer index
    /// writes past its end.
    reject "pte/method/buffer-device-past-end": "device for a planned buffer past the list"
        breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 3_i32);

    /// Both devices are for buffer 1, and buffer 2 has no device. A search finds the first device, and a table keeps
    /// the last, so host and reader may disagree.
    reject "pte/method/buffer-device-twice": "two devices for one planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 1_i32);

    /// The schema defines CPU (0) and CUDA (1). A reader that tests for only one type assumes the other.
    reject "pte/method/buffer-device-type-2": "device type 2 of a planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 2_i8);

    /// A check of the upper end accepts −1. As an index into a table of allocators, −1 precedes the first entry.
    reject "pte/method/buffer-device-type-minus-1": "device type −1 of a planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", -1_i8);

    /// For a GPU, the index selects the device, and −1 is not a valid index. For −1, some interfaces use the current
    /// device instead, which depends on earlier calls.
    reject "pte/method/buffer-device-index-minus-1": "device index −1 off the host" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/host-device-index-minus-1"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 1_i8);
}
