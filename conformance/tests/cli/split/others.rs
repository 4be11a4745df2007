//! Programs that have tensors in data files already.

use std::fs;

use torchproof::ScalarType;
use torchproof::pte::builder::{PlanBuilder, TensorBuilder, program};
use torchproof::pte::pack::{self, Options};
use torchproof::write::Source;
use torchproof_cli::edit::{Data, Document, Existing};

use super::command::{file, run, scratch};
use super::identity::named_tensor;

/// A program with one constant inside, and the data file with its other tensors, which have these names.
fn half(name: &str, outside: &[&str]) -> (String, String) {
    let tensor = || TensorBuilder::contiguous(ScalarType::BYTE, &[4]);
    let packed = |tensors: Vec<TensorBuilder>, constants| {
        let mut plan = PlanBuilder::new("forward");
        for tensor in tensors {
            plan.push_value(tensor);
        }
        let constants = (0..constants).map(|_| Source::Bytes(b"abcd")).collect();
        let data = pack::Data { constants, ..pack::Data::default() };
        pack::pack(&program([plan]), data, &Options::default()).unwrap().into_bytes().unwrap()
    };
    let names = (format!("{name}.pte"), format!("{name}.ptd"));
    let inside = named_tensor(tensor(), "inside").constant(1);
    let tensors = outside.iter().map(|name| tensor().external(name)).chain([inside]);
    file(&names.0, &packed(tensors.collect(), 1));
    // The data file comes of a program that has the others inside.
    let whole = format!("{name}-whole.pte");
    let tensors = (1..).zip(outside).map(|(index, name)| named_tensor(tensor(), name).constant(index));
    file(&whole, &packed(tensors.collect(), outside.len()));
    let made = run(&["split", &whole, "--data", &names.1, "-o", &whole, "--force"]);
    assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));
    names
}

/// The data files that a program has are given, and everything is looked for in all of them.
#[test]
fn with_its_data_files_a_program_is_checked_together_with_them() {
    let (program, given) = half("given", &["one", "other"]);
    let split = run(&["split", &program, "--with", &given, "--data", "given-new.ptd", "-o", "given-small.pte", "-f"]);
    assert_eq!((split.code, split.stderr.as_str()), (Some(0), ""));
    assert_eq!(split.stdout, "given.pte: 1 tensor with 1 constant of 4 bytes moved to given-new.ptd\n");
    let check = ["check", "--quiet", "--strict", "given-small.pte", "--with", &given, "--with", "given-new.ptd"];
    assert_eq!(run(&check).code, Some(0));
    // A data file that does not have them is found out.
    let (_, wrong) = half("wrong", &["one"]);
    let split = run(&["split", &program, "--with", &wrong, "--data", "no-new.ptd", "-o", "no-small.pte"]);
    assert_eq!((split.code, split.stderr.lines().count()), (Some(2), 1), "{}", split.stderr);
    assert!(split.stderr.contains("no data file has the key \"other\""), "{}", split.stderr);
    assert!(!scratch().join("no-new.ptd").exists() && !scratch().join("no-small.pte").exists());
}

/// Without them, what was elsewhere before is elsewhere still.
#[test]
fn without_its_data_files_what_is_in_them_is_not_looked_for() {
    let (program, given) = half("kept", &["one", "other"]);
    let split = run(&["split", &program, "--data", "kept-new.ptd", "-o", "kept-small.pte", "--force"]);
    let note =
        "torchproof: note: kept.pte: has 2 tensors in other data files: not looked for, as none is given by --with\n";
    assert_eq!((split.code, split.stderr.as_str()), (Some(0), note));
    let check = ["check", "--quiet", "--strict", "kept-small.pte", "--with", &given, "--with", "kept-new.ptd"];
    assert_eq!(run(&check).code, Some(0));
    let one = half("alone", &["one"]);
    let split = run(&["split", &one.0, "--data", "alone-new.ptd", "-o", "alone-small.pte", "--force"]);
    assert!(split.stderr.contains("has 1 tensor in other data files"), "{}", split.stderr);
}

/// The new data file is not put in the place of one that the program still needs.
#[test]
fn a_data_file_that_is_still_needed_is_not_replaced() {
    let (program, given) = half("needed", &["one", "other"]);
    let bytes = fs::read(scratch().join(&given)).unwrap();
    let split = ["split", &program, "--data", &given, "-o", "needed-small.pte", "--force"];
    let outcome = run(&split);
    let line = "torchproof: needed.ptd: has the tensor `one`, which the program still needs; name another file, and this one by --with\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), line));
    let outcome = run(&[&split[..], &["--with", &given]].concat());
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("is to be two files at once"), "{}", outcome.stderr);
    // Nor is the program, also when nothing is moved.
    for model in [&program, "needed-whole.pte"] {
        let outcome = run(&["split", model, "--with", &given, "--data", "needed-new.ptd", "-o", &given, "--force"]);
        assert!(outcome.code == Some(2) && outcome.stderr.contains("is to be two files at once"), "{outcome:?}");
    }
    assert!(fs::read(scratch().join(&given)).unwrap() == bytes);
    // A copy of it is given, so that this one may go.
    file("needed-copy.ptd", &bytes);
    assert_eq!(run(&[&split[..], &["--with", "needed-copy.ptd"]].concat()).code, Some(0));
    let check = ["check", "--quiet", "needed-small.pte", "--with", &given, "--with", "needed-copy.ptd"];
    assert_eq!(run(&check).code, Some(0));
}

/// Of two entries under one key, a runtime refuses both files.
#[test]
fn a_key_of_two_data_files_is_refused() {
    let (program, given) = half("both", &["one"]);
    let path = scratch().join(&given);
    let mut document = Document::open(&path).unwrap();
    document.set_named_data("inside", Data::Bytes(b"blob".to_vec()), 16).unwrap();
    document.save(&path, Existing::Replace).unwrap();
    let split = run(&["split", &program, "--with", &given, "--data", "both-new.ptd", "-o", "both-small.pte"]);
    assert_eq!((split.code, split.stderr.lines().count()), (Some(2), 1), "{}", split.stderr);
    assert!(split.stderr.contains("key \"inside\""), "{}", split.stderr);
    assert!(!scratch().join("both-new.ptd").exists() && !scratch().join("both-small.pte").exists());
}
