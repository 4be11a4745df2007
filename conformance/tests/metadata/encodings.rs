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

#[test]
fn a_string_has_no_nul() {
    let name = copy(&real("add.pte"), "nul");
    fs::write(scratch().join("nul/value"), b"a\0b").unwrap();
    let before = fs::read(scratch().join(&name)).unwrap();
    let outcome = run(&["meta", "set", &name, "general.name", "@nul/value"]);
    let said = "torchproof: nul/add.pte: metadata.general.name: nul/value: byte 1 of the text is NUL, which metadata have none of\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), said));
    assert_eq!(fs::read(scratch().join(&name)).unwrap(), before);
}
