//! The program schema: every table, enum and union of a file with identifier `ET12`.
//!
//! Names, slots, types and values are those of the format; the descriptions are this project's. The root table is
//! [`Program`].

use crate::ScalarType;
use crate::flatbuffer::schema::{AlignedBytes, Of, enums, tables, unions};

enums! {
    /// Whether a tensor's sizes can change at run time.
    TensorShapeDynamism {
        /// `sizes` are the shape.
        STATIC = 0,
        /// `sizes` are upper bounds of the shape.
        DYNAMIC_BOUND = 1,
        /// `sizes` give no bound; the runtime allocates the memory.
        DYNAMIC_UNBOUND = 2,
    }
    /// Which file stores a tensor's data.
    TensorDataLocation {
        /// The program file.
        SEGMENT = 0,
        /// A data file, under the tensor's fully qualified name.
        EXTERNAL = 1,
    }
    /// A kind of device with its own memory.
    DeviceType {
        /// The host.
        CPU = 0,
        /// An NVIDIA GPU.
        CUDA = 1,
    }
    /// The list that stores a delegate's blob.
    DataLocation {
        /// `Program.backend_delegate_data`, inside the FlatBuffer.
        INLINE = 0,
        /// `Program.segments`.
        SEGMENT = 1,
    }
}

unions! {
    /// The content of a value.
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
    /// The operation of an instruction.
    InstructionArguments => InstructionArgumentsValue<'a> {
        1 KernelCall,
        2 DelegateCall,
        3 MoveCall,
        4 JumpFalseCall,
        5 FreeCall,
    }
}

tables! {
    /// The root table: the methods of a model, and where their data is.
    Program<'a> = 1 {
        /// Version of the schema's meaning. Every release writes 0.
        0 version: u32,
        /// The methods. The exporter sorts them by name; methods that return constants follow.
        1 execution_plan: [ExecutionPlan<'a>],
        /// Constants inside the FlatBuffer; entry 0 is a placeholder. Legacy: replaced by `constant_segment`.
        #[writer = "exporter; by default since 0.2, the list is empty"]
        2 constant_buffer: [Buffer<'a>],
        /// Delegate blobs inside the FlatBuffer.
        #[writer = "exporter; by default since 0.3, the list contains only empty blobs"]
        3 backend_delegate_data: [BackendDelegateInlineData<'a>],
        /// The ranges of data after the FlatBuffer, relative to `segment_base_offset`.
        4 segments: [DataSegment<'a>],
        /// The segment of constants, and the offset of each constant in it.
        #[since = "0.2.0"]
        5 constant_segment: SubsegmentOffsets<'a>,
        /// The segments of initial values of mutable tensors, and the offset of each value.
        #[since = "0.4.0"]
        #[writer = "exporter, if a mutable tensor has an initial value"]
        6 mutable_data_segments: [SubsegmentOffsets<'a>],
        /// Blobs that a reader finds by key.
        #[since = "0.6.0"]
        #[writer = "exporter, if a delegate or the caller stores blobs by key"]
        7 named_data: [NamedData<'a>],
    }
    /// How a method's inputs and outputs nest, in the exporter's encoding. The runtime does not interpret it.
    ContainerMetadata<'a> = 2 {
        /// The structure of the inputs.
        0 encoded_inp_str: str,
        /// The structure of the outputs.
        1 encoded_out_str: str,
    }
    /// No value.
    Null<'a> = 3 {}
    /// The position of a tensor in planned memory.
    AllocationDetails<'a> = 4 {
        /// Index into `ExecutionPlan.non_const_buffer_sizes`, from 1.
        0 memory_id: u32,
        /// Low 32 bits of the offset in the buffer, in bytes. In 0.1: `memory_offset`.
        1 memory_offset_low: u32,
        /// High 32 bits of the offset in the buffer.
        #[since = "0.2.0"]
        2 memory_offset_high: u32,
    }
    /// Fields that few tensors need.
    ExtraTensorInfo<'a> = 5 {
        /// Index into `Program.mutable_data_segments` of the initial value.
        #[since = "0.4.0"]
        #[writer = "nobody; exporters leave it 0"]
        0 mutable_data_segments_idx: u64,
        /// The tensor's name in the exported module, and its key in a data file.
        #[since = "0.4.0"]
        #[writer = "exporter, for external tensors since 0.5; for mutable buffers on request since 0.7"]
        1 fully_qualified_name: str,
        /// Which file stores the data.
        #[since = "0.5.0"]
        #[writer = "exporter, for external tensors"]
        2 location: TensorDataLocation,
        /// The kind of device that stores the data.
        #[since = "1.3.0"]
        #[writer = "exporter, for tensors that are not on the CPU"]
        3 device_type: DeviceType,
        /// The device of that kind, from 0.
        #[since = "1.3.0"]
        #[writer = "exporter, for tensors that are not on the CPU"]
        4 device_index: i8,
    }
    /// A tensor: element type, shape, memory order and location of the data.
    Tensor<'a> = 6 {
        /// Type of the elements.
        0 scalar_type: ScalarType,
        /// Distance from the start of the data to the first element, in elements. Always 0.
        1 storage_offset: i32,
        /// Number of elements in each dimension. Empty for a tensor without dimensions.
        2 sizes: [i32],
        /// The dimensions in memory order, from the outermost to the innermost.
        3 dim_order: [u8],
        /// Whether training computes a gradient. Readers ignore it.
        4 requires_grad: bool,
        /// Index of the tensor's constant or initial value; 0 for neither. Before 0.4: `constant_buffer_idx`.
        5 data_buffer_idx: u32,
        /// Position in planned memory. Absent for constants.
        #[writer = "exporter, for planned tensors"]
        6 allocation_info: AllocationDetails<'a>,
        /// Memory layout; 0 means strided.
        7 layout: i8,
        /// Whether `sizes` are the shape or upper bounds.
        8 shape_dynamism: TensorShapeDynamism,
        /// Name, location and device.
        #[since = "0.4.0"]
        #[writer = "exporter, for tensors with a name or a device"]
        9 extra_tensor_info: ExtraTensorInfo<'a>,
    }
    /// An integer.
    Int<'a> = 7 {
        /// The value.
        0 int_val: i64,
    }
    /// A boolean.
    Bool<'a> = 8 {
        /// The value.
        0 bool_val: bool,
    }
    /// A floating-point number.
    Double<'a> = 9 {
        /// The value.
        0 double_val: f64,
    }
    /// A string.
    String<'a> = 10 {
        /// The value, in UTF-8.
        0 string_val: str,
    }
    /// A list of integers, given as indices of Int values.
    IntList<'a> = 11 {
        /// Indices into the method's `values`.
        0 items: [i64],
    }
    /// A list of floating-point numbers.
    DoubleList<'a> = 12 {
        /// The numbers.
        0 items: [f64],
    }
    /// A list of booleans.
    BoolList<'a> = 13 {
        /// The booleans, one byte each.
        0 items: [bool],
    }
    /// A list of tensors, given as indices of Tensor values.
    TensorList<'a> = 14 {
        /// Indices into the method's `values`.
        0 items: [i32],
    }
    /// A list of tensors of which some may be missing.
    OptionalTensorList<'a> = 15 {
        /// Indices into the method's `values`; -1 means a missing tensor.
        0 items: [i32],
    }
    /// One value of a method.
    EValue<'a> = 16 {
        /// Type of the value.
        0 val_type: KernelTypes,
        /// The value.
        1 val: Of<KernelTypes>,
    }
    /// An operator that a kernel implements.
    Operator<'a> = 17 {
        /// Name with its namespace, such as `aten::add`.
        0 name: str,
        /// Name of the overload, such as `out`; may be empty.
        1 overload: str,
    }
    /// Instruction: run a kernel.
    KernelCall<'a> = 18 {
        /// Index into the method's `operators`.
        0 op_index: i32,
        /// Indices into the method's `values`, in the order of the operator's parameters.
        1 args: [i32],
    }
    /// Instruction: run a delegate.
    DelegateCall<'a> = 19 {
        /// Index into the method's `delegates`.
        0 delegate_index: i32,
        /// Indices into the method's `values`: inputs, then outputs.
        1 args: [i32],
    }
    /// Instruction: copy one value over another.
    MoveCall<'a> = 20 {
        /// Index of the source in the method's `values`.
        0 move_from: i32,
        /// Index of the destination in the method's `values`.
        1 move_to: i32,
    }
    /// Instruction: continue at another instruction if a value is false.
    JumpFalseCall<'a> = 21 {
        /// Index of the condition in the method's `values`.
        0 cond_value_index: i32,
        /// Index of the next instruction; the number of instructions ends the chain.
        1 destination_instruction: i32,
    }
    /// Instruction: release a tensor's data.
    FreeCall<'a> = 22 {
        /// Index of the tensor in the method's `values`.
        0 value_index: i32,
    }
    /// One instruction of a chain.
    Instruction<'a> = 23 {
        /// Type of the instruction.
        0 instr_args_type: InstructionArguments,
        /// The instruction's operands.
        1 instr_args: Of<InstructionArguments>,
    }
    /// A position in the source of the exported model.
    Frame<'a> = 24 {
        /// The source file.
        0 filename: str,
        /// The line, from 1.
        1 lineno: i32,
        /// The function.
        2 name: str,
        /// The source text of the line.
        3 context: str,
    }
    /// The call stack of one instruction.
    FrameList<'a> = 25 {
        /// The frames, the innermost last.
        0 items: [Frame<'a>],
    }
    /// The location of a delegate's blob.
    BackendDelegateDataReference<'a> = 26 {
        /// The list that `index` refers to.
        0 location: DataLocation,
        /// Index into `Program.backend_delegate_data` or `Program.segments`.
        1 index: u32,
    }
    /// One setting for a backend.
    CompileSpec<'a> = 27 {
        /// Name of the setting.
        0 key: str,
        /// Value of the setting, in the backend's own encoding.
        1 value: [u8],
    }
    /// A part of a method that a backend runs.
    BackendDelegate<'a> = 28 {
        /// Name of the backend, such as `XnnpackBackend`.
        0 id: str,
        /// The location of the blob that the backend produced at export.
        1 processed: BackendDelegateDataReference<'a>,
        /// Settings for the backend.
        2 compile_specs: [CompileSpec<'a>],
    }
    /// A list of instructions that run in order.
    Chain<'a> = 29 {
        /// Indices of the chain's inputs. The runtime does not use it.
        #[writer = "exporter, always empty"]
        0 inputs: [i32],
        /// Indices of the chain's outputs. The runtime does not use it.
        #[writer = "exporter, always empty"]
        1 outputs: [i32],
        /// The instructions.
        2 instructions: [Instruction<'a>],
        /// One call stack per instruction.
        #[writer = "exporter, on request (`emit_stacktrace`)"]
        3 stacktrace: [FrameList<'a>],
    }
    /// One method of the program.
    ExecutionPlan<'a> = 30 {
        /// The method's name, by default `forward`.
        0 name: str,
        /// How inputs and outputs nest.
        1 container_meta_type: ContainerMetadata<'a>,
        /// All values of the method. Every other index of a value refers to this list.
        2 values: [EValue<'a>],
        /// Indices of the inputs.
        3 inputs: [i32],
        /// Indices of the outputs.
        4 outputs: [i32],
        /// The chains, in the order of execution. Exporters write one.
        5 chains: [Chain<'a>],
        /// The operators of the kernel calls.
        6 operators: [Operator<'a>],
        /// The delegates of the delegate calls.
        7 delegates: [BackendDelegate<'a>],
        /// Byte count of each planned buffer; entry 0 is reserved.
        8 non_const_buffer_sizes: [i64],
        /// Devices of the planned buffers that are not on the CPU.
        #[since = "1.3.0"]
        #[writer = "exporter, if a planned buffer is not on the CPU"]
        9 non_const_buffer_device: [NonConstBufferDevice<'a>],
    }
    /// The device of one planned buffer.
    NonConstBufferDevice<'a> = 31 {
        /// Index into `ExecutionPlan.non_const_buffer_sizes`.
        #[since = "1.3.0"]
        0 buffer_idx: i32,
        /// The kind of device.
        #[since = "1.3.0"]
        1 device_type: DeviceType,
        /// The device of that kind, from 0.
        #[since = "1.3.0"]
        2 device_index: i8,
    }
    /// A legacy constant, stored inside the FlatBuffer.
    Buffer<'a> = 32 {
        /// Bytes of the constant; empty in the placeholder at index 0.
        #[writer = "exporter, legacy constants only"]
        0 storage: AlignedBytes<16>,
    }
    /// One delegate blob inside the FlatBuffer.
    BackendDelegateInlineData<'a> = 33 {
        /// The blob's bytes.
        0 data: AlignedBytes<16>,
    }
    /// A range of bytes after the FlatBuffer.
    DataSegment<'a> = 34 {
        /// Start in bytes, counted from the header's `segment_base_offset`.
        0 offset: u64,
        /// Length in bytes.
        1 size: u64,
    }
    /// The entries of one segment: constants, or initial values of mutable tensors.
    SubsegmentOffsets<'a> = 35 {
        /// Index into `Program.segments`.
        #[since = "0.2.0"]
        0 segment_index: u32,
        /// Start of each entry in bytes, counted from the segment's start; entry 0 is a placeholder.
        #[since = "0.2.0"]
        1 offsets: [u64],
    }
    /// A key and its blob.
    NamedData<'a> = 36 {
        /// Key of the blob, unique in the program.
        #[since = "0.6.0"]
        0 key: str,
        /// Index into `Program.segments`; the blob is the whole segment.
        #[since = "0.6.0"]
        1 segment_index: u32,
    }
}
