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

/// The method returns its input, and has no operators and no delegates.
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
    /// The file is valid: a program may have several methods. If a reader expects a method with the name `forward`, or
    /// always uses the first method, it does not find the requested method.
    build "pte/valid/two-methods": "two methods with one constant" shows rules::PLAN_NAME_UNIQUE => two_methods;

    /// The file is valid: the method returns its input, so its chain has no instructions and the method has no
    /// operators. A reader that requires an instruction or an operator rejects the file.
    build "pte/valid/no-instructions": "chain without instructions, no operators" shows rules::PLAN_OPERATORS_NONNULL
        => without_instructions;

    /// The file is valid: its inputs and outputs have every allowed type, and one output is a constant. A reader that
    /// supports only tensors rejects the file.
    build "pte/valid/inputs-of-every-type": "inputs and outputs of every type" shows rules::PLAN_IO_TYPES => every_end;

    /// The file is valid: its two inputs have separate values and memory. A reader that uses one buffer for all inputs
    /// overwrites the first input with the second input.
    build "pte/valid/two-inputs": "two inputs" shows rules::PLAN_INPUTS_DISTINCT => two_inputs;

    /// The file is valid: the list of buffer sizes is empty, because the caller provides all memory. The first entry of
    /// the list is reserved, so the number of buffers is one less than the number of entries. A reader must check that
    /// the list is not empty before it subtracts 1.
    build "pte/valid/no-planned-memory": "no planned buffers" shows rules::PLAN_NCB => without_planned_memory;

    /// The file is valid: each planned buffer has a device, and both devices are the host. A reader that does not
    /// support devices must ignore the list of devices.
    build "pte/valid/buffer-devices": "device for each planned buffer" shows rules::PLAN_NCB_DEVICE => buffer_devices;

    /// The device index of a buffer on the host is −1. The file is valid, because the index has no meaning on the host.
    /// A reader must check the device type before it checks the index.
    accept "pte/valid/host-device-index-minus-1": "device index −1 on the host" shows rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_index", -1_i8);

    /// The table `container_meta_type` has no strings. The file is valid, because methods run without the strings of
    /// `container_meta_type`. A reader must check for absent strings before it uses the strings.
    accept "pte/valid/container-strings-absent": "container_meta_type without strings" shows rules::PLAN_CONTAINER_META,
        from "pte/valid/constants" => |file| {
            file.own_slot("execution_plan[0].container_meta_type", 0, 0);
            file.own_slot("execution_plan[0].container_meta_type", 1, 0);
        };

    /// The schema version is 1, which no exporter has written. A reader must reject unknown versions, because the
    /// tables of another version can differ.
    reject "pte/program/version-1": "schema version 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"] => |file| file.scalar("version", 1_u32);

    /// The schema version is 2^32 − 1. As a signed integer, the version is −1, so a reader that rejects only versions
    /// above 0 accepts the file.
    reject "pte/program/version-max": "schema version 2^32 − 1" breaks rules::PROG_VERSION_ZERO,
        from "pte/valid/explicit-defaults", refs ["pytorch/executorch#22114"]
        => |file| file.scalar("version", u32::MAX);

    /// The list of methods is absent. FlatBuffers verifiers allow an absent list, so a reader must check separately
    /// that the field is present. A reader without a null check dereferences a null pointer at the first lookup.
    reject "pte/program/methods-absent": "execution_plan absent" breaks rules::PLAN_LIST_NONNULL,
        from "pte/valid/headerless", refs ["pytorch/executorch#1519"] => |file| file.slot("", 1, 0);

    /// The program has no methods, so it cannot run. Readers may reject the program, or accept the program and report
    /// an error at each lookup.
    build "pte/program/no-methods": "program without methods" about rules::PLAN_NONEMPTY
        => || base::program(Vec::new());

    /// The first method has no name. A lookup of the second method compares the requested name with a null pointer.
    reject "pte/method/name-absent": "method name absent" breaks rules::PLAN_NAME, from "pte/valid/two-methods",
        refs ["pytorch/executorch#16795"] => |file| file.own_slot("execution_plan[0]", 0, 0);

    /// The name of a method is empty. Many hosts treat an empty name as an omitted name, so these hosts can run the
    /// wrong method.
    either "pte/method/name-empty": "empty method name" about rules::PLAN_NAME_NONEMPTY,
        from "pte/valid/two-methods" => |file| file.shorten("execution_plan[1].name", 0);

    /// Two methods have the name `decode`. Readers can return the first or the last method with this name, so two
    /// readers can run different methods.
    either "pte/method/name-twice": "two methods with one name" about rules::PLAN_NAME_UNIQUE,
        from "pte/valid/two-methods" => |file| file.elements("execution_plan[1].name", 0, b"de");

    /// The list of values is absent. If a reader compares an index with the number of values without a null check, it
    /// dereferences a null pointer.
    reject "pte/method/values-absent": "values absent" breaks rules::PLAN_VALUES_NONNULL,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 2, 0);

    /// The method has no inputs, and its list of inputs is empty. The file is valid. If a reader uses input 0 without a
    /// check, it reads past the empty list of inputs.
    build "pte/valid/method-without-inputs": "method without inputs" shows rules::PLAN_IO_NONNULL => no_inputs;

    /// The list of inputs is absent, and a tensor has the sizes 2^31 − 1, 2^31 − 1, 2^31 − 1 and 0. Multiplied from
    /// left to right, the product of the sizes overflows before the factor 0. A reader that detects the overflow can
    /// then search the list of inputs to learn whether the tensor is an input. Without a null check, this search
    /// dereferences a null pointer.
    reject "pte/method/inputs-absent-beside-overflow": "inputs absent beside a tensor whose size overflows"
        breaks rules::PLAN_IO_NONNULL, by Method, from "pte/valid/tensor-fields" => |file| {
            file.own_slot("execution_plan[0]", 3, 0);
            file.elements("execution_plan[0].values[2].val.sizes", 0, [i32::MAX; 3]);
            file.elements("execution_plan[0].values[2].val.sizes", 12, &[0; 4]);
            file.scalar("execution_plan[0].values[2].val.shape_dynamism", 1_i8);
        };

    /// The list of inputs is absent. A method without inputs must have an empty list. If a reader reads the number of
    /// inputs without a null check, it dereferences a null pointer.
    reject "pte/method/inputs-absent": "inputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 3, 0);

    /// The list of outputs is absent. A method without outputs must have an empty list. If a reader reads the number of
    /// outputs without a null check, it dereferences a null pointer.
    reject "pte/method/outputs-absent": "outputs absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 4, 0);

    /// The list of buffer sizes is absent, but two tensors use planned buffer 1. A host that treats the absent list as
    /// empty allocates nothing, so the tensors have no memory.
    reject "pte/method/buffer-sizes-absent": "non_const_buffer_sizes absent" breaks rules::PLAN_IO_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1519"] => |file| file.own_slot("execution_plan[0]", 8, 0);

    /// The list of chains is absent. A reader that treats the absent list as empty returns outputs that no instruction
    /// computed.
    reject "pte/method/chains-absent": "chains absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.own_slot("execution_plan[0]", 5, 0);

    /// The count of the chains is 0, but a method needs one chain. The offset to the chain still follows the count, so
    /// a reader that ignores the count appears to work.
    reject "pte/method/chains-empty": "chains empty" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants" => |file| file.count("execution_plan[0].chains", 0);

    /// The chain has no list of instructions. A chain that does nothing must have an empty list. If a reader reads the
    /// number of instructions without a null check, it dereferences a null pointer.
    reject "pte/method/instructions-absent": "instructions absent" breaks rules::PLAN_CHAINS,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"]
        => |file| file.own_slot("execution_plan[0].chains[0]", 2, 0);

    /// The list of operators is absent, but a kernel call uses operator 0. If a reader compares the index with the
    /// number of operators without a null check, it dereferences a null pointer.
    reject "pte/method/operators-absent": "operators absent but called" breaks rules::PLAN_OPERATORS_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#1516"] => |file| file.own_slot("execution_plan[0]", 6, 0);

    /// The list of delegates is absent. A method without delegates must have an empty list. A host can list a method's
    /// backends before it loads the method. Without a null check, the host dereferences a null pointer.
    reject "pte/method/delegates-absent": "delegates absent" breaks rules::PLAN_DELEGATES_NONNULL,
        from "pte/valid/constants", refs ["pytorch/executorch#22404", "pytorch/executorch#22405"]
        => |file| file.own_slot("execution_plan[0]", 7, 0);

    /// The table `container_meta_type`, which describes the nesting of the outputs, is absent. Methods run without
    /// `container_meta_type`, but a reader must report an error if a caller requests the nesting.
    either "pte/method/container-meta-absent": "container_meta_type absent" about rules::PLAN_CONTAINER_META,
        from "pte/valid/constants", refs ["pytorch/executorch#16704"]
        => |file| file.own_slot("execution_plan[0]", 1, 0);

    /// An input of the chain is value 15, but the method has 15 values. The runtime ignores a chain's inputs, but tools
    /// that show the graph can read past the list of values.
    either "pte/method/chain-input-past-end": "chain input past the values" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].chains[0].inputs", 0, 15_i32);

    /// An output of the chain is value −1. The runtime ignores a chain's outputs, but tools that show the graph can
    /// read the memory in front of the list of values. In some languages, index −1 selects the last value.
    either "pte/method/chain-output-negative": "chain output index −1" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.elements("execution_plan[0].chains[0].outputs", 0, -1_i32);

    /// The chain has five instructions but only four call stacks. If a debugger uses the instruction number as an
    /// index, it reads past the list of call stacks.
    either "pte/method/stacktrace-short": "fewer call stacks than instructions" about rules::PLAN_CHAIN_IO,
        from "pte/valid/everything" => |file| file.count("execution_plan[0].chains[0].stacktrace", 4);

    /// The input is value 4, but the method has four values. If a reader does not check the index before it sets the
    /// input, it writes past the list of values.
    reject "pte/method/input-past-end": "input one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].inputs", 0, 4_i32);

    /// The input is value −1. As a signed integer, −1 is less than the number of values. If a reader checks only the
    /// upper limit before it sets the input, it writes to the memory in front of the list of values.
    reject "pte/method/input-negative": "input index −1" breaks rules::PLAN_IO_RANGE, from "pte/valid/constants",
        refs ["pytorch/executorch#1572"] => |file| file.elements("execution_plan[0].inputs", 0, -1_i32);

    /// The input is value −2^31. In 32-bit arithmetic, the absolute value of −2^31 is still negative, so a check of the
    /// absolute value passes.
    reject "pte/method/input-min": "input index −2^31" breaks rules::PLAN_IO_RANGE, from "pte/valid/constants",
        refs ["pytorch/executorch#1572"] => |file| file.elements("execution_plan[0].inputs", 0, i32::MIN);

    /// The output is value 4, but the method has four values. If a reader does not check the index, its result is
    /// the memory after the list of values.
    reject "pte/method/output-past-end": "output one past the values" breaks rules::PLAN_IO_RANGE,
        from "pte/valid/constants", refs ["pytorch/executorch#1572"]
        => |file| file.elements("execution_plan[0].outputs", 0, 4_i32);

    /// The output is value −1. As a signed integer, −1 is less than the number of values. If a reader checks only the
    /// upper limit, it returns the memory in front of the list of values as a result.
    reject "pte/method/output-negative": "output index −1" breaks rules::PLAN_IO_RANGE, from "pte/valid/constants",
        refs ["pytorch/executorch#1572"] => |file| file.elements("execution_plan[0].outputs", 0, -1_i32);

    /// The output is value 2^31 − 1. In 32-bit arithmetic, the index times the size of a value wraps to the position in
    /// front of the first value.
    reject "pte/method/output-max": "output index 2^31 − 1" breaks rules::PLAN_IO_RANGE, from "pte/valid/constants",
        refs ["pytorch/executorch#1572"] => |file| file.elements("execution_plan[0].outputs", 0, i32::MAX);

    /// An input is an IntList, but a caller cannot set the items of a list, because the items are indices of other
    /// values. If a reader copies the caller's bytes over the list, it overwrites the list's pointers.
    reject "pte/method/input-list": "IntList as an input" breaks rules::PLAN_IO_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].inputs", 0, 8_i32);

    /// An output is a TensorList, which a method must not return. The items are other values of the method, and the
    /// caller cannot access these values.
    either "pte/method/output-tensor-list": "TensorList as an output" about rules::PLAN_OUTPUT_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, 11_i32);

    /// An output is an OptionalTensorList, which a method must not return. A reader can easily omit OptionalTensorList
    /// from its list of forbidden types, because this type is the last in the schema.
    either "pte/method/output-optional-tensor-list": "OptionalTensorList as an output" about rules::PLAN_OUTPUT_TYPES,
        from "pte/valid/every-value" => |file| file.elements("execution_plan[0].outputs", 0, 12_i32);

    /// The input is a constant. A caller that sets the input overwrites the weights of all methods. If the file is
    /// mapped read-only, the write faults. A reader must check where the input's data is stored.
    reject "pte/method/input-constant": "constant as an input" breaks rules::PLAN_INPUTS_NONCONST,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].inputs", 0, 0_i32);

    /// The input is a constant in a data file, so setting the input changes the data of other programs that use this
    /// data file. The `data_buffer_idx` of the constant is 0, as for a tensor without data, so a reader must also check
    /// the data location.
    reject "pte/method/input-external-constant": "constant of a data file as an input"
        breaks rules::PLAN_INPUTS_NONCONST, from "pte/valid/external-constants"
        => |file| file.elements("execution_plan[0].inputs", 0, 0_i32);

    /// Both inputs are value 1, so the second input overwrites the first. Some readers reject a program that uses one
    /// value as two inputs.
    either "pte/method/input-twice": "one value as two inputs" about rules::PLAN_INPUTS_DISTINCT,
        from "pte/valid/two-inputs" => |file| file.elements("execution_plan[0].inputs", 4, 1_i32);

    /// The size of a planned buffer is −1. As an unsigned integer, the size is almost 2^64, and wraps if a reader
    /// rounds the size up to an alignment. A reader must reject negative sizes.
    reject "pte/method/buffer-size-negative": "planned buffer of −1 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, -1_i64);

    /// The size of a planned buffer is −2^63. In 64-bit arithmetic, the absolute value of −2^63 is still negative, so a
    /// reader must check the sign.
    reject "pte/method/buffer-size-min": "planned buffer of −2^63 bytes" breaks rules::PLAN_NCB,
        from "pte/valid/constants", refs ["pytorch/executorch#18724"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, i64::MIN);

    /// Entry 0 of the buffer sizes is reserved and should be 0, but the entry is 64. A host that allocates a buffer for
    /// every entry can assign wrong buffers to the tensors.
    either "pte/method/buffer-0-not-empty": "bytes in the reserved planned buffer" about rules::PLAN_NCB_FIRST_ZERO,
        from "pte/valid/constants" => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 0, 64_i64);

    /// A planned buffer has 2^50 bytes, in a file of 784 bytes. A reader should limit planned memory. Without a limit,
    /// the allocation fails, or the host runs out of memory later.
    either "pte/method/buffer-size-huge": "planned buffer of 2^50 bytes" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/constants", refs ["pytorch/executorch#7678"]
        => |file| file.elements("execution_plan[0].non_const_buffer_sizes", 8, 1_i64 << 50);

    /// Two planned buffers have 2^63 − 1 bytes each. In signed 64-bit arithmetic, the total wraps to −2, which is below
    /// every limit. A host must detect the overflow of the total size.
    either "pte/method/buffer-sizes-wrap": "planned buffers whose total size wraps" about rules::PLAN_NCB_BOUNDED,
        from "pte/valid/buffer-devices" => |file| {
            file.elements("execution_plan[0].non_const_buffer_sizes", 8, i64::MAX);
            file.elements("execution_plan[0].non_const_buffer_sizes", 16, i64::MAX);
        };

    /// An entry of the list of devices refers to planned buffer 0, which is reserved. A reader that numbers buffers
    /// from 0 assigns the device to the wrong buffer.
    reject "pte/method/buffer-device-of-0": "device for planned buffer 0" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 0_i32);

    /// An entry of the list of devices refers to planned buffer −1. As a signed integer, −1 is less than the number of
    /// buffers. If a reader checks only the upper limit, it writes to the memory in front of its own list of devices.
    reject "pte/method/buffer-device-of-minus-1": "device for planned buffer −1" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", -1_i32);

    /// An entry of the list of devices refers to planned buffer 3, but the last buffer is 2. If a reader does not check
    /// the buffer's number, it writes past its own list of devices.
    reject "pte/method/buffer-device-past-end": "device for a planned buffer past the list"
        breaks rules::PLAN_NCB_DEVICE, from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 3_i32);

    /// Two entries of the list of devices refer to planned buffer 1, and no entry refers to buffer 2. Some readers use
    /// the first entry, and other readers use the last entry.
    reject "pte/method/buffer-device-twice": "two devices for one planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].buffer_idx", 1_i32);

    /// The device type of a planned buffer is 2, but the schema defines only CPU (0) and CUDA (1). A later release can
    /// define device type 2. A reader may accept the file, but must not treat the device as CPU or CUDA.
    either "pte/method/buffer-device-type-2": "device type 2 of a planned buffer" about rules::PLAN_NCB_DEVICE_KNOWN,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 2_i8);

    /// The device type of a planned buffer is −1. A reader that checks only the upper limit accepts the type and reads
    /// the memory in front of its own list of devices.
    reject "pte/method/buffer-device-type-minus-1": "device type −1 of a planned buffer" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/buffer-devices"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", -1_i8);

    /// The device of a planned buffer is GPU −1, but a GPU's index must not be negative. Some interfaces use −1 for the
    /// current device, and the current device depends on earlier calls.
    reject "pte/method/buffer-device-index-minus-1": "device index −1 of a GPU" breaks rules::PLAN_NCB_DEVICE,
        from "pte/valid/host-device-index-minus-1"
        => |file| file.scalar("execution_plan[0].non_const_buffer_device[1].device_type", 1_i8);
}
