//! Checks that real readers accept generated files.
//!
//! The `setup.sh` of each reader builds the reader. `TORCHPROOF_FILES` is the number of seeds for each kind of file.

use std::fs;
use std::time::Duration;

use torchproof::Role;
use torchproof::Stage;
use torchproof::generate::{Config, GeneratedFile, GeneratedKind, Generation, generate};
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{ReaderInput, Request};
use torchproof_oracle::{Schema, verify};
use torchproof_protocol::Want;

use crate::need::{Need, trials};
use crate::{built, need};
use libtest_mimic::Trial;

/// The number of seeds for each kind of file. Half of the files have default settings; half have random settings.
fn seeds() -> u64 {
    std::env::var("TORCHPROOF_FILES").ok().map_or(150, |count| count.parse().unwrap())
}

/// The readers that must accept the files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Anybody,
    /// The C++ runtime and its adapter. They do not support the oldest layout, unbounded shapes, or more than 256 MiB
    /// of planned memory.
    Runtime,
}

fn files(kind: GeneratedKind, reader: For) -> impl Iterator<Item = (u64, Vec<GeneratedFile>)> {
    let mut everything = Config::default();
    everything.generations = Generation::ALL.to_vec();
    everything.unbounded = 20;
    everything.far = 5;
    everything.explicit_zeros = 10;
    (0..seeds()).map(move |seed| {
        let mut config = if seed % 2 == 0 { everything.clone() } else { Config::swarm(seed) };
        if reader == For::Runtime {
            config.generations = vec![Generation::Segments, Generation::Current];
            config.unbounded = 0;
            config.far = 0;
            config.elements = 1000..=1000;
            // The adapter requests the layout of every entry, and the runtime crashes on an entry without a layout.
            if kind == GeneratedKind::Ptd {
                config.blobs = 0..=0;
                config.metadata = 0..=0;
            }
        }
        (seed, generate(kind, &config, seed).unwrap())
    })
}

fn the_flatbuffers_verifier_accepts_generated_files() {
    for kind in GeneratedKind::ALL {
        for (seed, files) in files(kind, For::Anybody) {
            for file in files {
                let verdict = match (file.extension, kind) {
                    ("pte", _) => verify(Pte::open(&file.bytes).unwrap().region(), Schema::Program),
                    (_, GeneratedKind::PtdLegacy) => {
                        verify(Ptd::open(&file.bytes).unwrap().region(), Schema::LegacyFlatTensor)
                    }
                    _ => verify(Ptd::open(&file.bytes).unwrap().region(), Schema::FlatTensor),
                };
                assert_eq!(verdict, Ok(()), "{} {seed}", kind.name());
            }
        }
    }
}

/// If the constant segment is empty, the runtime falls back to the constant buffer, which this build does not support.
fn is_prepared(file: &GeneratedFile) -> bool {
    let Ok(open) = Pte::open(&file.bytes) else { return true };
    let home = open.program().constant_segment().unwrap();
    home.is_none_or(|home| !open.segment_bytes(home.segment_index().unwrap()).unwrap().is_empty())
}

fn expect_accepted(program: &str, arguments: &str, kinds: &[GeneratedKind], made: For, stage: Stage) {
    let mut reader = built::open(&built::address(&need::reader(program), arguments));
    reader.hello().unwrap();
    let name = format!("generate-{}{}", program.replace('/', "-"), arguments.replace(' ', ""));
    let scratch = testkit::scratch(&name);
    let mut rejected = Vec::new();
    for kind in kinds {
        for (seed, files) in files(*kind, made) {
            let put = |file: &GeneratedFile| {
                let path = scratch.join(format!("file.{}", file.extension));
                fs::write(&path, &file.bytes).unwrap();
                ReaderInput::at(if file.extension == "pte" { Role::Program } else { Role::Data }, path).unwrap()
            };
            let inputs: Vec<ReaderInput> = files.iter().map(put).collect();
            let stage = if made == For::Runtime && !is_prepared(&files[0]) { stage.min(Stage::Meta) } else { stage };
            let time = Duration::from_secs(20);
            let request = Request { files: &inputs, stage, want: Want::Verdict, time, memory_mb: None, delivery: None };
            let outcome = reader.read(&request);
            if !matches!(outcome, Outcome::Accept { .. }) {
                rejected.push(format!("{} {seed}: {} {}", kind.name(), outcome.name(), outcome.message()));
            }
        }
    }
    assert!(rejected.is_empty(), "{} of {}: {:#?}", rejected.len(), seeds(), &rejected[..rejected.len().min(40)]);
}

fn the_cpp_verifier_accepts_generated_files() {
    expect_accepted(built::CPP_VERIFIER, "", &GeneratedKind::ALL, For::Anybody, Stage::Structure);
}

/// The runtime does not support the legacy layout of data files.
fn the_runtime_accepts_generated_files() {
    for level in built::LEVELS {
        let arguments = built::with_stubs(level);
        expect_accepted(
            built::RUNTIME,
            &arguments,
            &[GeneratedKind::Pte, GeneratedKind::Ptd, GeneratedKind::Pair],
            For::Runtime,
            Stage::Execute,
        );
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        []; the_flatbuffers_verifier_accepts_generated_files;
        [Need::Reader(built::CPP_VERIFIER)]; the_cpp_verifier_accepts_generated_files;
        [Need::Reader(built::RUNTIME)]; the_runtime_accepts_generated_files
    ]
}
