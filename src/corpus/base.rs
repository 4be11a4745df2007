//! The bases of cases: small complete files. The official runtime accepts most of the base files.

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
use crate::pte::schema as pte;
use crate::pte::{HeaderKind, ProgramLayout};
use crate::write::SegmentData;
use crate::{ptd, pte as program};

/// The result of a function that builds a base: the bytes of the file, or an error message.
pub(super) type BaseBytes = Result<Vec<u8>, String>;

/// Writes a program with the official writer's layout.
pub(super) fn write_program(root: &TableTree, segments: &[&[u8]]) -> BaseBytes {
    write_program_as(root, segments, &ProgramLayout::default())
}

/// Writes a program with the given layout.
pub(super) fn write_program_as(root: &TableTree, segments: &[&[u8]], layout: &ProgramLayout) -> BaseBytes {
    let segments: Vec<_> = segments.iter().map(|bytes| SegmentData::new(bytes)).collect();
    program::write(root, &segments, layout).map_err(|error| error.to_string())
}

/// Returns a layout with a header of the given length, even for a program without segments.
pub(super) fn with_header(length: u32) -> ProgramLayout {
    ProgramLayout { header: HeaderKind::Always(length), ..ProgramLayout::default() }
}

/// Writes a data file with the given layout.
pub(super) fn write_data(root: &TableTree, segments: &[&[u8]], layout: ptd::DataLayout) -> BaseBytes {
    let segments: Vec<_> = segments.iter().map(|bytes| SegmentData::new(bytes)).collect();
    ptd::write(root, &segments, &layout).map_err(|error| error.to_string())
}

/// Returns `len` bytes: 1, 2, 3 and so on. After 250, the values begin again at 0.
pub(super) fn ramp(len: usize) -> Vec<u8> {
    (1..=len).map(|value| u8::try_from(value % 251).unwrap_or(0)).collect()
}

pub(super) fn value(tag: TableTree) -> TableTree {
    TableTree::new(pte::EValue::TYPE).with("val", tag)
}

/// Returns a table of the type `ty` with the given scalar type and sizes. The dimension order is 0, 1, 2 and so on.
fn shaped(ty: &'static TableType, scalar: ScalarType, sizes: &[i32]) -> TableTree {
    let order: Vec<u8> = (0..=u8::MAX).take(sizes.len()).collect();
    TableTree::new(ty).with("scalar_type", scalar.0).with("sizes", sizes.to_vec()).with("dim_order", order)
}

pub(super) fn tensor(sizes: &[i32]) -> TableTree {
    shaped(pte::Tensor::TYPE, ScalarType::FLOAT, sizes)
}

/// Returns a tensor at the given offset in planned memory.
pub(super) fn planned(offset: u32) -> TableTree {
    let place = TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1).with("memory_offset_low", offset);
    tensor(&[2, 2]).with("allocation_info", place)
}

/// Returns the extra information of a named tensor.
pub(super) fn extra(name: &str, location: pte::TensorDataLocation) -> TableTree {
    TableTree::new(pte::ExtraTensorInfo::TYPE)
        .with("mutable_data_segments_idx", 0)
        .with("fully_qualified_name", name)
        .with("location", location.0)
        .with("device_type", pte::DeviceType::CPU.0)
        .with("device_index", 0)
}

/// Returns a constant tensor with the given `data_buffer_idx`.
pub(super) fn constant(index: u32) -> TableTree {
    tensor(&[2, 2]).with("data_buffer_idx", index)
}

pub(super) fn operator() -> TableTree {
    TableTree::new(pte::Operator::TYPE).with("name", "aten::add").with("overload", "out")
}

pub(super) fn instruction(call: TableTree) -> TableTree {
    TableTree::new(pte::Instruction::TYPE).with("instr_args", call)
}

/// Returns a call of `aten::add` with the given arguments: two operands, alpha, output and result.
pub(super) fn add(args: [i32; 5]) -> TableTree {
    instruction(TableTree::new(pte::KernelCall::TYPE).with("op_index", 0).with("args", args.to_vec()))
}

pub(super) fn kernel_call() -> TableTree {
    add([0, 1, 3, 2, 2])
}

pub(super) fn chain(instructions: Vec<TableTree>) -> TableTree {
    TableTree::new(pte::Chain::TYPE)
        .with("inputs", Vec::<i32>::new())
        .with("outputs", Vec::<i32>::new())
        .with("instructions", instructions)
}

/// Returns a method that adds the given tensor to the method's input.
pub(super) fn plan(first: TableTree) -> TableTree {
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let shapes = TableTree::new(pte::ContainerMetadata::TYPE).with("encoded_inp_str", "").with("encoded_out_str", "");
    TableTree::new(pte::ExecutionPlan::TYPE)
        .with("name", "forward")
        .with("container_meta_type", shapes)
        .with("values", vec![value(first), value(planned(0)), value(planned(16)), value(alpha)])
        .with("inputs", vec![1])
        .with("outputs", vec![2])
        .with("chains", vec![chain(vec![kernel_call()])])
        .with("operators", vec![operator()])
        .with("delegates", Vec::<TableTree>::new())
        .with("non_const_buffer_sizes", vec![0_i64, 32])
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

/// Returns an entry of a program's named data.
pub(super) fn program_named(key: &str, segment: u32) -> TableTree {
    TableTree::new(pte::NamedData::TYPE).with("key", key).with("segment_index", segment)
}

/// Returns a program with one constant in one segment.
pub(super) fn constants_tree() -> TableTree {
    program_of(vec![plan(constant(1))]).with("constant_segment", subsegments(0, &[0, 0]))
}

/// Returns the bytes of the segment of [`constants_tree`].
pub(super) fn constants_data() -> Vec<u8> {
    ramp(16)
}

/// Returns a program without data. The official writer emits no header for a program without data.
pub(super) fn headerless_tree() -> TableTree {
    let empty = TableTree::new(pte::DataSegment::TYPE).with("offset", 0).with("size", 0);
    program_of(vec![plan(planned(0))]).with("segments", vec![empty]).with("constant_segment", subsegments(0, &[0]))
}

/// Returns a program with three segments: constants and two named blobs. The second named blob has two names.
pub(super) fn named_data_tree() -> TableTree {
    let named = vec![program_named("alpha", 1), program_named("beta", 2), program_named("gamma", 2)];
    constants_tree().with("named_data", named)
}

/// Returns the bytes of the segments of [`named_data_tree`].
pub(super) fn named_data_segments() -> [Vec<u8>; 3] {
    [ramp(16), ramp(48), ramp(5)]
}

/// Returns a program with every table and every field of the schema.
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
        TableTree::new(pte::Int::TYPE).with("int_val", 1),
        state,
        TableTree::new(pte::Null::TYPE),
        TableTree::new(pte::Bool::TYPE).with("bool_val", true),
        TableTree::new(pte::Double::TYPE).with("double_val", 0.1),
        TableTree::new(pte::String::TYPE).with("string_val", "text"),
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
    let spec = TableTree::new(pte::CompileSpec::TYPE).with("key", "threads").with("value", vec![4_u8]);
    let delegate = |location: pte::DataLocation, index: u32| {
        let processed =
            TableTree::new(pte::BackendDelegateDataReference::TYPE).with("location", location.0).with("index", index);
        TableTree::new(pte::BackendDelegate::TYPE)
            .with("id", "ExampleBackend")
            .with("processed", processed)
            .with("compile_specs", vec![spec.clone()])
    };
    let device = TableTree::new(pte::NonConstBufferDevice::TYPE)
        .with("buffer_idx", 1)
        .with("device_type", pte::DeviceType::CPU.0)
        .with("device_index", 0);
    let plan = plan(constant(1))
        .with("values", values.map(value).to_vec())
        .with("chains", vec![chain])
        .with("delegates", vec![delegate(pte::DataLocation::INLINE, 0), delegate(pte::DataLocation::SEGMENT, 2)])
        .with("non_const_buffer_device", vec![device]);
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

/// Returns a program with constant buffers, which writers used before constant segments existed.
pub(super) fn constant_buffer() -> BaseBytes {
    let buffer = |bytes: Vec<u8>| TableTree::new(pte::Buffer::TYPE).with("storage", bytes);
    let root = TableTree::new(pte::Program::TYPE)
        .with("execution_plan", vec![plan(constant(1))])
        .with("constant_buffer", vec![buffer(Vec::new()), buffer(ramp(16))])
        .with("backend_delegate_data", Vec::<TableTree>::new())
        .with("segments", Vec::<TableTree>::new());
    write_program_as(&root, &[], &ProgramLayout { header: HeaderKind::Never, ..ProgramLayout::default() })
}

/// Returns a program without constants, encoded like a program from ExecuTorch release 0.2 or 0.3.
pub(super) fn without_offsets() -> BaseBytes {
    let buffer = TableTree::new(pte::Buffer::TYPE).with("storage", Vec::<u8>::new());
    let root = program_of(vec![plan(planned(0))])
        .with("constant_buffer", vec![buffer])
        .with("segments", Vec::<TableTree>::new())
        .with("constant_segment", subsegments(0, &[]));
    write_program_as(&root, &[], &ProgramLayout { header: HeaderKind::Never, ..ProgramLayout::default() })
}

fn layout(scalar: ScalarType, sizes: &[i32]) -> TableTree {
    shaped(TensorLayout::TYPE, scalar, sizes)
}

/// Returns an entry of a data file: a tensor with the given layout, or an opaque blob if `layout` is `None`.
pub(super) fn named(key: &str, segment: u32, layout: Option<TableTree>) -> TableTree {
    let entry = TableTree::new(NamedData::TYPE).with("key", key).with("segment_index", segment);
    match layout {
        Some(layout) => entry.with("tensor_layout", layout),
        None => entry,
    }
}

/// Returns a data file with three tensors, each in its own segment.
pub(super) fn tensors() -> BaseBytes {
    let entries = vec![
        named("weight", 0, Some(layout(ScalarType::FLOAT, &[4, 3]))),
        named("bias", 1, Some(layout(ScalarType::LONG, &[4]))),
        named("scale", 2, Some(layout(ScalarType::DOUBLE, &[2]))),
    ];
    data(entries, &[&ramp(48), &ramp(32), &ramp(16)])
}

/// Returns a data file with the given entries and segments.
pub(super) fn data(entries: Vec<TableTree>, segments: &[&[u8]]) -> BaseBytes {
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
    write_data(&root, segments, ptd::DataLayout::CURRENT)
}

/// Returns a data file with a tensor of 16 dimensions. The lists `sizes` and `dim_order` each have room for a
/// seventeenth entry.
pub(super) fn rank_16() -> BaseBytes {
    let mut file = Patcher::new(data(vec![named("r", 0, Some(floats(&[1; 17])))], &[&ramp(4)])?);
    file.count("named_data[0].tensor_layout.sizes", 16);
    file.count("named_data[0].tensor_layout.dim_order", 16);
    Ok(file.finish()?.bytes)
}

/// Returns the layout of a float tensor with the given sizes.
pub(super) fn floats(sizes: &[i32]) -> TableTree {
    layout(ScalarType::FLOAT, sizes)
}

/// Returns a layout with the given scalar type, even if the schema does not define the type.
pub(super) fn elements(scalar: i8, sizes: &[i32]) -> TableTree {
    layout(ScalarType(scalar), sizes)
}

fn metadata(name: &str, scalar: ScalarType, sizes: &[i32], offset: u64) -> TableTree {
    shaped(TensorMetadata::TYPE, scalar, sizes)
        .with("fully_qualified_name", name)
        .with("segment_index", 0)
        .with("offset", offset)
}

/// Returns the root table of a legacy data file.
///
/// Two tensors are in one segment of 64 bytes. A third tensor shares the bytes of the first tensor.
pub(super) fn legacy_tree() -> TableTree {
    let tensors = vec![
        metadata("weight", ScalarType::FLOAT, &[2, 3], 0),
        metadata("bias", ScalarType::LONG, &[4], 32),
        metadata("tied", ScalarType::FLOAT, &[2, 3], 0),
    ];
    TableTree::new(LegacyFlatTensor::TYPE).with("tensor_alignment", 16).with("tensors", tensors)
}

/// Returns a legacy data file whose list of named data is empty, as in files from the Python writer.
pub(super) fn legacy_tensors() -> BaseBytes {
    let root = legacy_tree().with("named_data", Vec::<TableTree>::new());
    write_data(&root, &[&ramp(64)], ptd::DataLayout::LEGACY)
}

/// Returns a legacy data file with a named blob. The blob's segment follows the segment of the tensors.
pub(super) fn legacy_blob(key: &str) -> BaseBytes {
    let blob = TableTree::new(LegacyNamedData::TYPE).with("key", key).with("segment_index", 1);
    let root = legacy_tree().with("named_data", vec![blob]);
    write_data(&root, &[&ramp(64), &ramp(40)], ptd::DataLayout::LEGACY)
}

/// Returns a bundled float tensor with the given data.
fn bundled_floats(sizes: &[i32], data: Vec<u8>) -> TableTree {
    shaped(bpte::Tensor::TYPE, ScalarType::FLOAT, sizes).with("data", data)
}

/// Returns a test case with the given inputs and expected outputs.
fn test_case(inputs: Vec<TableTree>, outputs: Vec<TableTree>) -> TableTree {
    let values = |values: Vec<TableTree>| -> Vec<TableTree> {
        values.into_iter().map(|value| TableTree::new(bpte::Value::TYPE).with("val", value)).collect()
    };
    TableTree::new(bpte::BundledMethodTestCase::TYPE)
        .with("inputs", values(inputs))
        .with("expected_outputs", values(outputs))
}

/// Returns a bundled program with the given test cases for the method `forward`.
fn bundle_of(program: Vec<u8>, cases: Vec<TableTree>) -> BaseBytes {
    let suite =
        TableTree::new(bpte::BundledMethodTestSuite::TYPE).with("method_name", "forward").with("test_cases", cases);
    bundle_with(program, vec![suite])
}

/// Returns a bundled program with the given test suites.
pub(super) fn bundle_with(program: Vec<u8>, suites: Vec<TableTree>) -> BaseBytes {
    let root = TableTree::new(bpte::BundledProgram::TYPE)
        .with("version", 2)
        .with("method_test_suites", suites)
        .with("program", program);
    encode(&root, crate::bundled::IDENTIFIER).map_err(|error| error.to_string())
}

/// Returns the program that most bundled programs of this module contain. The program's only method has one input and
/// one output.
pub(super) fn bundled_program() -> BaseBytes {
    write_program(&constants_tree(), &[&constants_data()])
}

/// Returns a bundled program with one test case.
pub(super) fn bundle() -> BaseBytes {
    let tensor = || bundled_floats(&[2, 2], ramp(16));
    bundle_of(bundled_program()?, vec![test_case(vec![tensor()], vec![tensor()])])
}

/// Returns a bundled program whose only test case has no expected outputs.
pub(super) fn bundle_without_outputs() -> BaseBytes {
    bundle_of(bundled_program()?, vec![test_case(vec![bundled_floats(&[2, 2], ramp(16))], Vec::new())])
}

/// Returns a bundled program whose method has an input and an output of dynamic sizes. The bundled tensors have fewer
/// rows than the upper limits. The data of each bundled tensor has more bytes than the tensor's sizes require.
pub(super) fn bundle_of_dynamic() -> BaseBytes {
    let dynamic = |offset| planned(offset).with("shape_dynamism", pte::TensorShapeDynamism::DYNAMIC_BOUND.0);
    let values = [constant(1), dynamic(0), dynamic(16), TableTree::new(pte::Int::TYPE).with("int_val", 1)];
    let plan = plan(constant(1)).with("values", values.map(value).to_vec());
    let program = program_of(vec![plan]).with("constant_segment", subsegments(0, &[0, 0]));
    let tensor = || bundled_floats(&[1, 2], ramp(48));
    bundle_of(write_program(&program, &[&constants_data()])?, vec![test_case(vec![tensor()], vec![tensor()])])
}

/// Returns a bundled program whose method has an input and an output of three dimensions.
pub(super) fn bundle_of_rank_3() -> BaseBytes {
    let cube = |offset| {
        let mut tensor = planned(offset);
        tensor.assign("sizes", vec![1, 2, 2]);
        tensor.assign("dim_order", vec![0_u8, 1, 2]);
        tensor
    };
    let values = [constant(1), cube(0), cube(16), TableTree::new(pte::Int::TYPE).with("int_val", 1)];
    let plan = plan(constant(1)).with("values", values.map(value).to_vec());
    let program = program_of(vec![plan]).with("constant_segment", subsegments(0, &[0, 0]));
    let tensor = || bundled_floats(&[1, 2, 2], ramp(16));
    bundle_of(write_program(&program, &[&constants_data()])?, vec![test_case(vec![tensor()], vec![tensor()])])
}

/// Returns a bundled program whose test case expects an Int.
pub(super) fn bundle_expecting_int() -> BaseBytes {
    let int = TableTree::new(bpte::Int::TYPE).with("int_val", 1);
    bundle_of(bundled_program()?, vec![test_case(vec![bundled_floats(&[2, 2], ramp(16))], vec![int])])
}

/// Returns a bundled program with two suites for the same method.
pub(super) fn bundle_of_two_suites() -> BaseBytes {
    let suite = TableTree::new(bpte::BundledMethodTestSuite::TYPE)
        .with("method_name", "forward")
        .with("test_cases", Vec::<TableTree>::new());
    bundle_with(bundled_program()?, vec![suite.clone(), suite])
}

/// Returns a bundled program whose method has an input of every type and two tensor outputs.
pub(super) fn bundle_of_every_type() -> BaseBytes {
    let values = [
        constant(1),
        planned(0),
        planned(16),
        TableTree::new(pte::Int::TYPE).with("int_val", 1),
        TableTree::new(pte::Bool::TYPE).with("bool_val", true),
        TableTree::new(pte::Double::TYPE).with("double_val", 0.5),
    ];
    let plan = plan(constant(1))
        .with("values", values.map(value).to_vec())
        .with("inputs", vec![1, 3, 4, 5])
        .with("outputs", vec![2, 1]);
    let program = program_of(vec![plan]).with("constant_segment", subsegments(0, &[0, 0]));
    let program = write_program(&program, &[&constants_data()])?;
    let tensor = || bundled_floats(&[2, 2], ramp(16));
    let inputs = vec![
        tensor(),
        TableTree::new(bpte::Int::TYPE).with("int_val", 1),
        TableTree::new(bpte::Bool::TYPE).with("bool_val", true),
        TableTree::new(bpte::Double::TYPE).with("double_val", 0.5),
    ];
    bundle_of(program, vec![test_case(inputs, vec![tensor(), tensor()])])
}
