//! **Large valid files from the generated builders**, for benches and comparisons.
//!
//! The builders share no code with the `torchproof` package's writer, and the bytes depend only on the arguments. Every
//! tensor is a 4 by 4 matrix of floats that shares no table or vector with others, as in files by official writers.
//!
//! All builders panic if a count does not fit in its field, or if the FlatBuffer exceeds 2 GiB.
//! [`verify`](super::verify) has a lower limit: 1,000,000 tables, where a tensor counts three and a kernel call two.

use flatbuffers::{FlatBufferBuilder, WIPOffset};

use super::generated::{ptd, pte};

/// Each constant has its field's type.
const SIZES: [i32; 2] = [4, 4];
const DIM_ORDER: [u8; 2] = [0, 1];

/// 16 floats.
const TENSOR_BYTES: u64 = 64;

/// The distance in bytes between the starts of two segments, and the alignment of the first one.
const SEGMENT_ALIGNMENT: u64 = 128;

/// The `FH01` header without padding.
const HEADER_BYTES: u32 = 40;
const PADDED_HEADER_BYTES: usize = 48;

/// Builds a `.pte` with one method `forward`, which has `tensors` planned tensors and `instructions` kernel calls.
///
/// Like an exported model without weights, it has no extended header and no segment data, so a runtime with only
/// built-in operators can load and run it. The calls alternate between a tensor's size and the sum of two integers;
/// without tensors, all are sums. The last three values of the method are integers.
pub fn program(tensors: usize, instructions: usize) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let plan = forward(&mut fbb, tensors as u64, instructions as u64);
    let plans = fbb.create_vector(&[plan]);

    // Exporters write an empty constant segment, which runtimes without the `constant_buffer` field require.
    let segment = pte::DataSegment::create(&mut fbb, &pte::DataSegmentArgs::default());
    let segments = fbb.create_vector(&[segment]);
    let offsets = fbb.create_vector(&[0_u64]);
    let constants = pte::SubsegmentOffsetsArgs { segment_index: 0, offsets: Some(offsets) };
    let constants = pte::SubsegmentOffsets::create(&mut fbb, &constants);

    let root = pte::ProgramArgs {
        execution_plan: Some(plans),
        segments: Some(segments),
        constant_segment: Some(constants),
        ..Default::default()
    };
    let root = pte::Program::create(&mut fbb, &root);
    pte::finish_program_buffer(&mut fbb, root);
    fbb.finished_data().to_vec()
}

fn forward<'a>(fbb: &mut FlatBufferBuilder<'a>, tensors: u64, instructions: u64) -> WIPOffset<pte::ExecutionPlan<'a>> {
    let mut values: Vec<_> = (0..tensors).map(|index| planned_tensor(fbb, index)).collect();
    // Three integers follow the tensors: the dimension argument of `sym_size`, and the outputs of the two operators.
    values.extend([0; 3].map(|number| int(fbb, number)));
    let [dimension, size, sum] = [tensors, tensors + 1, tensors + 2].map(convert::<i32>);

    let operators = [operator(fbb, "aten::sym_size", "int"), operator(fbb, "executorch_prim::add", "Scalar")];
    let calls: Vec<_> = (0..instructions)
        .map(|index| match index.checked_rem(tensors) {
            Some(tensor) if index % 2 == 0 => kernel_call(fbb, 0, [convert(tensor), dimension, size]),
            _ => kernel_call(fbb, 1, [size, dimension, sum]),
        })
        .collect();

    let chain = pte::ChainArgs {
        inputs: Some(fbb.create_vector::<i32>(&[])),
        outputs: Some(fbb.create_vector::<i32>(&[])),
        instructions: Some(fbb.create_vector(&calls)),
        stacktrace: None,
    };
    let chain = pte::Chain::create(fbb, &chain);

    let first_tensor: &[i32] = if tensors == 0 { &[] } else { &[0] };
    let buffers = [0, convert::<i64>(tensors * TENSOR_BYTES)];
    let plan = pte::ExecutionPlanArgs {
        name: Some(fbb.create_string("forward")),
        container_meta_type: Some(pte::ContainerMetadata::create(fbb, &pte::ContainerMetadataArgs::default())),
        values: Some(fbb.create_vector(&values)),
        inputs: Some(fbb.create_vector(first_tensor)),
        outputs: Some(fbb.create_vector(&[size, sum])),
        chains: Some(fbb.create_vector(&[chain])),
        operators: Some(fbb.create_vector(&operators)),
        delegates: Some(fbb.create_vector::<WIPOffset<pte::BackendDelegate<'_>>>(&[])),
        non_const_buffer_sizes: Some(fbb.create_vector(&buffers)),
        non_const_buffer_device: None,
    };
    pte::ExecutionPlan::create(fbb, &plan)
}

/// Each tensor has its own offset in the planned buffer.
fn planned_tensor<'a>(fbb: &mut FlatBufferBuilder<'a>, index: u64) -> WIPOffset<pte::EValue<'a>> {
    let offset = index * TENSOR_BYTES;
    let allocation = pte::AllocationDetailsArgs {
        memory_id: 1,
        memory_offset_low: convert(offset & u64::from(u32::MAX)),
        memory_offset_high: convert(offset >> u32::BITS),
    };
    let tensor = pte::TensorArgs {
        scalar_type: pte::ScalarType::FLOAT,
        sizes: Some(fbb.create_vector(&SIZES)),
        dim_order: Some(fbb.create_vector(&DIM_ORDER)),
        allocation_info: Some(pte::AllocationDetails::create(fbb, &allocation)),
        ..Default::default()
    };
    let tensor = pte::Tensor::create(fbb, &tensor);
    let value = pte::EValueArgs { val_type: pte::KernelTypes::Tensor, val: Some(tensor.as_union_value()) };
    pte::EValue::create(fbb, &value)
}

fn int<'a>(fbb: &mut FlatBufferBuilder<'a>, int_val: i64) -> WIPOffset<pte::EValue<'a>> {
    let int = pte::Int::create(fbb, &pte::IntArgs { int_val });
    let value = pte::EValueArgs { val_type: pte::KernelTypes::Int, val: Some(int.as_union_value()) };
    pte::EValue::create(fbb, &value)
}

fn operator<'a>(fbb: &mut FlatBufferBuilder<'a>, name: &str, overload: &str) -> WIPOffset<pte::Operator<'a>> {
    let operator =
        pte::OperatorArgs { name: Some(fbb.create_string(name)), overload: Some(fbb.create_string(overload)) };
    pte::Operator::create(fbb, &operator)
}

fn kernel_call<'a>(fbb: &mut FlatBufferBuilder<'a>, op_index: i32, args: [i32; 3]) -> WIPOffset<pte::Instruction<'a>> {
    let call = pte::KernelCallArgs { op_index, args: Some(fbb.create_vector(&args)) };
    let call = pte::KernelCall::create(fbb, &call);
    let instruction = pte::InstructionArgs {
        instr_args_type: pte::InstructionArguments::KernelCall,
        instr_args: Some(call.as_union_value()),
    };
    pte::Instruction::create(fbb, &instruction)
}

/// Builds a complete `.ptd` of `tensors` tensors named `tensor.0`, `tensor.1` and so on, each in its own segment. The
/// layout is the default of ExecuTorch's Python writer, and all data is zero.
pub fn flat_tensor(tensors: usize) -> Vec<u8> {
    // The last segment has no padding at its end.
    let data = (tensors as u64).checked_sub(1).map_or(0, |last| last * SEGMENT_ALIGNMENT + TENSOR_BYTES);
    data_file(&flat_tensor_tables(tensors), data)
}

/// The FlatBuffer of [`flat_tensor`], without header and segment data.
pub fn flat_tensor_tables(tensors: usize) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let tensors = tensors as u64;
    let segments: Vec<_> = (0..tensors)
        .map(|index| {
            let segment = ptd::DataSegmentArgs { offset: index * SEGMENT_ALIGNMENT, size: TENSOR_BYTES };
            ptd::DataSegment::create(&mut fbb, &segment)
        })
        .collect();
    let named: Vec<_> = (0..tensors)
        .map(|index| {
            let layout = ptd::TensorLayoutArgs {
                scalar_type: ptd::ScalarType::FLOAT,
                sizes: Some(fbb.create_vector(&SIZES)),
                dim_order: Some(fbb.create_vector(&DIM_ORDER)),
            };
            let entry = ptd::NamedDataArgs {
                key: Some(fbb.create_string(&name(index))),
                segment_index: convert(index),
                tensor_layout: Some(ptd::TensorLayout::create(&mut fbb, &layout)),
            };
            ptd::NamedData::create(&mut fbb, &entry)
        })
        .collect();

    let root = ptd::FlatTensorArgs {
        version: 0,
        segments: Some(fbb.create_vector(&segments)),
        named_data: Some(fbb.create_vector(&named)),
    };
    let root = ptd::FlatTensor::create(&mut fbb, &root);
    ptd::finish_flat_tensor_buffer(&mut fbb, root);
    fbb.finished_data().to_vec()
}

/// Inserts the `FH01` header after the identifier, and appends `data` zero bytes at the next aligned offset.
fn data_file(flatbuffer: &[u8], data: u64) -> Vec<u8> {
    let (prefix, rest) = flatbuffer.split_at(8);
    let (root, identifier) = prefix.split_at(4);
    let root = root.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
    let padded_header = PADDED_HEADER_BYTES as u64;
    let base = (padded_header + flatbuffer.len() as u64).next_multiple_of(SEGMENT_ALIGNMENT);

    let mut file = Vec::with_capacity(convert(base + data));
    file.extend(convert::<u32>(u64::from(root) + padded_header).to_le_bytes());
    file.extend(identifier);
    file.extend(b"FH01");
    file.extend(HEADER_BYTES.to_le_bytes());
    // The format calls the first field an offset, but official writers store the size of the padded header in it.
    for field in [padded_header, flatbuffer.len() as u64, base, data] {
        file.extend(field.to_le_bytes());
    }
    file.resize(8 + PADDED_HEADER_BYTES, 0);
    file.extend(rest);
    file.resize(convert(base + data), 0);
    file
}

fn name(index: u64) -> String {
    format!("tensor.{index}")
}

/// Panics if the number does not fit.
fn convert<T: TryFrom<u64>>(number: u64) -> T {
    T::try_from(number).unwrap_or_else(|_| panic!("{number} does not fit its field"))
}
