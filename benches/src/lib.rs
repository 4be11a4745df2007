//! **Inputs and operations that several benchmarks share.**
//!
//! Synthetic inputs come from the builders of the `flatbuffers` crate, so no benchmark depends on this project's
//! writer.
#![allow(missing_docs, reason = "only the benchmarks use it")]

pub mod c_libraries;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use torchproof::check::{FileVerdict, FindingRef, Options, check_into, data_file_verdict, program_verdict};
use torchproof::generate::{Config, GeneratedKind, generate};
use torchproof::ptd::Ptd;
use torchproof::view;
use torchproof::{FileBytes, FileKind};
use torchproof_oracle::{Schema, build};

pub fn real_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real").join(name)
}

pub fn real(name: &str) -> Vec<u8> {
    fs::read(real_path(name)).expect("the file is part of the repository")
}

/// Builds a program of about `tables` tables: three per planned tensor and two per kernel call. Like most exported
/// programs, it calls operators of a kernel library.
pub fn program(tables: usize) -> Vec<u8> {
    let mut file = own_calls(tables);
    for (own, other) in [("aten::sym_size", "aten::mul_size"), ("executorch_prim::add", "executorch_test::add")] {
        let at = file.windows(own.len()).position(|bytes| bytes == own.as_bytes()).expect("the operator is present");
        file[at..at + other.len()].copy_from_slice(other.as_bytes());
    }
    file
}

/// Like [`program`], but calls the runtime's own operators, whose arguments the checker compares with the signature.
pub fn own_calls(tables: usize) -> Vec<u8> {
    build::program(tables / 5, tables / 5)
}

/// Builds a data file of about `tables` tables, three per tensor.
pub fn data(tables: usize) -> Vec<u8> {
    build::flat_tensor((tables / 3).max(1))
}

/// Returns the schema, and the offset at which the FlatBuffer ends.
pub fn region(file: &[u8]) -> (Schema, usize) {
    match torchproof::pte::Pte::open(file) {
        Ok(program) => (Schema::Program, program.region().len()),
        Err(_) => (Schema::FlatTensor, Ptd::open(file).expect("an input opens").region().len()),
    }
}

/// Checks every rule with a sink that ignores the findings.
pub fn accepts(file: &[u8], scratch: &mut Vec<u64>) -> bool {
    scratch.resize(file.len(), 0);
    let mut sink = |_: &FindingRef<'_>| ControlFlow::Continue(());
    check_into(&file, &Options::default(), scratch, &mut sink).accepts()
}

pub fn is_valid(file: &[u8], scratch: &mut Vec<u64>) -> bool {
    scratch.resize(file.len(), 0);
    let verdict = if FileKind::of_head(file) == FileKind::Pte { program_verdict } else { data_file_verdict };
    verdict(&file, &Options::default(), scratch) == FileVerdict::Valid
}

/// Returns the number of tables that a check visits.
pub fn tables_of(file: &[u8], scratch: &mut [u64]) -> u32 {
    check_into(&file, &Options::default(), scratch, &mut |_| ControlFlow::Continue(())).tables
}

pub fn last_key(file: &Ptd<'_>) -> Vec<u8> {
    let last = file.entries().last().expect("not empty").expect("sound");
    last.key().expect("sound").as_bytes().to_vec()
}

/// Returns the length of the canonical JSON with digests.
pub fn canonical_json(file: &[u8]) -> usize {
    let file_bytes = FileBytes::whole(file);
    let mut open = view::File::open(file_bytes).expect("an input opens");
    let read = |span, sink: &mut dyn FnMut(&[u8])| {
        sink(file_bytes.slice(span, "segment")?);
        Ok::<_, view::ViewError>(())
    };
    open.hash(read).expect("an input is whole");
    serde_json::to_vec(&open).expect("there is memory").len()
}

/// Generates files, and returns their total length.
pub fn generated(kind: GeneratedKind, seed: u64) -> usize {
    let files = generate(kind, &Config::default(), seed).expect("there is memory");
    files.iter().map(|file| file.bytes.len()).sum()
}
