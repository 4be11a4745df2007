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

fn write(methods: Vec<TableTree>) -> base::BaseBytes {
    base::write_program(&program_of(methods), &[&base::constants_data()])
}

/// Two methods with one constant between them.
fn two_methods() -> base::BaseBytes {
    let method = |name: &str| base::plan(base::constant(1)).with("name", name);
    write(vec![method("decode"), method("encode")])
}

/// A method that hands its input on, without an operator or a delegate.
fn without_instructions() -> base::BaseBytes {
    let plan = base::plan(base::planned(0))
        .with("outputs", vec![1])
        .with("chains", vec![base::chain(Vec::new())])
        .without("operators");
    base::write_program(&base::headerless_tree().with("execution_plan", vec![plan]), &[])
}

/// A method whose inputs and outputs are of every type that can be.
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

/// A method with two inputs.
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

/// A method whose tensors have no place in planned memory: whoever calls it brings the memory.
fn without_planned_memory() -> base::BaseBytes {
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let values = [base::constant(1), base::tensor(&[2, 2]), base::tensor(&[2, 2]), alpha];
    let plan = base::plan(base::constant(1))
        .with("values", values.map(base::value).to_vec())
        .with("non_const_buffer_sizes", Vec::<i64>::new());
    write(vec![plan])
}

/// A method with two planned buffers, of which it uses one, and a device for each.
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
    /// Two methods in one file, as language models have them, and one constant for both. A reader that looks for
    /// `forward`, or takes the first method for the only one, cannot run it.
    build "pte/valid/two-methods": "two methods with one constant" shows rules::PLAN_NAME_UNIQUE => two_methods;

    /// A method whose output is its input: its chain has no instructions, and no list of operators is needed. A reader that
    /// wants one operator, or one instruction, refuses it.
    build "pte/valid/no-instructions": "chain without instructions, no operators" shows rules::PLAN_OPERATORS_NONNULL
        => without_instructions;

    /// A tensor, an integer, a bool, a float, a string and nothing at all as inputs and as outputs, and a constant among the
    /// outputs. Lists alone cannot be handed over.
    build "pte/valid/inputs-of-every-type": "inputs and outputs of every type" shows rules::PLAN_IO_TYPES => every_end;

    /// Two inputs, each with a value and a place of its own. A reader that keeps one buffer for what callers set, or
    /// sets inputs by the order of the values, mixes them up.
    build "pte/valid/two-inputs": "two inputs" shows rules::PLAN_INPUTS_DISTINCT => two_inputs;

    /// No planned memory at all, not even the reserved entry of the list: input and output are the caller's. A reader that
    /// takes the list's length less one for the number of buffers has 2^64 − 1 of them.
    build "pte/valid/no-planned-memory": "no planned buffers" shows rules::PLAN_NCB => without_planned_memory;

    /// A device for each planned buffer, as exporters write them since they can plan memory for more than the host.
    /// Both are the host's, so a reader that does not know the field loses nothing, and one that refuses it refuses new
    /// files.
    build "pte/valid/buffer-devices": "a device for each planned buffer" shows rules::PLAN_NCB_DEVICE => buffer_devices;

    /// On the host the index of a buffer's device has no meaning, and −1 says so. A reader that looks at the index
    /// before the kind of device refuses it.
    accept "pte/valid/host-device-index-minus-1": "device index −1 on the host" shows rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_index", -1_i8);

    /// The table that tells how inputs and outputs were nested is there, and its two strings are not. One accessor
    /// needs them and nothing else does, so a reader that demands them refuses a method that runs.
    accept "pte/valid/container-strings-absent": "container_meta_type without strings" shows rules::PLAN_CONTAINER_META,
        from "pte/valid/constants" => |file| {
            file.own_slot("execution_plan[0].container_meta_type", 0, 0);
            file.own_slot("execution_plan[0].container_meta_type", 1, 0);
        };

    /// A version of the tables' meaning that no exporter has written. Nothing but this number may tell the file from one that
    /// the reader knows.
    reject "pte/program/version-1": "version 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"] => |file| file.scalar("version", 1_u32);

    /// With a sign it is −1, and passes a reader that only refuses versions above its own. Nothing else in the file
    /// tells that its tables may mean something else.
    reject "pte/program/version-max": "version 2^32 − 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"] => |file| file.scalar("version", u32::MAX);

    /// Every question about a method begins with this list. The schema leaves it optional, so a verifier is content,
    /// and the first look-up goes through a null pointer.
    reject "pte/program/methods-absent": "execution_plan absent" breaks rules::PLAN_LIST_NONNULL,
        from "pte/valid/headerless", refs ["pytorch/executorch#1519"] => |file| file.slot("", 1, 0);

    /// The program opens and nothing in it is wrong, but every look-up of a method fails: whoever tests only that a
    /// file loads learns late that it can do nothing.
    build "pte/program/no-methods": "no method" about rules::PLAN_NONEMPTY => || write(Vec::new());

    /// A search for `encode` passes the method without a name on its way, and compares with a null pointer. That the
    /// name it looks for is right does not help.
    reject "pte/method/name-absent": "name absent" breaks rules::PLAN_NAME,
        from "pte/valid/two-methods", refs ["pytorch/executorch#16795"] => |file| file.own_slot("execution_plan[0]", 0, 0);

    /// A name of no letters, which many programs take for no name given: the method is run by accident, or never.
    either "pte/method/name-empty": "empty name" about rules::PLAN_NAME_NONEMPTY,
        from "pte/valid/two-methods" => |file| {
            file.elements("execution_plan[1].name", 0, &[0]);
            file.count("execution_plan[1].name", 0);
        };

    /// Both methods are called `decode`. A search from the front runs the first and a dictionary keeps the last, so a
    /// file that was examined in one reader runs as another in the next.
    either "pte/method/name-twice": "two methods of one name" about rules::PLAN_NAME_UNIQUE,
        from "pte/valid/two-methods" => |file| file.elements("execution_plan[1].name", 0, b"de");

    /// Inputs, outputs, lists and instructions all are indexes of the values. Each is held against their number, which
    /// is read through a null pointer.
    reject "pte/method/values-absent": "values absent" breaks rules::PLAN_VALUES_NONNULL,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 2, 0);

    /// A method without inputs has an empty list of them. Where there is none, their number is read through a null
    /// pointer, and sizes the list of inputs that are yet to be set.
    reject "pte/method/inputs-absent": "inputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 3, 0);

    /// No list of outputs. A host asks for their number first, by an accessor that returns a number and has no way to
    /// report an error: it reads it through a null pointer.
    reject "pte/method/outputs-absent": "outputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 4, 0);

    /// Two tensors of the method are in planned buffer 1. A host that takes an absent list for an empty one prepares no
    /// memory, and their addresses are computed from a buffer that nobody made.
    reject "pte/method/buffer-sizes-absent": "non_const_buffer_sizes absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 8, 0);

    /// The number of chains is read through a null pointer. A reader that takes the absence for none ends a run before
    /// it begins, with outputs that nobody has computed.
    reject "pte/method/chains-absent": "chains absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 5, 0);

    /// The list is present, which is what a careless reader asks, and behind its count of 0 still stands the reference
    /// to the chain: one that takes the first without counting runs as if nothing were wrong.
    reject "pte/method/chains-empty": "chains empty" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", 0);

    /// A chain that does nothing has an empty list of instructions. Their number is asked for at each step of a run,
    /// through a null pointer where the list is absent.
    reject "pte/method/instructions-absent": "instructions absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0]", 2, 0);

    /// The one kernel call names operator 0. The number of operators that this is held against is read through a null
    /// pointer when the method is prepared.
    reject "pte/method/operators-absent": "operators absent, and called" breaks rules::PLAN_OPERATORS_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.own_slot("execution_plan[0]", 6, 0);

    /// Hosts ask which backends a method uses before they prepare it, and walk this list through a null pointer. The
    /// check that preparing makes comes too late for them.
    reject "pte/method/delegates-absent": "delegates absent" breaks rules::PLAN_DELEGATES_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#22404", "pytorch/executorch#22405"]
        => |file| file.own_slot("execution_plan[0]", 7, 0);

    /// It tells how the outputs were nested in the exported module. The method runs without it; a host that asks for
    /// the nesting, by the one accessor that needs it, follows a null pointer or gets an error late.
    either "pte/method/container-meta-absent": "container_meta_type absent" about rules::PLAN_CONTAINER_META,
        from "pte/valid/constants", refs ["pytorch/executorch#16704"] => |file| file.own_slot("execution_plan[0]", 1, 0);

    /// The method has fifteen values, and the chain says that it begins with number 15. Nothing that runs looks at it;
    /// a tool that draws or cuts the graph reads a value from behind the table.
    either "pte/method/chain-input-past-end": "input of a chain past the values" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].inputs", 0, &15_i32.to_le_bytes());

    /// No run looks at a chain's outputs, but tools that draw the graph do. In languages that count negative indexes
    /// from the end, −1 is the last value, and the drawing is wrong without an error.
    either "pte/method/chain-output-negative": "output of a chain −1" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything"
        => |file| file.elements("execution_plan[0].chains[0].outputs", 0, &(-1_i32).to_le_bytes());

    /// Five instructions and four call stacks. A debugger that takes the number of the instruction that failed for the
    /// stack's reads behind the list at the last one, and nothing that runs notices.
    either "pte/method/stacktrace-short": "fewer call stacks than instructions" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 4);

    /// The method has four values and its input is number 4, which a comparison that allows the count passes. Preparing
    /// the method needs no input, so it shows when the caller sets one: behind the table.
    reject "pte/method/input-past-end": "input one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &4_i32.to_le_bytes());

    /// With its sign, −1 is below the number of values. Nobody asks until the caller sets the input, and then its bytes
    /// are copied to where something in front of the table leads.
    reject "pte/method/input-negative": "input −1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &(-1_i32).to_le_bytes());

    /// The most negative number. Made positive it is itself again, so a reader that checks its amount finds nothing wrong.
    reject "pte/method/input-min": "input −2^31" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, &i32::MIN.to_le_bytes());

    /// The method has four values and its output is number 4. It is prepared and runs to its end, and only then the
    /// caller is handed what lies behind the table.
    reject "pte/method/output-past-end": "output one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &4_i32.to_le_bytes());

    /// Minus one. The result that the caller takes is then whatever stands before the values in memory.
    reject "pte/method/output-negative": "output −1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &(-1_i32).to_le_bytes());

    /// Times the size of a value, an even number, it wraps in 32 bits to the place in front of the first. The run
    /// itself is not disturbed; it is the result that comes from there.
    reject "pte/method/output-max": "output 2^31 − 1" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, &i32::MAX.to_le_bytes());

    /// A list of integers as an input: its items are other values of the method, which no caller can set. A reader that
    /// copies by size alone writes the caller's bytes over the list's own pointers.
    reject "pte/method/input-list": "list as an input" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].inputs", 0, &8_i32.to_le_bytes());

    /// A list of tensors as an output: the caller gets indexes of values that it cannot see, or pointers that it does not
    /// own.
    reject "pte/method/output-tensor-list": "list of tensors as an output" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, &11_i32.to_le_bytes());

    /// It is the last of the types. A reader that refuses the list types that it knows, one by one, hands this one out:
    /// tensors that the method owns, and holes between them.
    reject "pte/method/output-optional-tensor-list": "list of optional tensors as an output" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, &12_i32.to_le_bytes());

    /// What the caller sets is copied to where the tensor's data are: over the weights of all methods, or into a
    /// mapping that is read-only. No index is wrong, so only a reader that asks for the tensor's kind sees it.
    reject "pte/method/input-constant": "constant as an input" breaks rules::PLAN_INPUTS_NONCONST,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].inputs", 0, &0_i32.to_le_bytes());

    /// What the caller sets is written over the bytes of a data file, which other programs may have in memory as well.
    /// A reader that knows constants only by `data_buffer_idx`, which is 0 for this one, does not see it.
    reject "pte/method/input-external-constant": "constant of a data file as an input"
        breaks rules::PLAN_INPUTS_NONCONST,
        from "pte/valid/external-constants" => |file| file.elements("execution_plan[0].inputs", 0, &0_i32.to_le_bytes());

    /// Both inputs are value 1, and what is set last is what both are. The caller's first input is lost without an
    /// error, and which one that is depends on the order of the calls.
    either "pte/method/input-twice": "one value as two inputs" about rules::PLAN_INPUTS_DISTINCT,
        from "pte/valid/two-inputs" => |file| file.elements("execution_plan[0].inputs", 4, &1_i32.to_le_bytes());

    /// −1 bytes are almost 2^64 without a sign, and an allocation of that fails or, with room for alignment added,
    /// wraps to a few bytes. Preparing the method asks for no size; the host does.
    reject "pte/method/buffer-size-negative": "planned buffer of −1 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &(-1_i64).to_le_bytes());

    /// −2^63 is its own negation, so a reader that takes the amount of a size, or tests its negation for a sign, finds
    /// nothing wrong. Without a sign it is 2^63.
    reject "pte/method/buffer-size-min": "planned buffer of −2^63 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &i64::MIN.to_le_bytes());

    /// Bytes in the entry that is none. A host that allocates every entry, or counts buffers from 0, is off by it.
    either "pte/method/buffer-0-not-empty": "bytes in the reserved planned buffer" about rules::PLAN_NCB_FIRST_ZERO,
        from "pte/valid/constants"
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 0, &64_i64.to_le_bytes());

    /// A file of 784 bytes that asks for a petabyte. A host that allocates what it is told dies of it, or fails late
    /// where memory is lent lazily.
    either "pte/method/buffer-size-huge": "planned buffer of 2^50 bytes" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/constants", refs ["pytorch/executorch#7678"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, &(1_i64 << 50).to_le_bytes());

    /// Each size is the largest with a sign, and together they are 2^64 − 2: −2 with a sign, so that the sum is below
    /// every limit. Rounded up to an alignment first, it wraps to 0.
    either "pte/method/buffer-sizes-wrap": "planned buffers whose sum wraps" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/buffer-devices" => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, &i64::MAX.to_le_bytes());
            file.elements("execution_plan[0].non_const_buffer_sizes", 16, &i64::MAX.to_le_bytes());
        };

    /// Entry 0 of the planned buffers is reserved, so this says where nothing is. A reader that counts buffers from 0
    /// takes it for the first one's device, and buffer 2 has none left.
    reject "pte/method/buffer-device-of-0": "device of planned buffer 0" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 0_i32);

    /// With its sign, −1 is below the number of buffers: a table of devices is written in front of its first entry.
    /// Without one it is past every list, and a search never meets it.
    reject "pte/method/buffer-device-of-minus-1": "device of planned buffer −1" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", -1_i32);

    /// There are planned buffers 1 and 2, and this is the device of 3. A reader that fills a table of devices by this
    /// number writes behind the table's end; one that searches the list never meets it.
    reject "pte/method/buffer-device-past-end": "device of a planned buffer past the list" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 3_i32);

    /// Two entries are buffer 1's, and buffer 2 has none. A search finds the first, a table that is filled in order
    /// keeps the last: with two devices in them, host and reader disagree whose memory it is.
    reject "pte/method/buffer-device-twice": "two devices of one planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 1_i32);

    /// The schema knows a CPU and a CUDA device, 0 and 1. A reader that asks for one of the two takes it for the other:
    /// memory of the host, or of a device that it is not.
    reject "pte/method/buffer-device-type-2": "device type 2" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 2_i8);

    /// A comparison with the last kind of device alone lets −1 pass. As an index into a table of allocators it is in
    /// front of the first.
    reject "pte/method/buffer-device-type-minus-1": "device type −1" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", -1_i8);

    /// Off the host the index says which of several GPUs, and −1 is none; some interfaces take it for the current one,
    /// which depends on what the process did before.
    reject "pte/method/buffer-device-index-minus-1": "device index −1 off the host" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/host-device-index-minus-1"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 1_i8);
}
