//! **Large valid files from the generated builders**, for benchmarks and comparisons.
//!
//! They share no code with the writer of the `torchproof` package. Bytes depend on the arguments alone. Every tensor is
//! a 4 by 4 matrix of floats, so sizes follow from counts, and like official writers these share no table or vector
//! between tensors.
//!
//! All of them panic where a count passes what its field can hold or the FlatBuffer would pass 2 GiB. Long before that,
//! at 1,000,000 tables, [`verify`](super::verify) gives up: a tensor is three tables, or one in the older layout, and a
//! kernel call is two.

use flatbuffers::{FlatBufferBuilder, WIPOffset};

use super::generated::{ptd, ptd_older, pte};

/// Sizes of every tensor, in the types of the two fields that describe a shape.
const SIZES: [i32; 2] = [4, 4];
const DIM_ORDER: [u8; 2] = [0, 1];

/// Bytes of every tensor: 16 floats. A multiple of 16, so tensors that are laid end to end are aligned.
const TENSOR_BYTES: u64 = 64;

/// Distance between two segments of a `.ptd`, and what the first one is aligned to.
const SEGMENT_ALIGNMENT: u64 = 128;

/// The same for the older layout, which has one segment and aligns tensors in it.
const OLDER_ALIGNMENT: u32 = 16;

/// Bytes of the `FH01` header that mean something, and the bytes that it takes up.
const HEADER_BYTES: u32 = 40;
const PADDED_HEADER_BYTES: usize = 48;

/// A `.pte` with one method `forward` of `tensors` planned tensors and `instructions` kernel calls.
///
/// The file has no extended header and no segment data, as an exporter writes a model without weights. It loads and
/// runs on a runtime with nothing but its built-in operators: calls ask by turns for the size of a tensor and for the
/// sum of two integers, or always for the sum where there is no tensor. Three integers follow the tensors in the list
/// of values.
pub fn program(tensors: usize, instructions: usize) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let plan = forward(&mut fbb, tensors as u64, instructions as u64);
    let plans = fbb.create_vector(&[plan]);

    // What the exporter leaves of the places for weights. A runtime without the retired constant_buffer insists on it.
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

/// A `.pte` without methods' data and with `count` blobs named `blob.0`, `blob.1` and so on, each in a segment of its own.
///
/// The header has 32 bytes and the base is aligned as the official writer does. All data is zero.
pub fn program_with_named_data(count: usize) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let plan = forward(&mut fbb, 1, 1);
    let plans = fbb.create_vector(&[plan]);
    let count = count as u64;
    let blob = |index| pte::DataSegmentArgs { offset: index * SEGMENT_ALIGNMENT, size: TENSOR_BYTES };
    // The constants' own segment comes first, and is empty.
    let segments: Vec<_> = std::iter::once(pte::DataSegmentArgs { offset: 0, size: 0 })
        .chain((0..count).map(blob))
        .map(|segment| pte::DataSegment::create(&mut fbb, &segment))
        .collect();
    let segments = fbb.create_vector(&segments);
    let named: Vec<_> = (0..count)
        .map(|index| {
            let key = Some(fbb.create_string(&format!("blob.{index}")));
            pte::NamedData::create(&mut fbb, &pte::NamedDataArgs { key, segment_index: narrow(index + 1) })
        })
        .collect();
    let named = fbb.create_vector(&named);
    let offsets = fbb.create_vector(&[0_u64]);
    let constants = pte::SubsegmentOffsetsArgs { segment_index: 0, offsets: Some(offsets) };
    let constants = pte::SubsegmentOffsets::create(&mut fbb, &constants);
    let root = pte::ProgramArgs {
        execution_plan: Some(plans),
        segments: Some(segments),
        constant_segment: Some(constants),
        named_data: Some(named),
        ..Default::default()
    };
    let root = pte::Program::create(&mut fbb, &root);
    pte::finish_program_buffer(&mut fbb, root);
    let data = count.checked_sub(1).map_or(0, |last| last * SEGMENT_ALIGNMENT + TENSOR_BYTES);
    program_file(fbb.finished_data(), data)
}

/// The one plan of [`program`].
fn forward<'a>(fbb: &mut FlatBufferBuilder<'a>, tensors: u64, instructions: u64) -> WIPOffset<pte::ExecutionPlan<'a>> {
    let mut values: Vec<_> = (0..tensors).map(|index| planned_tensor(fbb, index)).collect();
    // The dimension to ask for, and what the two operators write to.
    values.extend([0; 3].map(|number| int(fbb, number)));
    let [dimension, size, sum] = [tensors, tensors + 1, tensors + 2].map(narrow::<i32>);

    let operators = [operator(fbb, "aten::sym_size", "int"), operator(fbb, "executorch_prim::add", "Scalar")];
    let calls: Vec<_> = (0..instructions)
        .map(|index| match index.checked_rem(tensors) {
            Some(tensor) if index % 2 == 0 => kernel_call(fbb, 0, [narrow(tensor), dimension, size]),
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
    let buffers = [0, narrow::<i64>(tensors * TENSOR_BYTES)];
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

/// Tensor number `index`, in its own place of the one planned buffer.
fn planned_tensor<'a>(fbb: &mut FlatBufferBuilder<'a>, index: u64) -> WIPOffset<pte::EValue<'a>> {
    let offset = index * TENSOR_BYTES;
    let place = pte::AllocationDetailsArgs {
        memory_id: 1,
        memory_offset_low: narrow(offset & u64::from(u32::MAX)),
        memory_offset_high: narrow(offset >> u32::BITS),
    };
    let tensor = pte::TensorArgs {
        scalar_type: pte::ScalarType::FLOAT,
        sizes: Some(fbb.create_vector(&SIZES)),
        dim_order: Some(fbb.create_vector(&DIM_ORDER)),
        allocation_info: Some(pte::AllocationDetails::create(fbb, &place)),
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

/// A whole `.ptd` of `tensors` tensors named `tensor.0`, `tensor.1` and so on, each in a segment of its own.
///
/// It is laid out as the Python writer of ExecuTorch does by default. All tensor data is zero.
pub fn flat_tensor(tensors: usize) -> Vec<u8> {
    // The last segment is not padded.
    let data = (tensors as u64).checked_sub(1).map_or(0, |last| last * SEGMENT_ALIGNMENT + TENSOR_BYTES);
    data_file(&flat_tensor_tables(tensors), SEGMENT_ALIGNMENT, data)
}

/// The FlatBuffer of [`flat_tensor`], without the header that such a file has in it and without its data.
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
                segment_index: narrow(index),
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

/// A whole `.ptd` in the older layout, of `tensors` tensors named as in [`flat_tensor`], all in one segment.
///
/// It is laid out as the Python writer of ExecuTorch 0.6.0 does by default. All tensor data is zero.
pub fn older_flat_tensor(tensors: usize) -> Vec<u8> {
    let mut fbb = FlatBufferBuilder::new();
    let tensors = tensors as u64;
    let metadata: Vec<_> = (0..tensors)
        .map(|index| {
            let tensor = ptd_older::TensorMetadataArgs {
                fully_qualified_name: Some(fbb.create_string(&name(index))),
                scalar_type: ptd_older::ScalarType::FLOAT,
                sizes: Some(fbb.create_vector(&SIZES)),
                dim_order: Some(fbb.create_vector(&DIM_ORDER)),
                segment_index: 0,
                offset: index * TENSOR_BYTES,
            };
            ptd_older::TensorMetadata::create(&mut fbb, &tensor)
        })
        .collect();
    let data = tensors * TENSOR_BYTES;
    let segment = ptd_older::DataSegment::create(&mut fbb, &ptd_older::DataSegmentArgs { offset: 0, size: data });

    let root = ptd_older::FlatTensorArgs {
        version: 0,
        tensor_alignment: OLDER_ALIGNMENT,
        tensors: Some(fbb.create_vector(&metadata)),
        segments: Some(fbb.create_vector(&[segment])),
        named_data: Some(fbb.create_vector::<WIPOffset<ptd_older::NamedData<'_>>>(&[])),
    };
    let root = ptd_older::FlatTensor::create(&mut fbb, &root);
    ptd_older::finish_flat_tensor_buffer(&mut fbb, root);
    data_file(fbb.finished_data(), u64::from(OLDER_ALIGNMENT), data)
}

/// Puts an `eh00` header into a finished FlatBuffer, between its identifier and the rest, and `data` zero bytes after it.
fn program_file(flatbuffer: &[u8], data: u64) -> Vec<u8> {
    const HEADER: u64 = 32;
    let (prefix, rest) = flatbuffer.split_at(8);
    let (root, identifier) = prefix.split_at(4);
    let root = root.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    let program = HEADER + flatbuffer.len() as u64;
    let base = program.next_multiple_of(SEGMENT_ALIGNMENT);
    let mut file = Vec::with_capacity(narrow(base + data));
    file.extend(narrow::<u32>(root + HEADER).to_le_bytes());
    file.extend(identifier);
    file.extend(b"eh00");
    file.extend(narrow::<u32>(HEADER).to_le_bytes());
    for field in [program, base, data] {
        file.extend(field.to_le_bytes());
    }
    file.resize(8 + narrow::<usize>(HEADER), 0);
    file.extend(rest);
    file.resize(narrow(base + data), 0);
    file
}

/// Puts the `FH01` header into a finished FlatBuffer, between its identifier and the rest, and `data` zero bytes after
/// it from the next multiple of `alignment`.
fn data_file(flatbuffer: &[u8], alignment: u64, data: u64) -> Vec<u8> {
    let (prefix, rest) = flatbuffer.split_at(8);
    let (root, identifier) = prefix.split_at(4);
    let root = root.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
    let padded_header = PADDED_HEADER_BYTES as u64;
    let base = (padded_header + flatbuffer.len() as u64).next_multiple_of(alignment);

    let mut file = Vec::with_capacity(narrow(base + data));
    file.extend(narrow::<u32>(u64::from(root) + padded_header).to_le_bytes());
    file.extend(identifier);
    file.extend(b"FH01");
    file.extend(HEADER_BYTES.to_le_bytes());
    // The first of these is no offset in the file, whatever its name: it is the number of bytes that the header takes.
    for field in [padded_header, flatbuffer.len() as u64, base, data] {
        file.extend(field.to_le_bytes());
    }
    file.resize(8 + PADDED_HEADER_BYTES, 0);
    file.extend(rest);
    file.resize(narrow(base + data), 0);
    file
}

fn name(index: u64) -> String {
    format!("tensor.{index}")
}

/// `number` in the type that its field wants.
fn narrow<T: TryFrom<u64>>(number: u64) -> T {
    T::try_from(number).unwrap_or_else(|_| panic!("{number} does not fit its field"))
}
