//! Files written from models, in front of other people's readers: the `flatbuffers` verifiers, and the runtime itself.
//!
//! The models are those of the property tests of the `torchproof` package. Real readers are built by their `setup.sh`, as for
//! the cases.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::strategy::Strategy;
use torchproof::corpus::Role;
use torchproof::ptd::model::{FlatTensor, NamedData, TensorLayout};
use torchproof::ptd::{self, Ptd};
use torchproof::pte::Pte;
use torchproof::write::SegmentData;
use torchproof::{ScalarType, Stage};
use torchproof_cli::outcome::Outcome;
use torchproof_cli::protocol::Want;
use torchproof_cli::reader::{Input, Request};
use torchproof_oracle::{Schema, verify};

use crate::need::{Need, trials};
use crate::{built, data, drawn, need, program};
use libtest_mimic::Trial;

/// The same models at every run.
fn models<S: Strategy>(strategy: &S) -> Vec<S::Value> {
    drawn::drawn(strategy, 4).collect()
}

fn segments(bytes: &[Vec<u8>]) -> Vec<SegmentData<'_>> {
    bytes.iter().map(|bytes| SegmentData::new(bytes)).collect()
}

/// A program, and what readers differ in.
struct Written {
    /// Whether its constants are in a segment that has bytes: where they are not, releases look for them inside the
    /// FlatBuffer, and are built without the path there.
    constants_in_segment: bool,
    bytes: Vec<u8>,
}

fn programs() -> Vec<Written> {
    let write = |valid: program::Valid| Written {
        constants_in_segment: valid.program.constant_segment.as_ref().is_some_and(|home| {
            valid.segments.get(home.segment_index as usize).is_some_and(|segment| !segment.is_empty())
        }),
        bytes: valid.program.write(&segments(&valid.segments), &valid.layout).unwrap(),
    };
    models(&program::valid()).into_iter().map(write).collect()
}

/// A data file, and what readers differ in.
struct Data {
    schema: Schema,
    /// Whether everything in it is a tensor.
    tensors: bool,
    bytes: Vec<u8>,
}

fn data_files() -> Vec<Data> {
    let file = |(root, bytes): &(data::Root, Vec<Vec<u8>>)| {
        let (schema, tensors) = match root {
            data::Root::Current(root) => {
                let mut entries = root.named_data.iter().flatten();
                (Schema::FlatTensor, entries.all(|entry| entry.tensor_layout.is_some()))
            }
            data::Root::Older(_) => (Schema::LegacyFlatTensor, true),
        };
        Data { schema, tensors, bytes: root.write(&segments(bytes), &root.layout()).unwrap() }
    };
    models(&data::valid()).iter().map(file).collect()
}

fn the_flatbuffers_verifier_accepts_what_is_written() {
    for Written { bytes: file, .. } in programs() {
        assert_eq!(verify(Pte::open(&file).unwrap().region(), Schema::Program), Ok(()));
    }
    for file in data_files() {
        assert_eq!(verify(Ptd::open(&file.bytes).unwrap().region(), file.schema), Ok(()));
    }
}

/// The data file with the external tensor of every method.
fn external() -> Vec<u8> {
    let layout = TensorLayout::contiguous(ScalarType::FLOAT, &[2]);
    let root = FlatTensor::new([NamedData::tensor(program::EXTERNAL, 0, layout)]);
    root.write(&[SegmentData::new(&[0; 8])], &ptd::write::FileLayout::CURRENT).unwrap()
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Puts every program, and the data files that it `takes`, to a reader that a script has built, if one has: all are accepted.
fn expect_accepted(program: &str, arguments: &str, stage: Stage, takes: impl Fn(&Data) -> bool) {
    let time = Duration::from_secs(20);
    let mut reader = built::open(&built::address(&need::reader(program), arguments));
    reader.hello().unwrap();

    let scratch = testkit::scratch(&format!("model-{}{}", program.replace('/', "-"), arguments.replace(' ', "")));
    let external = put(&scratch, "external.ptd", &external());
    let mut refused = Vec::new();
    let mut ask = |name: String, stage: Stage, files: Vec<(Role, PathBuf)>| {
        let files: Vec<Input> = files.into_iter().map(|(role, path)| Input::at(role, path).unwrap()).collect();
        let request = Request { files: &files, stage, want: Want::Verdict, time, memory_mb: None, delivery: None };
        let outcome = reader.read(&request);
        if !matches!(outcome, Outcome::Accept { .. }) {
            refused.push(format!("{name}: {} {}", outcome.name(), outcome.message()));
        }
    };
    let programs = programs();
    let whole = programs.iter().filter(|file| file.constants_in_segment).count();
    assert!(whole * 8 >= programs.len(), "only {whole} of {} programs are prepared to run", programs.len());
    for (index, file) in programs.iter().enumerate() {
        let name = format!("{index}.pte");
        let path = put(&scratch, &name, &file.bytes);
        let stage = if file.constants_in_segment { stage } else { stage.min(Stage::Meta) };
        ask(name, stage, vec![(Role::Program, path), (Role::Data, external.clone())]);
    }
    let data_files: Vec<_> = data_files().into_iter().filter(takes).collect();
    assert!(data_files.len() * 32 >= programs.len(), "only {} data files are taken", data_files.len());
    for (index, file) in data_files.iter().enumerate() {
        let name = format!("{index}.ptd");
        let path = put(&scratch, &name, &file.bytes);
        ask(name, stage, vec![(Role::Data, path)]);
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

fn the_cpp_verifier_accepts_what_is_written() {
    expect_accepted(built::CPP_VERIFIER, "", Stage::Structure, |_| true);
}

/// It does not know the older layout, and cannot be asked for the layout of a blob that has none.
fn the_runtime_reads_what_is_written() {
    let takes = |file: &Data| file.schema == Schema::FlatTensor && file.tensors;
    for level in built::LEVELS {
        let arguments = format!("--verification {level}");
        expect_accepted(built::RUNTIME, &arguments, Stage::Data, takes);
    }
}

/// The trials of this module.
pub(crate) fn trials() -> Vec<Trial> {
    [
        trials![[]; the_flatbuffers_verifier_accepts_what_is_written],
        trials![[Need::Reader(built::CPP_VERIFIER)]; the_cpp_verifier_accepts_what_is_written],
        trials![[Need::Reader(built::RUNTIME)]; the_runtime_reads_what_is_written],
    ]
    .into_iter()
    .flatten()
    .collect()
}
