//! The program schema: every table, enum and union of a file with the identifier `ET12`.
//!
//! The names, slots, types and values come from the format; the descriptions come from this project. The root table is
//! [`Program`].

use crate::ScalarType;
use crate::flatbuffer::schema::{AlignedBytes, UnionField, enums, tables, unions};

enums! {
    /// How a tensor's sizes can change at run time, if at all.
    #[since = "0.1.0"]
    TensorShapeDynamism {
        /// `sizes` is the shape.
        STATIC = 0,
        /// `sizes` contains an upper bound for each dimension.
        DYNAMIC_BOUND = 1,
        /// `sizes` contains no bounds; the runtime allocates the memory.
        DYNAMIC_UNBOUND = 2,
    }
    /// Which file stores a tensor's data.
    #[since = "0.5.0"]
    TensorDataLocation {
        /// The program file.
        SEGMENT = 0,
        /// A data file, under the tensor's fully qualified name.
        EXTERNAL = 1,
    }
    /// A type of device that has its own memory.
    #[since = "1.3.0"]
    DeviceType {
        /// The CPU of the host.
        CPU = 0,
        /// An NVIDIA GPU.
        CUDA = 1,
    }
    /// The list that stores a delegate's blob.
    #[since = "0.1.0"]
    DataLocation {
        /// `Program.backend_delegate_data`, inside the FlatBuffer.
        INLINE = 0,
        /// `Program.segments`.
        SEGMENT = 1,
    }
}

unions! {
    /// A value's type.
    KernelTypes => KernelTypesValue<'a> {
        1 Null,
        2 Int,
        3 Bool,
        4 Double,
        5 Tensor,
        6 String,
        7 IntList,
        8 DoubleList,
        9 BoolList,
        10 TensorList,
        11 OptionalTensorList,
    }
    /// An instruction's type.
    InstructionArguments => InstructionArgumentsValue<'a> {
        1 KernelCall,
        2 DelegateCall,
        3 MoveCall,
        4 JumpFalseCall,
        5 FreeCall,
    }
}

tables! {
    /// The root table: a model's methods and their data.
    #[since = "0.1.0"]
    Program<'a> = 1 {
        /// Version of the schema; 0 in every release.
        0 version: u32,
        /// The methods. The exporter sorts them by name, then appends the methods that return constants.
        1 execution_plan: [ExecutionPlan<'a>],
        /// Legacy constants inside the FlatBuffer; entry 0 is a placeholder. `constant_segment` replaced this field.
        #[writer = "exporter; an empty list by default since 0.2, and always since 0.4"]
        2 constant_buffer: [Buffer<'a>],
        /// Delegate blobs inside the FlatBuffer.
        #[writer = "exporter; only empty blobs by default since 0.3"]
        3 backend_delegate_data: [BackendDelegateInlineData<'a>],
        /// The ranges of data after the FlatBuffer, relative to `segment_base_offset`.
        4 segments: [DataSegment<'a>],
        /// The segment with the constants, and the offset of each constant.
        #[since = "0.2.0"]
        #[writer = "exporter; by default since 0.2, and always since 0.4"]
        5 constant_segment: SubsegmentOffsets<'a>,
        /// The segments with initial values of mutable tensors, and the offset of each value.
        #[since = "0.4.0"]
        #[writer = "exporter, if a mutable tensor has an initial value"]
        6 mutable_data_segments: [SubsegmentOffsets<'a>],
        /// Blobs that readers look up by key.
        #[since = "0.6.0"]
        #[writer = "exporter, if a delegate or the caller stores blobs by key"]
        7 named_data: [NamedData<'a>],
    }
    /// The nesting of a method's inputs and outputs, in the exporter's encoding. The runtime ignores the strings.
    #[since = "0.1.0"]
    ContainerMetadata<'a> = 2 {
        /// The structure of the inputs.
        0 encoded_inp_str: str,
        /// The structure of the outputs.
        1 encoded_out_str: str,
    }
    /// No value.
    #[since = "0.1.0"]
    Null<'a> = 3 {}
    /// Where a tensor is in planned memory.
    #[since = "0.1.0"]
    AllocationDetails<'a> = 4 {
        /// Index of the buffer in `ExecutionPlan.non_const_buffer_sizes`; at least 1.
        0 memory_id: u32,
        /// Low 32 bits of the byte offset in the buffer. Release 0.1 calls this field `memory_offset`.
        1 memory_offset_low: u32,
        /// High 32 bits of the byte offset in the buffer.
        #[since = "0.2.0"]
        2 memory_offset_high: u32,
    }
    /// A tensor's name, data location and device.
    #[since = "0.4.0"]
    ExtraTensorInfo<'a> = 5 {
        /// Index into `Program.mutable_data_segments`: the entry with the initial value.
        #[writer = "nobody; the value is 0"]
        0 mutable_data_segments_idx: u64,
        /// The tensor's name in the exported module, which is its key in a data file.
        #[writer = "exporter, for external tensors since 0.5; for mutable buffers on request since 0.7"]
        1 fully_qualified_name: str,
        /// Which file stores the data.
        #[since = "0.5.0"]
        #[writer = "exporter, for external tensors"]
        2 location: TensorDataLocation,
        /// The type of device that stores the data.
        #[since = "1.3.0"]
        #[writer = "exporter, for tensors that are not on the CPU"]
        3 device_type: DeviceType,
        /// Zero-based index among the devices of `device_type`.
        #[since = "1.3.0"]
        #[writer = "exporter, for tensors that are not on the CPU"]
        4 device_index: i8,
    }
    /// A tensor: element type, shape, memory order, and where its data is.
    #[since = "0.1.0"]
    Tensor<'a> = 6 {
        /// Type of the elements.
        0 scalar_type: ScalarType,
        /// Number of elements before the first element of the tensor. Always 0.
        #[writer = "nobody; the value is 0"]
        1 storage_offset: i32,
        /// Number of elements in each dimension. Empty for a tensor without dimensions.
        2 sizes: [i32],
        /// The dimensions in memory order, from outermost to innermost.
        3 dim_order: [u8],
        /// `true` if training computes a gradient of the tensor. Readers ignore the field.
        4 requires_grad: bool,
        /// Index of the tensor's constant or initial value; 0 if it has neither. Before 0.4, the field was called
        /// `constant_buffer_idx`.
        5 data_buffer_idx: u32,
        /// Where the tensor is in planned memory; absent for constants.
        #[writer = "exporter, for planned tensors"]
        6 allocation_info: AllocationDetails<'a>,
        /// Memory layout; 0 means strided.
        #[writer = "nobody; the value is 0"]
        7 layout: i8,
        /// What `sizes` contains: the shape or upper bounds.
        8 shape_dynamism: TensorShapeDynamism,
        /// Name, location and device.
        #[since = "0.4.0"]
        #[writer = "exporter, for tensors with a name or a device"]
        9 extra_tensor_info: ExtraTensorInfo<'a>,
    }
    /// An integer.
    #[since = "0.1.0"]
    Int<'a> = 7 {
        /// The value.
        0 int_val: i64,
    }
    /// A boolean.
    #[since = "0.1.0"]
    Bool<'a> = 8 {
        /// The value.
        0 bool_val: bool,
    }
    /// A floating-point number.
    #[since = "0.1.0"]
    Double<'a> = 9 {
        /// The value.
        0 double_val: f64,
    }
    /// A string.
    #[since = "0.1.0"]
    String<'a> = 10 {
        /// The value, in UTF-8.
        0 string_val: str,
    }
    /// A list of integers. Each item is the index of an Int value.
    #[since = "0.1.0"]
    IntList<'a> = 11 {
        /// Indices into the method's `values`.
        0 items: [i64],
    }
    /// A list of floating-point numbers.
    #[since = "0.1.0"]
    DoubleList<'a> = 12 {
        /// The numbers.
        0 items: [f64],
    }
    /// A list of booleans.
    #[since = "0.1.0"]
    BoolList<'a> = 13 {
        /// The booleans, one byte each.
        0 items: [bool],
    }
    /// A list of tensors. Each item is the index of a Tensor value.
    #[since = "0.1.0"]
    TensorList<'a> = 14 {
        /// Indices into the method's `values`.
        0 items: [i32],
    }
    /// A list of tensors, any of which can be absent.
    #[since = "0.1.0"]
    OptionalTensorList<'a> = 15 {
        /// Indices into the method's `values`; -1 means an absent tensor.
        0 items: [i32],
    }
    /// One value of a method.
    #[since = "0.1.0"]
    EValue<'a> = 16 {
        /// Type of the value.
        0 val_type: KernelTypes,
        /// The value.
        1 val: UnionField<KernelTypes>,
    }
    /// An operator that a kernel implements.
    #[since = "0.1.0"]
    Operator<'a> = 17 {
        /// Name with its namespace, such as `aten::add`.
        0 name: str,
        /// Name of the overload, such as `out`; may be empty.
        1 overload: str,
    }
    /// An instruction that runs a kernel.
    #[since = "0.1.0"]
    KernelCall<'a> = 18 {
        /// Index into the method's `operators`.
        0 op_index: i32,
        /// Indices into the method's `values`, in the order of the operator's parameters.
        1 args: [i32],
    }
    /// An instruction that runs a delegate.
    #[since = "0.1.0"]
    DelegateCall<'a> = 19 {
        /// Index into the method's `delegates`.
        0 delegate_index: i32,
        /// Indices into the method's `values`: inputs, then outputs.
        1 args: [i32],
    }
    /// An instruction that copies one value over another value.
    #[since = "0.1.0"]
    MoveCall<'a> = 20 {
        /// Index of the source in the method's `values`.
        0 move_from: i32,
        /// Index of the destination in the method's `values`.
        1 move_to: i32,
    }
    /// A conditional jump, taken if a value is false.
    #[since = "0.1.0"]
    JumpFalseCall<'a> = 21 {
        /// Index of the condition in the method's `values`.
        0 cond_value_index: i32,
        /// Index of the instruction that runs next if the condition is false. If it equals the number of instructions,
        /// the chain ends.
        1 destination_instruction: i32,
    }
    /// An instruction that releases a tensor's data.
    #[since = "0.1.0"]
    FreeCall<'a> = 22 {
        /// Index of the tensor in the method's `values`.
        0 value_index: i32,
    }
    /// One instruction of a chain.
    #[since = "0.1.0"]
    Instruction<'a> = 23 {
        /// Type of the instruction.
        0 instr_args_type: InstructionArguments,
        /// The instruction's operands.
        1 instr_args: UnionField<InstructionArguments>,
    }
    /// A position in the exported model's source.
    #[since = "0.1.0"]
    Frame<'a> = 24 {
        /// The source file.
        0 filename: str,
        /// One-based line number.
        1 lineno: i32,
        /// The function.
        2 name: str,
        /// The line's source text.
        3 context: str,
    }
    /// The call stack of one instruction.
    #[since = "0.1.0"]
    FrameList<'a> = 25 {
        /// The frames, the innermost one last.
        0 items: [Frame<'a>],
    }
    /// Where a delegate's blob is.
    #[since = "0.1.0"]
    BackendDelegateDataReference<'a> = 26 {
        /// The list that `index` refers to.
        0 location: DataLocation,
        /// Index into `Program.backend_delegate_data` or `Program.segments`.
        1 index: u32,
    }
    /// One setting for a backend.
    #[since = "0.1.0"]
    CompileSpec<'a> = 27 {
        /// Name of the setting.
        0 key: str,
        /// Value of the setting, in the backend's own encoding.
        1 value: [u8],
    }
    /// The part of a method that a backend runs.
    #[since = "0.1.0"]
    BackendDelegate<'a> = 28 {
        /// Name of the backend, such as `XnnpackBackend`.
        0 id: str,
        /// Where the exporter stored the blob for the backend.
        1 processed: BackendDelegateDataReference<'a>,
        /// Settings for the backend.
        2 compile_specs: [CompileSpec<'a>],
    }
    /// A list of instructions that run in order.
    #[since = "0.1.0"]
    Chain<'a> = 29 {
        /// Indices of the chain's inputs. The runtime ignores the field.
        #[writer = "exporter, always empty"]
        0 inputs: [i32],
        /// Indices of the chain's outputs. The runtime ignores the field.
        #[writer = "exporter, always empty"]
        1 outputs: [i32],
        /// The instructions.
        2 instructions: [Instruction<'a>],
        /// One call stack per instruction.
        #[writer = "exporter, on request (`emit_stacktrace`)"]
        3 stacktrace: [FrameList<'a>],
    }
    /// One method of the program.
    #[since = "0.1.0"]
    ExecutionPlan<'a> = 30 {
        /// The method's name, by default `forward`.
        0 name: str,
        /// The nesting of the inputs and outputs.
        1 container_meta_type: ContainerMetadata<'a>,
        /// All values of the method. Every index of a value in the method refers to this list.
        2 values: [EValue<'a>],
        /// Indices of the inputs in `values`.
        3 inputs: [i32],
        /// Indices of the outputs in `values`.
        4 outputs: [i32],
        /// The chains, in execution order. Exporters write one chain.
        5 chains: [Chain<'a>],
        /// The operators that kernel calls refer to by index.
        6 operators: [Operator<'a>],
        /// The delegates that delegate calls refer to by index.
        7 delegates: [BackendDelegate<'a>],
        /// Size of each planned buffer in bytes; entry 0 is reserved.
        8 non_const_buffer_sizes: [i64],
        /// For each planned buffer that is not on the CPU, its device.
        #[since = "1.3.0"]
        #[writer = "exporter, if a planned buffer is not on the CPU"]
        9 non_const_buffer_device: [NonConstBufferDevice<'a>],
    }
    /// The device of one planned buffer.
    #[since = "1.3.0"]
    NonConstBufferDevice<'a> = 31 {
        /// Index into `ExecutionPlan.non_const_buffer_sizes`.
        0 buffer_idx: i32,
        /// The device's type.
        1 device_type: DeviceType,
        /// Zero-based index among the devices of `device_type`.
        2 device_index: i8,
    }
    /// A legacy constant, stored inside the FlatBuffer.
    #[since = "0.1.0"]
    Buffer<'a> = 32 {
        /// Bytes of the constant; empty in the placeholder at index 0.
        #[writer = "exporter, legacy constants only"]
        0 storage: AlignedBytes<16>,
    }
    /// One delegate blob inside the FlatBuffer.
    #[since = "0.1.0"]
    BackendDelegateInlineData<'a> = 33 {
        /// The blob's bytes.
        0 data: AlignedBytes<16>,
    }
    /// A range of bytes after the FlatBuffer.
    #[since = "0.1.0"]
    DataSegment<'a> = 34 {
        /// Offset of the first byte from the header's `segment_base_offset`.
        0 offset: u64,
        /// Number of bytes, without padding.
        1 size: u64,
    }
    /// The constants or initial values in one segment.
    #[since = "0.2.0"]
    SubsegmentOffsets<'a> = 35 {
        /// Index into `Program.segments`.
        0 segment_index: u32,
        /// The offset of each entry from the start of the segment, in bytes; entry 0 is a placeholder.
        1 offsets: [u64],
    }
    /// A blob and its key.
    #[since = "0.6.0"]
    NamedData<'a> = 36 {
        /// The key by which readers look up the blob; unique in the program.
        0 key: str,
        /// Index into `Program.segments`; the blob is the whole segment.
        1 segment_index: u32,
    }
}
