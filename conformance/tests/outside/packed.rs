//! Checks that the crate `flatbuffers` and the real readers in `conformance/readers` accept packed files.

use std::time::Duration;

use torchproof::Role;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::tensor_layout;
use torchproof::pte::schema as pte;
use torchproof::pte::{HeaderKind, PackOptions, ProgramData, ProgramLayout};
use torchproof::write::NamedDataStore;
use torchproof::{ScalarType, Stage, ptd};
use torchproof_harness::reader::loaded::loaded;
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{Reader, ReaderInput, Request};
use torchproof_harness::run::compare::first_difference;
use torchproof_protocol::{CAPABILITY_LOADED, Want};

use crate::need::{Need, trials};
use crate::{built, need};
use libtest_mimic::Trial;

const TIME: Duration = Duration::from_secs(20);

/// The lengths in bytes of the four blobs, which [`program`] uses as constants, initial values and named data.
const LENGTHS: [usize; 4] = [16, 5, 100, 16];

fn the_reference_reader() {
    expect_accepted_everywhere("builtin:reference");
}

fn the_flatbuffers_crate() {
    expect_accepted_everywhere("builtin:flatbuffers");
}

fn the_cpp_verifier() {
    expect_accepted_everywhere(&built::address(&need::reader(built::CPP_VERIFIER), ""));
}

fn the_runtime_at_its_minimal_level() {
    expect_accepted_everywhere(&built::address(&need::reader(built::RUNTIME), &built::with_stubs("minimal")));
}

fn the_runtime_at_its_consistency_level() {
    expect_accepted_everywhere(&built::address(
        &need::reader(built::RUNTIME),
        &built::with_stubs("internal-consistency"),
    ));
}

/// The values must equal those of the reference reader.
fn expect_accepted_everywhere(address: &str) {
    let (mut reader, mut reference) = (built::open(address), built::open("builtin:reference"));
    let hello = reader.hello().unwrap();
    let folder = testkit::scratch(&format!("packed-{}", slug(address)));
    let mut accepted = 0;
    for file in files() {
        if !hello.formats.iter().any(|format| format == file.format) {
            continue;
        }
        let path = folder.join(format!("file.{}", file.role.extension()));
        std::fs::write(&path, &file.bytes).unwrap();
        let files = [ReaderInput::at(file.role, path).unwrap()];
        let stage = hello.stages.iter().copied().filter(|stage| *stage <= file.stage).max().unwrap_or(file.stage);
        let request = Request { files: &files, stage, want: Want::Value, time: TIME, memory_mb: None, delivery: None };
        let Outcome::Accept { value, .. } = read(&mut *reader, &request) else { unreachable!() };
        let expected = Request { stage: Stage::Data, ..request };
        let Outcome::Accept { value: Some(expected), .. } = read(&mut *reference, &expected) else { unreachable!() };
        if let Some(value) = value {
            let difference = first_difference(&expected, &value);
            assert_eq!(difference.map(|difference| difference.to_string()), None, "{}", file.name);
        }
        if hello.has(CAPABILITY_LOADED) && file.format != "ptd-legacy" {
            // The request lists the keys that have a layout, so the reader can perform every stage that it supports.
            let stage = if file.role == Role::Data { hello.deepest() } else { stage };
            let request = Request { want: Want::Loaded, stage, ..request };
            let Outcome::Accept { value: Some(value), .. } = read(&mut *reader, &request) else { unreachable!() };
            let difference = first_difference(&loaded(&files, stage).unwrap(), &value);
            assert_eq!(difference.map(|difference| difference.to_string()), None, "{}", file.name);
        }
        accepted += 1;
    }
    assert!(accepted > 0, "{address} does none of the formats");
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(reader.bye(), None);
}

fn read(reader: &mut dyn Reader, request: &Request<'_>) -> Outcome {
    let outcome = reader.read(request);
    assert!(matches!(outcome, Outcome::Accept { .. }), "{request:?}: {outcome:?}");
    outcome
}

fn slug(address: &str) -> String {
    address.chars().filter(char::is_ascii_alphanumeric).rev().take(40).collect()
}

/// A packed file, and the deepest stage that readers reach on it.
struct Packed {
    name: String,
    role: Role,
    format: &'static str,
    stage: Stage,
    bytes: Vec<u8>,
}

fn files() -> Vec<Packed> {
    let headers = [HeaderKind::IfNeeded(32), HeaderKind::IfNeeded(24), HeaderKind::Always(40)];
    let mut files = Vec::new();
    for header in headers {
        for (segment_alignment, alignment) in [(16, 16), (128, 64), (4096, 16), (65536, 1024)] {
            let mut layout = ProgramLayout::default();
            layout.header = header;
            layout.segment_alignment = segment_alignment;
            layout.constant_alignment = alignment;
            layout.delegate_alignment = alignment;
            files.push(program(layout));
            files.extend([false, true].map(|inline| delegates(options(layout, inline))));
        }
    }
    for alignment in [16, 128, 4096, 65536] {
        files.extend([false, true].map(|opaque| data(alignment, opaque)));
    }
    files
}

fn options(layout: ProgramLayout, inline_delegates: bool) -> PackOptions {
    let mut options = PackOptions::default();
    options.layout = layout;
    options.inline_delegates = inline_delegates;
    options
}

fn blobs() -> Vec<Vec<u8>> {
    LENGTHS.iter().map(|len| (0..=250).cycle().skip(*len).take(*len).collect()).collect()
}

fn slices(blobs: &[Vec<u8>]) -> Vec<&[u8]> {
    blobs.iter().map(Vec::as_slice).collect()
}

fn method(values: Vec<TableTree>, delegates: Vec<TableTree>) -> TableTree {
    let value = |value: TableTree| TableTree::new(pte::EValue::TYPE).with("val", value);
    let meta = TableTree::new(pte::ContainerMetadata::TYPE).with("encoded_inp_str", "").with("encoded_out_str", "");
    let chain = TableTree::new(pte::Chain::TYPE)
        .with("inputs", Vec::<i32>::new())
        .with("outputs", Vec::<i32>::new())
        .with("instructions", Vec::<TableTree>::new());
    TableTree::new(pte::ExecutionPlan::TYPE)
        .with("name", "forward")
        .with("container_meta_type", meta)
        .with("values", values.into_iter().map(value).collect::<Vec<_>>())
        .with("inputs", Vec::<i32>::new())
        .with("outputs", Vec::<i32>::new())
        .with("chains", [chain])
        .with("operators", Vec::<TableTree>::new())
        .with("delegates", delegates)
        .with("non_const_buffer_sizes", [0, 4096])
}

/// A program that a runtime can prepare.
fn program(layout: ProgramLayout) -> Packed {
    let blobs = blobs();
    let tensor = |index: usize| {
        TableTree::new(pte::Tensor::TYPE)
            .with("scalar_type", ScalarType::BYTE)
            .with("sizes", [i32::try_from(LENGTHS[index]).unwrap()])
            .with("dim_order", [0])
            .with("data_buffer_idx", index + 1)
    };
    let planned = |index: usize| {
        let place = TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1);
        tensor(index).with("allocation_info", place.with("memory_offset_low", 256 * index))
    };
    let indexes = 0..LENGTHS.len();
    let values = indexes.clone().map(tensor).chain(indexes.map(planned)).collect();
    let tree = TableTree::new(pte::Program::TYPE).with("execution_plan", [method(values, Vec::new())]);
    let mut store = NamedDataStore::new();
    for (index, blob) in blobs.iter().enumerate() {
        store.add(&format!("key {index}"), blob, 1 << (4 * index), None).unwrap();
    }
    let mut data = ProgramData::default();
    data.constants = slices(&blobs);
    data.mutable = slices(&blobs);
    data.named_data = Some(store);
    let bytes = torchproof::pte::pack(&tree, data, &options(layout, false)).unwrap().to_bytes().unwrap();
    Packed { name: format!("{layout:?}"), role: Role::Program, format: "pte", stage: Stage::Data, bytes }
}

/// A program whose delegates have an unknown backend.
fn delegates(options: PackOptions) -> Packed {
    let blobs = blobs();
    let delegate = |index: usize| {
        let processed = TableTree::new(pte::BackendDelegateDataReference::TYPE).with("index", index);
        TableTree::new(pte::BackendDelegate::TYPE)
            .with("id", "Example")
            .with("processed", processed)
            .with("compile_specs", Vec::<TableTree>::new())
    };
    let plan = method(Vec::new(), (0..LENGTHS.len()).map(delegate).collect());
    let tree = TableTree::new(pte::Program::TYPE).with("execution_plan", [plan]);
    let mut data = ProgramData::default();
    data.delegates = slices(&blobs);
    let bytes = torchproof::pte::pack(&tree, data, &options).unwrap().to_bytes().unwrap();
    Packed { name: format!("{options:?}"), role: Role::Program, format: "pte", stage: Stage::Meta, bytes }
}

/// Two of the tensors have the same bytes. Adapters request the layout of every key, but a blob has no layout, so the
/// last stage for a file with a blob is `structure`.
fn data(alignment: u64, opaque: bool) -> Packed {
    let blobs = blobs();
    let mut store = NamedDataStore::new();
    for (index, blob) in blobs.iter().enumerate() {
        let layout = tensor_layout(ScalarType::BYTE, &[1, i32::try_from(blob.len()).unwrap()]);
        store.add(&format!("tensor {index}"), blob, 1 << (4 * index), Some(layout)).unwrap();
    }
    if opaque {
        store.add("blob", b"text", 1, None).unwrap();
    }
    let stage = if opaque { Stage::Structure } else { Stage::Data };
    let mut layout = ptd::DataLayout::CURRENT;
    layout.segment_alignment = alignment;
    let bytes = ptd::pack(store, &layout).unwrap().to_bytes().unwrap();
    Packed { name: format!("ptd, {alignment}, {opaque}"), role: Role::Data, format: "ptd", stage, bytes }
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        []; the_reference_reader, the_flatbuffers_crate;
        [Need::Reader(built::CPP_VERIFIER)]; the_cpp_verifier;
        [Need::Reader(built::RUNTIME)]; the_runtime_at_its_minimal_level, the_runtime_at_its_consistency_level
    ]
}
