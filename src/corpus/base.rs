//! The files that cases start from: small but complete, and most of them are accepted by the official runtime.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::ScalarType;
use crate::bundled::schema as bpte;
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::{TableType, TableView};
use crate::flatbuffer::tree::TableTree;
use crate::patch::Patcher;
use crate::ptd::legacy_schema::{LegacyFlatTensor, LegacyNamedData, TensorMetadata};
use crate::ptd::schema::{FlatTensor, NamedData, TensorLayout};
pub(super) use crate::pte::builder::{chain, instruction};
use crate::pte::schema as pte;
use crate::pte::{HeaderKind, ProgramLayout};
use crate::write::SegmentData;
use crate::{ptd, pte as program};

pub(super) type BaseBytes = Result<Vec<u8>, String>;

pub(super) fn write_program(root: &TableTree, segments: &[&[u8]]) -> BaseBytes {
    write_program_as(root, segments, &ProgramLayout::default())
}

pub(super) fn write_program_as(root: &TableTree, segments: &[&[u8]], layout: &ProgramLayout) -> BaseBytes {
    let segments: Vec<_> = segments.iter().map(|bytes| SegmentData::new(bytes)).collect();
    program::write(root, &segments, layout).map_err(|error| error.to_string())
}

pub(super) fn write_without_header(root: &TableTree) -> BaseBytes {
    write_program_as(root, &[], &ProgramLayout { header: HeaderKind::Never, ..ProgramLayout::default() })
}

/// A layout with a header of this length, even for a program without segments.
pub(super) fn with_header(length: u32) -> ProgramLayout {
    ProgramLayout { header: HeaderKind::Always(length), ..ProgramLayout::default() }
}

pub(super) fn write_data(root: &TableTree, segments: &[&[u8]], layout: ptd::DataLayout) -> BaseBytes {
    let segments: Vec<_> = segments.iter().map(|bytes| SegmentData::new(bytes)).collect();
    ptd::write(root, &segments, &layout).map_err(|error| error.to_string())
}

/// Returns the bytes 1, 2, 3 and so on. After 250, they start again from 0.
pub(super) fn ramp(len: usize) -> Vec<u8> {
    (1..=len).map(|value| u8::try_from(value % 251).unwrap_or(0)).collect()
}

pub(super) fn value(tag: TableTree) -> TableTree {
    TableTree::new(pte::EValue::TYPE).with("val", tag)
}

pub(super) fn int(value: i64) -> TableTree {
    TableTree::new(pte::Int::TYPE).with("int_val", value)
}

pub(super) fn boolean(value: bool) -> TableTree {
    TableTree::new(pte::Bool::TYPE).with("bool_val", value)
}

pub(super) fn double(value: f64) -> TableTree {
    TableTree::new(pte::Double::TYPE).with("double_val", value)
}

pub(super) fn string(value: &str) -> TableTree {
    TableTree::new(pte::String::TYPE).with("string_val", value)
}

fn shaped(ty: &'static TableType, scalar: ScalarType, sizes: &[i32]) -> TableTree {
    let order: Vec<u8> = (0..=u8::MAX).take(sizes.len()).collect();
    TableTree::new(ty).with("scalar_type", scalar.0).with("sizes", sizes.to_vec()).with("dim_order", order)
}

pub(super) fn tensor(sizes: &[i32]) -> TableTree {
    shaped(pte::Tensor::TYPE, ScalarType::FLOAT, sizes)
}

pub(super) fn planned(offset: u32) -> TableTree {
    let place = TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1).with("memory_offset_low", offset);
    tensor(&[2, 2]).with("allocation_info", place)
}

pub(super) fn extra(name: &str, location: pte::TensorDataLocation) -> TableTree {
    TableTree::new(pte::ExtraTensorInfo::TYPE)
        .with("mutable_data_segments_idx", 0)
        .with("fully_qualified_name", name)
        .with("location", location.0)
        .with("device_type", pte::DeviceType::CPU.0)
        .with("device_index", 0)
}

pub(super) fn constant(index: u32) -> TableTree {
    tensor(&[2, 2]).with("data_buffer_idx", index)
}

pub(super) fn operator() -> TableTree {
    TableTree::new(pte::Operator::TYPE).with("name", "aten::add").with("overload", "out")
}

/// Calls the first operator. The arguments are the two operands, alpha, the output and the result.
pub(super) fn add(args: [i32; 5]) -> TableTree {
    instruction(TableTree::new(pte::KernelCall::TYPE).with("op_index", 0).with("args", args.to_vec()))
}

pub(super) fn kernel_call() -> TableTree {
    add([0, 1, 3, 2, 2])
}

/// The method adds `first` to its input.
pub(super) fn plan(first: TableTree) -> TableTree {
    let shapes = TableTree::new(pte::ContainerMetadata::TYPE).with("encoded_inp_str", "").with("encoded_out_str", "");
    TableTree::new(pte::ExecutionPlan::TYPE)
        .with("name", "forward")
        .with("container_meta_type", shapes)
        .with("values", [first, planned(0), planned(16), int(1)].map(value).to_vec())
        .with("inputs", vec![1])
        .with("outputs", vec![2])
        .with("chains", vec![chain(vec![kernel_call()])])
        .with("operators", vec![operator()])
        .with("delegates", Vec::<TableTree>::new())
        .with("non_const_buffer_sizes", vec![0_i64, 32])
}

/// Values 0 to 3 must be a constant, the input, the output and an integer, in this order.
pub(super) fn method(values: impl IntoIterator<Item = TableTree>) -> TableTree {
    let values: Vec<TableTree> = values.into_iter().map(value).collect();
    plan(constant(1)).with("values", values)
}

pub(super) fn device(buffer: i32) -> TableTree {
    TableTree::new(pte::NonConstBufferDevice::TYPE)
        .with("buffer_idx", buffer)
        .with("device_type", pte::DeviceType::CPU.0)
        .with("device_index", 0)
}

pub(super) fn delegate(location: pte::DataLocation, index: u32, specs: &[(&str, &[u8])]) -> TableTree {
    let processed =
        TableTree::new(pte::BackendDelegateDataReference::TYPE).with("location", location.0).with("index", index);
    let spec = |(key, value): &(&str, &[u8])| {
        TableTree::new(pte::CompileSpec::TYPE).with("key", *key).with("value", value.to_vec())
    };
    TableTree::new(pte::BackendDelegate::TYPE)
        .with("id", "ExampleBackend")
        .with("processed", processed)
        .with("compile_specs", specs.iter().map(spec).collect::<Vec<_>>())
}

pub(super) fn segment(offset: u64, size: u64) -> TableTree {
    TableTree::new(pte::DataSegment::TYPE).with("offset", offset).with("size", size)
}

pub(super) fn subsegments(segment: u32, offsets: &[u64]) -> TableTree {
    TableTree::new(pte::SubsegmentOffsets::TYPE).with("segment_index", segment).with("offsets", offsets.to_vec())
}

pub(super) fn program_of(plans: Vec<TableTree>) -> TableTree {
    TableTree::new(pte::Program::TYPE)
        .with("execution_plan", plans)
        .with("constant_buffer", Vec::<TableTree>::new())
        .with("backend_delegate_data", Vec::<TableTree>::new())
}

/// Segment 0 contains the constants at `offsets`.
pub(super) fn program_with(plans: Vec<TableTree>, offsets: &[u64]) -> TableTree {
    program_of(plans).with("constant_segment", subsegments(0, offsets))
}

/// A program whose methods use the constant in [`constants_data`].
pub(super) fn program(plans: Vec<TableTree>) -> BaseBytes {
    write_program(&program_with(plans, &[0, 0]), &[&constants_data()])
}

pub(super) fn program_named(key: &str, segment: u32) -> TableTree {
    TableTree::new(pte::NamedData::TYPE).with("key", key).with("segment_index", segment)
}

/// A program with one constant in one segment.
pub(super) fn constants_tree() -> TableTree {
    program_with(vec![plan(constant(1))], &[0, 0])
}

pub(super) fn constants_data() -> Vec<u8> {
    ramp(16)
}

/// A program without data, for which the official writer emits no header.
pub(super) fn headerless_tree() -> TableTree {
    program_of(vec![plan(planned(0))])
        .with("segments", vec![segment(0, 0)])
        .with("constant_segment", subsegments(0, &[0]))
}

/// A program with three segments: one for constants and two for named blobs. The second blob has two names.
pub(super) fn named_data_tree() -> TableTree {
    let named = vec![program_named("alpha", 1), program_named("beta", 2), program_named("gamma", 2)];
    constants_tree().with("named_data", named)
}

pub(super) fn named_data_segments() -> [Vec<u8>; 3] {
    [ramp(16), ramp(48), ramp(5)]
}

/// A program that contains every table and every field of the schema.
pub(super) fn everything() -> BaseBytes {
    let state = planned(0)
        .with("data_buffer_idx", 1)
        .with("extra_tensor_info", extra("state", pte::TensorDataLocation::SEGMENT));
    let list = |ty, items: Vec<i32>| TableTree::new(ty).with("items", items);
    let values = [
        constant(1),
        planned(0)
            .with("storage_offset", 0)
            .with("requires_grad", true)
            .with("layout", 0)
            .with("shape_dynamism", pte::TensorShapeDynamism::DYNAMIC_BOUND.0),
        planned(16),
        int(1),
        state,
        TableTree::new(pte::Null::TYPE),
        boolean(true),
        double(0.1),
        string("text"),
        TableTree::new(pte::IntList::TYPE).with("items", vec![3_i64, 3]),
        TableTree::new(pte::DoubleList::TYPE).with("items", vec![0.5, -0.25]),
        TableTree::new(pte::BoolList::TYPE).with("items", vec![true, false]),
        list(pte::TensorList::TYPE, vec![1, 2]),
        list(pte::OptionalTensorList::TYPE, vec![1, -1]),
        planned(16),
    ];
    let calls = vec![
        kernel_call(),
        instruction(TableTree::new(pte::DelegateCall::TYPE).with("delegate_index", 0).with("args", vec![1, 2])),
        instruction(TableTree::new(pte::MoveCall::TYPE).with("move_from", 3).with("move_to", 3)),
        instruction(
            TableTree::new(pte::JumpFalseCall::TYPE).with("cond_value_index", 6).with("destination_instruction", 5),
        ),
        instruction(TableTree::new(pte::FreeCall::TYPE).with("value_index", 14)),
    ];
    let frame = TableTree::new(pte::Frame::TYPE)
        .with("filename", "model.py")
        .with("lineno", 7)
        .with("name", "forward")
        .with("context", "return x + self.weight");
    let stack = TableTree::new(pte::FrameList::TYPE).with("items", vec![frame]);
    let chain = TableTree::new(pte::Chain::TYPE)
        .with("inputs", vec![1])
        .with("outputs", vec![2])
        .with("instructions", calls)
        .with("stacktrace", vec![stack; 5]);
    let delegate = |location, index| delegate(location, index, &[("threads", &[4])]);
    let plan = method(values)
        .with("chains", vec![chain])
        .with("delegates", vec![delegate(pte::DataLocation::INLINE, 0), delegate(pte::DataLocation::SEGMENT, 2)])
        .with("non_const_buffer_device", vec![device(1)]);
    let inline = TableTree::new(pte::BackendDelegateInlineData::TYPE).with("data", ramp(8));
    let root = TableTree::new(pte::Program::TYPE)
        .with("version", 0)
        .with("execution_plan", vec![plan])
        .with("constant_buffer", Vec::<TableTree>::new())
        .with("backend_delegate_data", vec![inline])
        .with("constant_segment", subsegments(0, &[0, 0]))
        .with("mutable_data_segments", vec![subsegments(1, &[0, 0])])
        .with("named_data", vec![program_named("metadata.general.name", 3)]);
    write_program(&root, &[&ramp(16), &ramp(16), &ramp(24), b"everything"])
}

/// A program with constant buffers, which writers used before constant segments existed.
pub(super) fn constant_buffer() -> BaseBytes {
    let buffer = |bytes: Vec<u8>| TableTree::new(pte::Buffer::TYPE).with("storage", bytes);
    let root = TableTree::new(pte::Program::TYPE)
        .with("execution_plan", vec![plan(constant(1))])
        .with("constant_buffer", vec![buffer(Vec::new()), buffer(ramp(16))])
        .with("backend_delegate_data", Vec::<TableTree>::new())
        .with("segments", Vec::<TableTree>::new());
    write_without_header(&root)
}

/// A program without constants, encoded as in ExecuTorch releases 0.2 and 0.3.
pub(super) fn without_offsets() -> BaseBytes {
    let buffer = TableTree::new(pte::Buffer::TYPE).with("storage", Vec::<u8>::new());
    let root = program_of(vec![plan(planned(0))])
        .with("constant_buffer", vec![buffer])
        .with("segments", Vec::<TableTree>::new())
        .with("constant_segment", subsegments(0, &[]));
    write_without_header(&root)
}

fn layout(scalar: ScalarType, sizes: &[i32]) -> TableTree {
    shaped(TensorLayout::TYPE, scalar, sizes)
}

pub(super) fn named(key: &str, segment: u32, layout: Option<TableTree>) -> TableTree {
    let entry = TableTree::new(NamedData::TYPE).with("key", key).with("segment_index", segment);
    match layout {
        Some(layout) => entry.with("tensor_layout", layout),
        None => entry,
    }
}

/// A data file with three tensors, each in its own segment.
pub(super) fn tensors() -> BaseBytes {
    let entries = vec![
        named("weight", 0, Some(layout(ScalarType::FLOAT, &[4, 3]))),
        named("bias", 1, Some(layout(ScalarType::LONG, &[4]))),
        named("scale", 2, Some(layout(ScalarType::DOUBLE, &[2]))),
    ];
    data(entries, &[&ramp(48), &ramp(32), &ramp(16)])
}

pub(super) fn data(entries: Vec<TableTree>, segments: &[&[u8]]) -> BaseBytes {
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
    write_data(&root, segments, ptd::DataLayout::CURRENT)
}

/// A data file with a 16-dimensional tensor, whose `sizes` and `dim_order` have room for a seventeenth dimension.
pub(super) fn rank_16() -> BaseBytes {
    let mut file = Patcher::new(data(vec![named("r", 0, Some(floats(&[1; 17])))], &[&ramp(4)])?);
    file.count("named_data[0].tensor_layout.sizes", 16);
    file.count("named_data[0].tensor_layout.dim_order", 16);
    Ok(file.finish()?.bytes)
}

pub(super) fn floats(sizes: &[i32]) -> TableTree {
    layout(ScalarType::FLOAT, sizes)
}

/// The scalar type need not be in the schema.
pub(super) fn elements(scalar: i8, sizes: &[i32]) -> TableTree {
    layout(ScalarType(scalar), sizes)
}

fn metadata(name: &str, scalar: ScalarType, sizes: &[i32], offset: u64) -> TableTree {
    shaped(TensorMetadata::TYPE, scalar, sizes)
        .with("fully_qualified_name", name)
        .with("segment_index", 0)
        .with("offset", offset)
}

/// A legacy file with two tensors in one 64-byte segment, and a third tensor that shares its bytes with the first.
pub(super) fn legacy_tree() -> TableTree {
    let tensors = vec![
        metadata("weight", ScalarType::FLOAT, &[2, 3], 0),
        metadata("bias", ScalarType::LONG, &[4], 32),
        metadata("tied", ScalarType::FLOAT, &[2, 3], 0),
    ];
    TableTree::new(LegacyFlatTensor::TYPE).with("tensor_alignment", 16).with("tensors", tensors)
}

/// The `named_data` list is empty, as in files from the Python writer.
pub(super) fn legacy_tensors() -> BaseBytes {
    let root = legacy_tree().with("named_data", Vec::<TableTree>::new());
    write_data(&root, &[&ramp(64)], ptd::DataLayout::LEGACY)
}

/// The blob's segment follows the tensors' segment.
pub(super) fn legacy_blob(key: &str) -> BaseBytes {
    let blob = TableTree::new(LegacyNamedData::TYPE).with("key", key).with("segment_index", 1);
    let root = legacy_tree().with("named_data", vec![blob]);
    write_data(&root, &[&ramp(64), &ramp(40)], ptd::DataLayout::LEGACY)
}

fn bundled_floats(sizes: &[i32], data: Vec<u8>) -> TableTree {
    shaped(bpte::Tensor::TYPE, ScalarType::FLOAT, sizes).with("data", data)
}

fn test_case(inputs: Vec<TableTree>, outputs: Vec<TableTree>) -> TableTree {
    let values = |values: Vec<TableTree>| -> Vec<TableTree> {
        values.into_iter().map(|value| TableTree::new(bpte::Value::TYPE).with("val", value)).collect()
    };
    TableTree::new(bpte::BundledMethodTestCase::TYPE)
        .with("inputs", values(inputs))
        .with("expected_outputs", values(outputs))
}

fn bundle_of(program: Vec<u8>, cases: Vec<TableTree>) -> BaseBytes {
    let suite =
        TableTree::new(bpte::BundledMethodTestSuite::TYPE).with("method_name", "forward").with("test_cases", cases);
    bundle_with(program, vec![suite])
}

pub(super) fn bundle_with(program: Vec<u8>, suites: Vec<TableTree>) -> BaseBytes {
    let root = TableTree::new(bpte::BundledProgram::TYPE)
        .with("version", 2)
        .with("method_test_suites", suites)
        .with("program", program);
    encode(&root, crate::bundled::IDENTIFIER).map_err(|error| error.to_string())
}

/// The only method has one input and one output.
pub(super) fn bundled_program() -> BaseBytes {
    write_program(&constants_tree(), &[&constants_data()])
}

/// The test case has one input and one output.
fn bundle_of_one(program: Vec<u8>, tensor: TableTree) -> BaseBytes {
    bundle_of(program, vec![test_case(vec![tensor.clone()], vec![tensor])])
}

pub(super) fn bundle() -> BaseBytes {
    bundle_of_one(bundled_program()?, bundled_floats(&[2, 2], ramp(16)))
}

pub(super) fn bundle_without_outputs() -> BaseBytes {
    bundle_of(bundled_program()?, vec![test_case(vec![bundled_floats(&[2, 2], ramp(16))], Vec::new())])
}

/// The input and the output have dynamic sizes. The bundled tensors have fewer rows than the bound allows, but more
/// bytes than their sizes require.
pub(super) fn bundle_of_dynamic() -> BaseBytes {
    let dynamic = |offset| planned(offset).with("shape_dynamism", pte::TensorShapeDynamism::DYNAMIC_BOUND.0);
    let program = program(vec![method([constant(1), dynamic(0), dynamic(16), int(1)])])?;
    bundle_of_one(program, bundled_floats(&[1, 2], ramp(48)))
}

/// The input and the output have three dimensions.
pub(super) fn bundle_of_rank_3() -> BaseBytes {
    let cube = |offset| {
        let mut tensor = planned(offset);
        tensor.assign("sizes", vec![1, 2, 2]);
        tensor.assign("dim_order", vec![0_u8, 1, 2]);
        tensor
    };
    let program = program(vec![method([constant(1), cube(0), cube(16), int(1)])])?;
    bundle_of_one(program, bundled_floats(&[1, 2, 2], ramp(16)))
}

pub(super) fn bundle_expecting_int() -> BaseBytes {
    let int = TableTree::new(bpte::Int::TYPE).with("int_val", 1);
    bundle_of(bundled_program()?, vec![test_case(vec![bundled_floats(&[2, 2], ramp(16))], vec![int])])
}

pub(super) fn bundle_of_two_suites() -> BaseBytes {
    let suite = TableTree::new(bpte::BundledMethodTestSuite::TYPE)
        .with("method_name", "forward")
        .with("test_cases", Vec::<TableTree>::new());
    bundle_with(bundled_program()?, vec![suite.clone(), suite])
}

/// The method has one input per type and two tensor outputs.
pub(super) fn bundle_of_every_type() -> BaseBytes {
    let values = [constant(1), planned(0), planned(16), int(1), boolean(true), double(0.5)];
    let program = program(vec![method(values).with("inputs", vec![1, 3, 4, 5]).with("outputs", vec![2, 1])])?;
    let tensor = || bundled_floats(&[2, 2], ramp(16));
    let inputs = vec![
        tensor(),
        TableTree::new(bpte::Int::TYPE).with("int_val", 1),
        TableTree::new(bpte::Bool::TYPE).with("bool_val", true),
        TableTree::new(bpte::Double::TYPE).with("double_val", 0.5),
    ];
    bundle_of(program, vec![test_case(inputs, vec![tensor(), tensor()])])
}
