//! The program schema: every table, enum and union behind `ET12`.
//!
//! Names, slots, types and values are the format's; the words beside them are ours. [`Program`] is the root.

use crate::ScalarType;
use crate::flatbuffer::schema::{AlignedBytes, Of, enums, tables, unions};

enums! {
    /// Whether a tensor's sizes can change at run time.
    TensorShapeDynamism {
        /// The sizes are fixed.
        STATIC = 0,
        /// The sizes are upper bounds.
        DYNAMIC_BOUND = 1,
        /// The sizes are not bounded.
        DYNAMIC_UNBOUND = 2,
    }
    /// Where a tensor's data is kept.
    TensorDataLocation {
        /// In a segment of the program file.
        SEGMENT = 0,
        /// In a data file, under the tensor's fully qualified name.
        EXTERNAL = 1,
    }
    /// The kind of device that memory is on.
    DeviceType {
        /// The host.
        CPU = 0,
        /// An NVIDIA GPU.
        CUDA = 1,
    }
    /// Where a delegate's blob is kept.
    DataLocation {
        /// In `Program.backend_delegate_data`.
        INLINE = 0,
        /// In a segment.
        SEGMENT = 1,
    }
}

unions! {
    /// The type of a value.
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
    /// The type of an instruction.
    InstructionArguments => InstructionArgumentsValue<'a> {
        1 KernelCall,
        2 DelegateCall,
        3 MoveCall,
        4 JumpFalseCall,
        5 FreeCall,
    }
}

tables! {
    /// A whole program: its methods, and where their data is.
    Program<'a> = 1 {
        /// Version of the schema's meaning; 0 is the only one there has been.
        0 version: u32,
        /// The methods.
        1 execution_plan: [ExecutionPlan<'a>],
        /// Constants inside the FlatBuffer, entry 0 a placeholder; replaced by `constant_segment`.
        2 constant_buffer: [Buffer<'a>],
        /// Delegate blobs inside the FlatBuffer.
        3 backend_delegate_data: [BackendDelegateInlineData<'a>],
        /// The data behind the FlatBuffer, relative to the header's base.
        4 segments: [DataSegment<'a>],
        /// The segment of constants, and where in it each begins.
        5 constant_segment: SubsegmentOffsets<'a>,
        /// The segments of initial values of mutable tensors.
        6 mutable_data_segments: [SubsegmentOffsets<'a>],
        /// Blobs looked up by key.
        7 named_data: [NamedData<'a>],
    }
    /// How a method's inputs and outputs are flattened, in the words of the exporter.
    ContainerMetadata<'a> = 2 {
        /// The tree of the inputs.
        0 encoded_inp_str: str,
        /// The tree of the outputs.
        1 encoded_out_str: str,
    }
    /// No value.
    Null<'a> = 3 {}
    /// A place in planned memory.
    AllocationDetails<'a> = 4 {
        /// Which planned buffer, from 1.
        0 memory_id: u32,
        /// Offset in it, low half.
        1 memory_offset_low: u32,
        /// Offset in it, high half.
        2 memory_offset_high: u32,
    }
    /// What a tensor has beyond the common fields.
    ExtraTensorInfo<'a> = 5 {
        /// Which entry of `Program.mutable_data_segments` holds the initial value.
        0 mutable_data_segments_idx: u64,
        /// The tensor's name in the exported module, its key in a data file.
        1 fully_qualified_name: str,
        /// Where the data is.
        2 location: TensorDataLocation,
        /// Which kind of device the data is on.
        3 device_type: DeviceType,
        /// Which device of that kind.
        4 device_index: i8,
    }
    /// A tensor.
    Tensor<'a> = 6 {
        /// Type of the elements.
        0 scalar_type: ScalarType,
        /// In elements; 0.
        1 storage_offset: i32,
        /// Extent of each dimension, in elements.
        2 sizes: [i32],
        /// The dimensions from the outermost in memory to the innermost.
        3 dim_order: [u8],
        /// What training said of it; inference ignores it.
        4 requires_grad: bool,
        /// Entry of the constants or of the mutable segment's offsets; 0 for none.
        5 data_buffer_idx: u32,
        /// Place in planned memory; absent for constants.
        6 allocation_info: AllocationDetails<'a>,
        /// 0 (strided).
        7 layout: i8,
        /// Whether the sizes are bounds.
        8 shape_dynamism: TensorShapeDynamism,
        /// Name, location and device.
        9 extra_tensor_info: ExtraTensorInfo<'a>,
    }
    /// An integer.
    Int<'a> = 7 {
        /// The value.
        0 int_val: i64,
    }
    /// A bool.
    Bool<'a> = 8 {
        /// The value.
        0 bool_val: bool,
    }
    /// A float.
    Double<'a> = 9 {
        /// The value.
        0 double_val: f64,
    }
    /// A string.
    String<'a> = 10 {
        /// The value.
        0 string_val: str,
    }
    /// Integers, by the values that hold them.
    IntList<'a> = 11 {
        /// Indexes into the plan's values.
        0 items: [i64],
    }
    /// Floats.
    DoubleList<'a> = 12 {
        /// The values themselves.
        0 items: [f64],
    }
    /// Bools.
    BoolList<'a> = 13 {
        /// The values themselves, one byte each.
        0 items: [bool],
    }
    /// Tensors, by the values that hold them.
    TensorList<'a> = 14 {
        /// Indexes into the plan's values.
        0 items: [i32],
    }
    /// Tensors that may be missing.
    OptionalTensorList<'a> = 15 {
        /// Indexes into the plan's values; -1 for a missing one.
        0 items: [i32],
    }
    /// One value of a plan.
    EValue<'a> = 16 {
        /// Its type.
        0 val_type: KernelTypes,
        /// The value.
        1 val: Of<KernelTypes>,
    }
    /// An operator that kernels implement.
    Operator<'a> = 17 {
        /// Such as `aten::add`.
        0 name: str,
        /// Such as `out`; may be empty.
        1 overload: str,
    }
    /// Runs a kernel.
    KernelCall<'a> = 18 {
        /// Index into the plan's operators.
        0 op_index: i32,
        /// Indexes into the plan's values.
        1 args: [i32],
    }
    /// Runs a delegate.
    DelegateCall<'a> = 19 {
        /// Index into the plan's delegates.
        0 delegate_index: i32,
        /// Indexes into the plan's values.
        1 args: [i32],
    }
    /// Copies a value.
    MoveCall<'a> = 20 {
        /// Index of the value read.
        0 move_from: i32,
        /// Index of the value written.
        1 move_to: i32,
    }
    /// Goes on elsewhere when a value is false.
    JumpFalseCall<'a> = 21 {
        /// Index of the value tested.
        0 cond_value_index: i32,
        /// Index of the instruction to go on with; the count of them ends the chain.
        1 destination_instruction: i32,
    }
    /// Drops a tensor's data.
    FreeCall<'a> = 22 {
        /// Index of the value.
        0 value_index: i32,
    }
    /// One instruction.
    Instruction<'a> = 23 {
        /// Its type.
        0 instr_args_type: InstructionArguments,
        /// What it does it to.
        1 instr_args: Of<InstructionArguments>,
    }
    /// A place in the exported model's source.
    Frame<'a> = 24 {
        /// The source file.
        0 filename: str,
        /// The line, from 1.
        1 lineno: i32,
        /// The function called.
        2 name: str,
        /// The line's text.
        3 context: str,
    }
    /// The call stack of one instruction.
    FrameList<'a> = 25 {
        /// Innermost last.
        0 items: [Frame<'a>],
    }
    /// Where a delegate's blob is.
    BackendDelegateDataReference<'a> = 26 {
        /// Which list `index` counts in.
        0 location: DataLocation,
        /// Index into `Program.backend_delegate_data` or `Program.segments`.
        1 index: u32,
    }
    /// One setting handed to a backend.
    CompileSpec<'a> = 27 {
        /// Its name.
        0 key: str,
        /// Its bytes, which only the backend reads.
        1 value: [u8],
    }
    /// A part of a method that a backend runs.
    BackendDelegate<'a> = 28 {
        /// The backend's name.
        0 id: str,
        /// The blob that the backend made of the part.
        1 processed: BackendDelegateDataReference<'a>,
        /// Settings for the backend.
        2 compile_specs: [CompileSpec<'a>],
    }
    /// A sequence of instructions.
    Chain<'a> = 29 {
        /// Not used by the runtime.
        0 inputs: [i32],
        /// Not used by the runtime.
        1 outputs: [i32],
        /// The instructions in order.
        2 instructions: [Instruction<'a>],
        /// One call stack an instruction, when kept.
        3 stacktrace: [FrameList<'a>],
    }
    /// One method.
    ExecutionPlan<'a> = 30 {
        /// The method's name, `forward` by custom.
        0 name: str,
        /// How inputs and outputs are flattened.
        1 container_meta_type: ContainerMetadata<'a>,
        /// Every value that an instruction can name.
        2 values: [EValue<'a>],
        /// Indexes of the inputs among the values.
        3 inputs: [i32],
        /// Indexes of the outputs among the values.
        4 outputs: [i32],
        /// The instructions; the first chain is run.
        5 chains: [Chain<'a>],
        /// The operators that kernel calls name.
        6 operators: [Operator<'a>],
        /// The delegates that delegate calls name.
        7 delegates: [BackendDelegate<'a>],
        /// Bytes of each planned buffer; entry 0 is reserved.
        8 non_const_buffer_sizes: [i64],
        /// Devices of the planned buffers that are not on the host.
        9 non_const_buffer_device: [NonConstBufferDevice<'a>],
    }
    /// The device of one planned buffer.
    NonConstBufferDevice<'a> = 31 {
        /// Index into `ExecutionPlan.non_const_buffer_sizes`.
        0 buffer_idx: i32,
        /// Which kind of device.
        1 device_type: DeviceType,
        /// Which device of that kind.
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
        /// Its bytes.
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
