//! What is moved along, and what is left out and named.

use std::fs;

use torchproof::ScalarType;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::schema::TensorLayout;
use torchproof::pte::builder::{PlanBuilder, TensorBuilder, program};
use torchproof::pte::pack::{self, Options};
use torchproof::write::Source;
use torchproof_cli::edit::{Data, Document, Existing, Others, save_pair};

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
    let mut plan = PlanBuilder::new("forward");
    plan.push_value(TensorBuilder::contiguous(ScalarType::BYTE, &[4]).constant(2));
    let constants = [b"none", b"some", b"more"].map(|bytes| Source::Bytes(bytes)).into();
    let program = program([plan]);
    let package = pack::pack(&program, pack::Data { constants, ..pack::Data::default() }, &Options::default());
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
    let note = "2 tensors that the program does not have, the first of them l.weight: left out";
    assert_eq!((outcome.code, outcome.stderr), (Some(0), format!("torchproof: note: {data}: {note}\n")));
    assert_eq!(outcome.stdout, format!("{linear}: 1 blob moved into label.pte\n"));
    assert_eq!(run(&["meta", "get", "label.pte", "general.name"]).stdout, "Linear\n");
    let [before, after] = [linear, "label.pte".to_owned()].map(|path| run(&["dump", &path]).stdout);
    let [before, after] = [before, after].map(|dump| serde_json::from_str::<serde_json::Value>(&dump).unwrap());
    assert_eq!(before["program"]["execution_plan"], after["program"]["execution_plan"]);
    assert_eq!(before["segments"][0]["sha256"], after["segments"][0]["sha256"]);
}

/// As it was, byte for byte, and no data file beside it: there is nothing to put in one.
#[test]
fn a_program_without_constants_stays_as_it_is() {
    let bytes = fs::read(real("add.pte")).unwrap();
    let model = file("bare.pte", &bytes);
    let _ = fs::remove_file(scratch().join("bare.ptd"));
    let outcome = run(&["split", model, "--data", "bare.ptd", "-o", "bare-small.pte", "--force"]);
    let note = "torchproof: note: bare.pte: has no constant tensors: nothing is moved, and bare.ptd not written\n";
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", note));
    assert!(!scratch().join("bare.ptd").exists());
    let (_, data) = apart("beside", &[]);
    let outcome = run(&["merge", "bare-small.pte", "--data", &data, "-o", "bare-whole.pte", "--force"]);
    let notes = "torchproof: note: beside.ptd: 2 tensors that the program does not have, the first of them l.weight: left out\n\
        torchproof: note: bare-small.pte: has no constant tensors in data files: nothing is moved\n";
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", notes));
    for name in ["bare-small.pte", "bare-whole.pte"] {
        assert!(fs::read(scratch().join(name)).unwrap() == bytes, "{name}");
    }
}

/// What was moved the first time is still there after the second.
#[test]
fn what_is_split_already_keeps_its_data_file() {
    let model = file("again.pte", &fs::read(real("linear.pte")).unwrap());
    let split = ["split", model, "--data", "again.ptd", "-o", model, "--force"];
    let first = run(&split);
    assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""));
    let pair = [model, "again.ptd"].map(|name| fs::read(scratch().join(name)).unwrap());
    let second = run(&split);
    let note = "torchproof: note: again.pte: has no constant tensors: nothing is moved, and again.ptd not written\n";
    assert_eq!((second.code, second.stdout.as_str(), second.stderr.as_str()), (Some(0), "", note));
    assert!(pair == [model, "again.ptd"].map(|name| fs::read(scratch().join(name)).unwrap()));
    assert_eq!(run(&["check", "--strict", "--quiet", model, "--with", "again.ptd"]).code, Some(0));
    // The program is written as asked, also where a data file that is there may not be replaced.
    let third = run(&["split", model, "--data", "again.ptd", "-o", "again-other.pte"]);
    assert_eq!((third.code, third.stderr.as_str()), (Some(0), note));
    assert!(fs::read(scratch().join("again-other.pte")).unwrap() == pair[0]);
    fs::remove_file(scratch().join("again-other.pte")).unwrap();
}

/// A library's caller who overlooks that nothing was moved does not replace the weights either.
#[test]
fn a_program_is_not_saved_beside_data_that_lack_its_tensors() {
    let model = file("lack.pte", &fs::read(real("linear.pte")).unwrap());
    assert_eq!(run(&["split", model, "--data", "lack.ptd", "-o", model, "--force"]).code, Some(0));
    let [program_path, data_path] = [model, "lack.ptd"].map(|name| scratch().join(name));
    let pair = [&program_path, &data_path].map(|path| fs::read(path).unwrap());
    let mut program = Document::open(&program_path).unwrap();
    let (mut data, moved) = program.split().unwrap();
    assert_eq!(moved.tensors, 0);
    let (program, data) = ((&mut program, &*program_path), (&mut data, &*data_path));
    let error = save_pair(program, data, Others::default(), Existing::Replace, None).unwrap_err();
    assert!(error.to_string().contains("(breaks x-external-found)"), "{error}");
    assert!(pair == [&program_path, &data_path].map(|path| fs::read(path).unwrap()));
}
