//! What is moved along, and what is left out and named.

use std::fs;

use torchproof::ScalarType;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::schema::TensorLayout;
use torchproof::pte::model::{ExecutionPlan, Program, Tensor};
use torchproof::pte::pack::{self, Options};
use torchproof::write::Source;
use torchproof_conformance::edit::{Data, Document, Existing};

use super::command::{file, real, run, scratch};

/// The program of the real ones that has its weights in a file, which gets more than those.
fn apart(name: &str, entries: &[(&str, &str)]) -> (String, String) {
    let program = real("linear_external.pte").to_str().unwrap().to_owned();
    let data = format!("{name}.ptd");
    fs::copy(real("linear_external.ptd"), scratch().join(&data)).unwrap();
    for (key, value) in entries {
        let outcome = run(&["meta", "set", &data, key, value]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
    (program, data)
}

/// Nothing that the program can take is lost.
#[test]
fn blobs_of_data_files_become_named_data() {
    let (program, data) = apart("labelled", &[("general.name", "Linear"), ("general.author", "Linear")]);
    let outcome = run(&["merge", &program, "--data", &data, "-o", "labelled.pte", "--force"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert!(outcome.stdout.contains("2 constants of 144 bytes and 2 blobs moved into"), "{}", outcome.stdout);
    for key in ["general.name", "general.author"] {
        assert_eq!(run(&["meta", "get", "labelled.pte", key]).stdout, "Linear\n");
    }
    // One segment has both.
    let dump = run(&["dump", "labelled.pte"]).stdout;
    let dump: serde_json::Value = serde_json::from_str(&dump).unwrap();
    let entries = dump["program"]["named_data"].as_array().unwrap();
    assert_eq!(entries[0]["segment_index"], entries[1]["segment_index"]);
    assert_eq!(run(&["check", "--quiet", "--strict", "labelled.pte"]).code, Some(0));
}

/// A program's named data cannot say what a tensor is.
#[test]
fn tensors_that_the_program_does_not_have_are_left_out_and_named() {
    let (program, data) = apart("spare", &[]);
    let path = scratch().join(&data);
    let mut document = Document::open(&path).unwrap();
    for key in ["spare.weight", "spare.bias"] {
        let layout = TableTree::new(TensorLayout::TYPE)
            .with("scalar_type", ScalarType::BYTE)
            .with("sizes", [4_i32])
            .with("dim_order", [0_u8]);
        document.set_tensor(key, Data::Bytes(b"abcd".to_vec()), 16, layout).unwrap();
    }
    document.save(&path, Existing::Replace).unwrap();
    let outcome = run(&["merge", &program, "--data", &data, "-o", "spare.pte", "--force"]);
    let note = "torchproof: note: spare.ptd: 2 tensors that the program does not have, the first of them spare.weight: left out\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), note));
    assert!(outcome.stdout.contains("2 constants of 144 bytes moved into"), "{}", outcome.stdout);
}

/// Of two blobs under one key, neither is dropped.
#[test]
fn blobs_under_one_key_are_refused() {
    let (program, data) = apart("twice", &[("general.name", "Linear")]);
    let labelled = run(&["meta", "set", &program, "general.name", "Another", "-o", "twice.pte", "--force"]);
    assert_eq!(labelled.code, Some(0), "{}", labelled.stderr);
    let _ = fs::remove_file(scratch().join("none.pte"));
    let outcome = run(&["merge", "twice.pte", "--data", &data, "-o", "none.pte"]);
    assert_eq!((outcome.code, outcome.stderr.lines().count()), (Some(2), 1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("metadata.general.name"), "{}", outcome.stderr);
    assert!(!scratch().join("none.pte").exists());
    // Also where nobody has checked the files together.
    let mut program = Document::open(&scratch().join("twice.pte")).unwrap();
    let error = program.merge(&[Document::open(&scratch().join(&data)).unwrap()]).unwrap_err();
    assert!(error.to_string().contains("two blobs have the key `metadata.general.name`"), "{error}");
}

/// Bytes of a program do not go without a word.
#[test]
fn constants_that_no_tensor_has_are_left_out_and_named() {
    let mut plan = ExecutionPlan::new("forward");
    plan.push_value(Tensor::contiguous(ScalarType::BYTE, &[4]).constant(2));
    let constants = [b"none", b"some", b"more"].map(|bytes| Source::Bytes(bytes)).into();
    let program = Program::new([plan]);
    let package = program.pack(pack::Data { constants, ..pack::Data::default() }, &Options::default());
    file("unused.pte", &package.unwrap().into_bytes().unwrap());
    let outcome = run(&["split", "unused.pte", "--data", "unused.ptd", "-o", "less.pte", "--force"]);
    let note = "torchproof: note: unused.pte: 2 constants in 20 bytes, which no tensor has: left out\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), note));
    assert!(outcome.stdout.contains("1 tensor with 1 constant of 4 bytes moved"), "{}", outcome.stdout);
}

/// A program that needs nothing of a data file can still take what is not a tensor.
#[test]
fn a_program_without_tensors_in_data_files_gets_the_blobs() {
    let (_, data) = apart("label", &[("general.name", "Linear")]);
    let linear = real("linear.pte").to_str().unwrap().to_owned();
    let outcome = run(&["merge", &linear, "--data", &data, "-o", "label.pte", "--force"]);
    let notes = format!(
        "torchproof: note: {data}: 2 tensors that the program does not have, the first of them l.weight: left out\n\
         torchproof: note: {linear}: has no constant tensors in data files\n"
    );
    assert_eq!((outcome.code, outcome.stderr), (Some(0), notes));
    assert_eq!(outcome.stdout, format!("{linear}: 1 blob moved into label.pte\n"));
    assert_eq!(run(&["meta", "get", "label.pte", "general.name"]).stdout, "Linear\n");
    let [before, after] = [linear, "label.pte".to_owned()].map(|path| run(&["dump", &path]).stdout);
    let [before, after] = [before, after].map(|dump| serde_json::from_str::<serde_json::Value>(&dump).unwrap());
    assert_eq!(before["program"]["execution_plan"], after["program"]["execution_plan"]);
    assert_eq!(before["segments"][0]["sha256"], after["segments"][0]["sha256"]);
}

/// As it was, byte for byte, beside a data file without anything.
#[test]
fn a_program_without_constants_stays_as_it_is() {
    let bytes = fs::read(real("add.pte")).unwrap();
    let model = file("bare.pte", &bytes);
    let outcome = run(&["split", model, "--data", "bare.ptd", "-o", "bare-small.pte", "--force"]);
    let note = "torchproof: note: bare.pte: has no constant tensors\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), note));
    assert_eq!(outcome.stdout, "bare.pte: nothing moved to bare.ptd\n");
    let outcome = run(&["merge", "bare-small.pte", "--data", "bare.ptd", "-o", "bare-whole.pte", "--force"]);
    assert_eq!(outcome.stdout, "bare-small.pte: nothing moved into bare-whole.pte\n");
    for name in ["bare-small.pte", "bare-whole.pte"] {
        assert!(fs::read(scratch().join(name)).unwrap() == bytes, "{name}");
    }
    let data = fs::read(scratch().join("bare.ptd")).unwrap();
    // As the official writer has it without data.
    assert_eq!((data.len(), torchproof::ptd::Ptd::open(&data).unwrap().header().flatbuffer_size), (128, 40));
    assert_eq!(run(&["check", "--strict", "--quiet", "bare-small.pte", "--with", "bare.ptd"]).code, Some(0));
    // Its constants may be elsewhere already.
    let (program, _) = apart("gone", &[]);
    let outcome = run(&["split", &program, "--data", "bare.ptd", "-o", "gone.pte", "--force"]);
    let note = format!("torchproof: note: {program}: has no constant tensors\n");
    assert_eq!((outcome.code, outcome.stderr), (Some(0), note));
    assert!(fs::read(scratch().join("gone.pte")).unwrap() == fs::read(program).unwrap());
}
