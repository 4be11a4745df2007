//! Which encoding a value is written in, and what is no value.

use std::fs;

use super::command::{real, run, scratch};
use super::copy;

/// Readers of the file expect what is in it.
#[test]
fn a_value_keeps_its_encoding_unless_told_otherwise() {
    let name = copy(&real("add.pte"), "kept-encoding");
    let set = |args: &[&str]| {
        let outcome = run(&[&["meta", "set", &name], args].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        outcome.stderr
    };
    let encoding = |key: &str| run(&["meta", "get", &name, key]).stderr;
    for (key, value, other) in [("context.length", "8192", "4096"), ("general.name", "one", "two")] {
        assert_eq!(set(&[key, value, "--encoding", "strict"]), "");
        let said = set(&[key, other]);
        assert!(said.contains(": in the encoding of the value that was there: tagged (guessed: "), "{said}");
        assert!(encoding(key).contains(", tagged (guessed"), "{key}");
        assert_eq!(run(&["meta", "get", &name, key]).stdout, format!("{other}\n"));
        assert_eq!(set(&[key, value, "--encoding", "untagged"]), "");
        assert_eq!(set(&[key, other]), "");
        assert!(encoding(key).contains(", untagged (guessed"), "{key}");
    }
    // What was there has no bytes for a list.
    set(&["example.note", "text"]);
    assert_eq!(set(&["example.note", "1, 2", "--type", "int-list"]), "");
}

/// Without a declared encoding, a value that begins with the tag of its type is taken for tagged, whatever its type; the output
/// says that this is a guess.
#[test]
fn a_value_with_its_tag_is_read_as_tagged() {
    let name = copy(&real("add.pte"), "tag");
    let set = |args: &[&str]| {
        let outcome = run(&[&["meta", "set", &name, "example.note"], args].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        outcome.stderr
    };
    let get = |args: &[&str]| {
        let outcome = run(&[&["meta", "get", &name, "example.note"], args].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        format!("{}{}", outcome.stderr, outcome.stdout)
    };
    for (ty, value, certainty) in [
        ("bytes", "00ff", "likely"),
        ("string", "abc", "likely"),
        ("int", "-7", "certain"),
        ("float", "0.5", "certain"),
        ("int-list", "[1]", "certain"),
    ] {
        for encoding in ["tagged", "strict"] {
            assert_eq!(set(&[value, "--type", ty, "--encoding", encoding]), "");
            let said =
                format!("torchproof: metadata.example.note: {ty} (declared), tagged (guessed: {certainty})\n{value}\n");
            assert_eq!(get(&["--type", ty]), said);
        }
    }
    assert_eq!(set(&["00ff", "--type", "bytes", "--encoding", "tagged"]), "");
    assert_eq!(get(&[]), "torchproof: metadata.example.note: bytes (guessed), tagged (guessed: unsure)\n00ff\n");
    assert!(run(&["meta", "list", &name]).stdout.contains(" tagged (guessed: unsure)"));
    // Nothing but the type told that they are tagged, and it does so again.
    assert!(set(&["07", "--type", "bytes"]).ends_with("the value that was there: tagged (guessed: likely)\n"));
    assert!(get(&["--type", "bytes"]).ends_with("tagged (guessed: likely)\n07\n"));
    // Who writes what is read otherwise is told so.
    let note =
        "torchproof: note: metadata.example.note: who reads it without declaring its encoding takes it for tagged\n";
    assert_eq!(set(&["0500ff", "--type", "bytes", "--encoding", "untagged"]), note);
    assert!(get(&["--type", "bytes", "--encoding", "untagged"]).ends_with("untagged (declared)\n0500ff\n"));
}

#[test]
fn a_string_has_no_nul() {
    let name = copy(&real("add.pte"), "nul");
    fs::write(scratch().join("nul/value"), b"a\0b").unwrap();
    let before = fs::read(scratch().join(&name)).unwrap();
    let outcome = run(&["meta", "set", &name, "general.name", "@nul/value"]);
    let said = "torchproof: nul/add.pte: metadata.general.name: nul/value: byte 1 of the text is NUL, which metadata have none of\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), said));
    assert_eq!(fs::read(scratch().join(&name)).unwrap(), before);
    // What is not a text under the key of one is found out.
    assert_eq!(run(&["meta", "set", &name, "general.name", "7", "--type", "int"]).code, Some(0));
    let listed = run(&["meta", "list", &name]).stdout;
    assert!(listed.contains("metadata.general.name  int (guessed)  7 "), "{listed}");
    let problem =
        "metadata.general.name: not read as string: byte 1: the text has a NUL, which metadata have none of\n";
    assert!(listed.ends_with(problem), "{listed}");
}

#[test]
fn a_value_may_begin_with_a_dash() {
    let name = copy(&real("add.pte"), "dash");
    for (args, value) in [(&["-7"][..], "-7"), (&["--type", "float", "--", "-inf"], "-inf"), (&["--", "--x"], "--x")] {
        let set = run(&[&["meta", "set", &name, "example.note"], args].concat());
        assert_eq!((set.code, set.stderr.as_str()), (Some(0), ""));
        let ty = if value == "-inf" { "float" } else { "string" };
        assert_eq!(run(&["meta", "get", &name, "example.note", "--type", ty]).stdout, format!("{value}\n"));
    }
}
