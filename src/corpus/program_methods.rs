//! Cases about a program and its methods: required fields, inputs, outputs and planned buffers.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::program as rules;

fn two_methods() -> base::BaseBytes {
    let method = |name: &str| base::plan(base::constant(1)).with("name", name);
    base::program(vec![method("decode"), method("encode")])
}

/// The method returns its input, and has no operators or delegates.
fn without_instructions() -> base::BaseBytes {
    let plan = base::plan(base::planned(0))
        .with("outputs", vec![1])
        .with("chains", vec![base::chain(Vec::new())])
        .without("operators");
    base::write_program(&base::headerless_tree().with("execution_plan", vec![plan]), &[])
}

/// Inputs and outputs of every allowed type.
fn every_end() -> base::BaseBytes {
    let values = [
        base::constant(1),
        base::planned(0),
        base::planned(16),
        base::int(1),
        base::boolean(true),
        base::double(0.5),
        base::string("text"),
        TableTree::new(pte::Null::TYPE),
    ];
    let method = base::method(values);
    base::program(vec![method.with("inputs", vec![1, 3, 4, 5, 6, 7]).with("outputs", vec![2, 3, 4, 5, 6, 7, 0])])
}

fn no_inputs() -> base::BaseBytes {
    base::program(vec![base::plan(base::constant(1)).with("inputs", Vec::<i32>::new())])
}

fn two_inputs() -> base::BaseBytes {
    let values = [base::constant(1), base::planned(0), base::planned(16), base::int(1), base::planned(32)];
    let method = base::method(values)
        .with("inputs", vec![1, 4])
        .with("chains", vec![base::chain(vec![base::kernel_call(), base::add([2, 4, 3, 2, 2])])])
        .with("non_const_buffer_sizes", vec![0_i64, 48]);
    base::program(vec![method])
}

/// The caller must provide the memory.
fn without_planned_memory() -> base::BaseBytes {
    let method = base::method([base::constant(1), base::tensor(&[2, 2]), base::tensor(&[2, 2]), base::int(1)]);
    base::program(vec![method.with("non_const_buffer_sizes", Vec::<i64>::new())])
}

/// Tensors use only the first of two buffers.
fn buffer_devices() -> base::BaseBytes {
    let plan = base::plan(base::constant(1))
        .with("non_const_buffer_sizes", vec![0_i64, 32, 64])
        .with("non_const_buffer_device", vec![base::device(1), base::device(2)]);
    base::program(vec![plan])
}

cases! {
    /// A reader that looks only for `forward`, or always uses the first method, never finds the second.
    build "pte/valid/two-methods": "two methods with one constant" shows rules::PLAN_NAME_UNIQUE => two_methods;

    /// The method returns its input, so its chain is empty and it needs no operators. A reader that requires at least
    /// one instruction or operator rejects the file.
    build "pte/valid/no-instructions": "chain without instructions, no operators" shows rules::PLAN_OPERATORS_NONNULL
        => without_instructions;

    /// There is an input and an output of every allowed type, and one output is a constant. A reader that supports only
    /// tensors rejects the file.
    build "pte/valid/inputs-of-every-type": "inputs and outputs of every type" shows rules::PLAN_IO_TYPES => every_end;

    /// Each of the two inputs has a value and memory of its own. A reader with one buffer for all inputs overwrites the
    /// first with the second.
    build "pte/valid/two-inputs": "two inputs" shows rules::PLAN_INPUTS_DISTINCT => two_inputs;

    /// The caller provides all memory, so the list of buffer sizes is empty. A reader that subtracts 1 for the reserved
    /// first entry must handle an empty list.
    build "pte/valid/no-planned-memory": "no planned buffers" shows rules::PLAN_NCB => without_planned_memory;

    /// Both planned buffers are on the host. A reader that does not support devices must ignore the list.
    build "pte/valid/buffer-devices": "device for each planned buffer" shows rules::PLAN_NCB_DEVICE => buffer_devices;

    /// A host buffer's device index means nothing, so a reader must look at the device type before it checks the index.
    accept "pte/valid/host-device-index-minus-1": "device index −1 on the host" shows rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_index", -1_i8);

    /// Methods run without these strings, but code that uses them must check that they are there.
    accept "pte/valid/container-strings-absent": "container_meta_type without strings" shows rules::PLAN_CONTAINER_META,
        from "pte/valid/constants" => |file| {
            file.own_slot("execution_plan[0].container_meta_type", 0, 0);
            file.own_slot("execution_plan[0].container_meta_type", 1, 0);
        };

    /// No exporter has ever written version 1, so its tables may differ from those that readers know.
    reject "pte/program/version-1": "schema version 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"] => |file| file.scalar("version", 1_u32);

    /// Read as a signed integer, the version is −1, so a reader that rejects only versions above 0 accepts it.
    reject "pte/program/version-max": "schema version 2^32 − 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"]
        => |file| file.scalar("version", u32::MAX);

    /// FlatBuffers verifiers accept the absent list, so unless the reader itself checks for it, the first method
    /// look-up dereferences null.
    reject "pte/program/methods-absent": "execution_plan absent" breaks rules::PLAN_LIST_NONNULL,
        from "pte/valid/headerless", refs ["pytorch/executorch#1519"] => |file| file.slot("", 1, 0);

    /// A program without methods cannot run. Readers may reject it, or accept it and fail at every method look-up.
    build "pte/program/no-methods": "program without methods" about rules::PLAN_NONEMPTY
        => || base::program(Vec::new());

    /// The first method has no name, so a search for the second compares the requested name with null.
    reject "pte/method/name-absent": "method name absent" breaks rules::PLAN_NAME, from "pte/valid/two-methods",
        refs ["pytorch/executorch#16795"] => |file| file.own_slot("execution_plan[0]", 0, 0);

    /// Many hosts take an empty name to mean that no name was given, so they may run the wrong method.
    either "pte/method/name-empty": "empty method name" about rules::PLAN_NAME_NONEMPTY,
        from "pte/valid/two-methods" => |file| file.shorten("execution_plan[1].name", 0);

    /// Both methods are named `decode`. Some readers run the first one, and others run the last.
    either "pte/method/name-twice": "two methods with one name" about rules::PLAN_NAME_UNIQUE,
        from "pte/valid/two-methods" => |file| file.elements("execution_plan[1].name", 0, b"de");

    /// A reader that checks an index against the absent list's length dereferences null.
    reject "pte/method/values-absent": "values absent" breaks rules::PLAN_VALUES_NONNULL,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 2, 0);

    /// The list of inputs is empty. A reader that uses input 0 without a check reads past the list.
    build "pte/valid/method-without-inputs": "method without inputs" shows rules::PLAN_IO_NONNULL => no_inputs;

    /// The product of a tensor's sizes overflows before it reaches a size of 0. A reader that then looks for the tensor
    /// among the inputs searches an absent list.
    reject "pte/method/inputs-absent-beside-overflow": "inputs absent beside a tensor whose size overflows"
        breaks rules::PLAN_IO_NONNULL, by Method, from "pte/valid/tensor-fields" => |file| {
            file.own_slot("execution_plan[0]", 3, 0);
            file.elements("execution_plan[0].values[2].val.sizes", 0, [i32::MAX; 3]);
            file.elements("execution_plan[0].values[2].val.sizes", 12, &[0; 4]);
            file.scalar("execution_plan[0].values[2].val.shape_dynamism", 1_i8);
        };

    /// A method without inputs needs an empty list. If the list is absent, a reader that takes its length dereferences null.
    reject "pte/method/inputs-absent": "inputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 3, 0);

    /// A method without outputs needs an empty list. If the list is absent, a reader that takes its length dereferences null.
    reject "pte/method/outputs-absent": "outputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 4, 0);

    /// Two tensors use planned buffer 1. A host that treats the absent list as empty gives them no memory.
    reject "pte/method/buffer-sizes-absent": "non_const_buffer_sizes absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 8, 0);

    /// A reader that treats the absent list as empty runs nothing and returns outputs that were never computed.
    reject "pte/method/chains-absent": "chains absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 5, 0);

    /// The count is 0, but the offset to the chain still follows it, so a reader that ignores the count seems to work.
    reject "pte/method/chains-empty": "chains empty" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", 0);

    /// A chain that does nothing needs an empty list. If the list is absent, a reader that takes its length dereferences null.
    reject "pte/method/instructions-absent": "instructions absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0]", 2, 0);

    /// A kernel call uses operator 0. A reader that checks this index against the absent list's length dereferences null.
    reject "pte/method/operators-absent": "operators absent but called" breaks rules::PLAN_OPERATORS_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.own_slot("execution_plan[0]", 6, 0);

    /// A method without delegates needs an empty list. If the list is absent, a host that asks for the backends before
    /// it loads the method dereferences null.
    reject "pte/method/delegates-absent": "delegates absent" breaks rules::PLAN_DELEGATES_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#22404", "pytorch/executorch#22405"]
        => |file| file.own_slot("execution_plan[0]", 7, 0);

    /// Methods run without this table, but a caller that asks how the outputs are nested has to get an error.
    either "pte/method/container-meta-absent": "container_meta_type absent" about rules::PLAN_CONTAINER_META,
        from "pte/valid/constants", refs ["pytorch/executorch#16704"]
        => |file| file.own_slot("execution_plan[0]", 1, 0);

    /// The runtime ignores a chain's inputs, but tools that draw the graph look up value 15, and only values 0 to 14 exist.
    either "pte/method/chain-input-past-end": "chain input past the values" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].chains[0].inputs", 0, 15_i32);

    /// The runtime ignores a chain's outputs, but tools that draw the graph read the memory before the values or, in
    /// languages with negative indices, the last value.
    either "pte/method/chain-output-negative": "chain output index −1" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].chains[0].outputs", 0, -1_i32);

    /// There are five instructions but only four call stacks. A debugger that uses an instruction's index reads past the list.
    either "pte/method/stacktrace-short": "fewer call stacks than instructions" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 4);

    /// The input is value 4, but only values 0 to 3 exist. Setting it without a check writes past the values.
    reject "pte/method/input-past-end": "input one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, 4_i32);

    /// If only the upper limit is checked, −1 passes, and setting the input writes to the memory before the values.
    reject "pte/method/input-negative": "input index −1" breaks rules::PLAN_IO_RANGE, from "pte/valid/constants",
        refs ["pytorch/executorch#1572"] => |file| file.elements("execution_plan[0].inputs", 0, -1_i32);

    /// The absolute value of −2^31 does not fit into 32 bits and stays negative, so it also passes a check of the upper limit.
    reject "pte/method/input-min": "input index −2^31" breaks rules::PLAN_IO_RANGE, from "pte/valid/constants",
        refs ["pytorch/executorch#1572"] => |file| file.elements("execution_plan[0].inputs", 0, i32::MIN);

    /// The output is value 4, but only values 0 to 3 exist, so the caller gets the memory after them.
    reject "pte/method/output-past-end": "output one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, 4_i32);

    /// If only the upper limit is checked, −1 passes, and the caller gets the memory before the values.
    reject "pte/method/output-negative": "output index −1" breaks rules::PLAN_IO_RANGE, from "pte/valid/constants",
        refs ["pytorch/executorch#1572"] => |file| file.elements("execution_plan[0].outputs", 0, -1_i32);

    /// Multiplied by the size of a value in 32-bit arithmetic, the index wraps to the position before the first value.
    reject "pte/method/output-max": "output index 2^31 − 1" breaks rules::PLAN_IO_RANGE, from "pte/valid/constants",
        refs ["pytorch/executorch#1572"] => |file| file.elements("execution_plan[0].outputs", 0, i32::MAX);

    /// A list refers to other values, so a caller cannot set it. Copying bytes over the list overwrites its pointers.
    reject "pte/method/input-list": "IntList as an input" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].inputs", 0, 8_i32);

    /// The list's items are other values in the method, which the caller cannot reach.
    either "pte/method/output-tensor-list": "TensorList as an output" about rules::PLAN_OUTPUT_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, 11_i32);

    /// This type comes last in the schema and is easy to forget when a reader lists the types that a method should not return.
    either "pte/method/output-optional-tensor-list": "OptionalTensorList as an output" about rules::PLAN_OUTPUT_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, 12_i32);

    /// Setting this input overwrites the weights for every method, or faults if the file is mapped read-only.
    reject "pte/method/input-constant": "constant as an input" breaks rules::PLAN_INPUTS_NONCONST,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].inputs", 0, 0_i32);

    /// Setting this constant changes data that other programs also use. Its `data_buffer_idx` is 0, so only its
    /// location shows that it has data.
    reject "pte/method/input-external-constant": "constant of a data file as an input"
        breaks rules::PLAN_INPUTS_NONCONST, from "pte/valid/external-constants"
        => |file| file.elements("execution_plan[0].inputs", 0, 0_i32);

    /// Both inputs are value 1, so the second overwrites the first. Some readers reject this.
    either "pte/method/input-twice": "one value as two inputs" about rules::PLAN_INPUTS_DISTINCT,
        from "pte/valid/two-inputs" => |file| file.elements("execution_plan[0].inputs", 4, 1_i32);

    /// Read as an unsigned number, the size is almost 2^64, which wraps when it is rounded up to an alignment.
    reject "pte/method/buffer-size-negative": "planned buffer of −1 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, -1_i64);

    /// The absolute value of −2^63 does not fit into 64 bits and stays negative, so a reader must check the sign.
    reject "pte/method/buffer-size-min": "planned buffer of −2^63 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, i64::MIN);

    /// Entry 0 is reserved, but here it is 64. A host that allocates a buffer for every entry can give tensors the wrong one.
    either "pte/method/buffer-0-not-empty": "bytes in the reserved planned buffer" about rules::PLAN_NCB_FIRST_ZERO,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 0, 64_i64);

    /// A 784-byte file asks for 2^50 bytes of memory. If the host sets no limit, the allocation fails, or the host runs
    /// out of memory later.
    either "pte/method/buffer-size-huge": "planned buffer of 2^50 bytes" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/constants", refs ["pytorch/executorch#7678"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, 1_i64 << 50);

    /// Both sizes are 2^63 − 1. In signed arithmetic, their sum wraps to −2, which is below every limit.
    either "pte/method/buffer-sizes-wrap": "planned buffers whose total size wraps" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/buffer-devices" => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, i64::MAX);
            file.elements("execution_plan[0].non_const_buffer_sizes", 16, i64::MAX);
        };

    /// Buffer 0 is reserved. A reader that numbers planned buffers from 0 assigns the device to the wrong buffer.
    reject "pte/method/buffer-device-of-0": "device for planned buffer 0" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 0_i32);

    /// If only the upper limit is checked, −1 passes, and storing the device overwrites the memory before the reader's list.
    reject "pte/method/buffer-device-of-minus-1": "device for planned buffer −1" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", -1_i32);

    /// The last buffer is 2, but the entry is for buffer 3, so a reader that stores the device writes past its own list.
    reject "pte/method/buffer-device-past-end": "device for a planned buffer past the list"
        breaks rules::PLAN_NCB_DEVICE, from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 3_i32);

    /// Both entries are for buffer 1, and buffer 2 has none. Some readers use the first entry, and others use the last.
    reject "pte/method/buffer-device-twice": "two devices for one planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 1_i32);

    /// A later release may define this type. Readers may accept it, but must not treat it as CPU (0) or CUDA (1).
    either "pte/method/buffer-device-type-2": "device type 2 of a planned buffer" about rules::PLAN_NCB_DEVICE_KNOWN,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 2_i8);

    /// A reader that checks only the upper limit reads the memory before its own list of devices.
    reject "pte/method/buffer-device-type-minus-1": "device type −1 of a planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", -1_i8);

    /// A GPU's index is never negative. Some interfaces use −1 for the current device, which depends on earlier calls.
    reject "pte/method/buffer-device-index-minus-1": "device index −1 of a GPU" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/host-device-index-minus-1"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 1_i8);
}
