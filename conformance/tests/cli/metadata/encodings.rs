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
    assert_eq!(get(&[]), "torchproof: metadata.example.note: bytes (tag), tagged (guessed: unsure)\n00ff\n");
    let listed = run(&["meta", "list", &name]).stdout;
    assert!(listed.contains("  bytes (tag)  00ff "), "{listed}");
    assert!(listed.contains(" tagged (guessed: unsure)"), "{listed}");
    let json = run(&["meta", "get", "--format", "json", &name, "example.note"]).stdout;
    assert!(json.contains(r#""type_from": "tag""#), "{json}");
    // Nothing but the type told that they are tagged, and it does so again.
    assert!(set(&["07", "--type", "bytes"]).ends_with("the value that was there: tagged (guessed: likely)\n"));
    assert!(get(&["--type", "bytes"]).ends_with("tagged (guessed: likely)\n07\n"));
    // Told what it is, it is what it was set to.
    assert!(set(&["0500ff", "--type", "bytes", "--encoding", "untagged"]).contains(" takes it for the bytes 00ff, "));
    assert!(get(&["--type", "bytes", "--encoding", "untagged"]).ends_with("untagged (declared)\n0500ff\n"));
}

/// Who writes what is read otherwise is told so, and how else to write it where there is a way.
#[test]
fn a_value_that_does_not_tell_what_it_is_is_noted() {
    let name = copy(&real("add.pte"), "misread");
    let mut said = String::new();
    for args in [
        // Of these, the last alone is taken for what it is.
        &["example.a", "0", "--type", "float"][..],
        &["example.a", "6c6c616d61", "--type", "bytes"],
        &["example.a", "9007199254740993", "--type", "int"],
        &["example.a", "8192", "--type", "int"],
        // No text is like that, and a tag does not change it.
        &["example.b", "\u{1b}2345678", "--type", "string"],
        &["example.b", "", "--type", "bytes"],
        &["example.b", "\u{5}\u{80}", "--type", "string", "--encoding", "untagged"],
        &["example.c", "0500ff", "--type", "bytes", "--encoding", "untagged"],
        &["example.d", "\u{1}", "--type", "string", "--encoding", "strict"],
        &["example.d", "\u{1}", "--type", "string", "--encoding", "untagged"],
        // The key declares its type, and another one is not found where that fits.
        &["context.length", "9007199254740993"],
        &["general.name", "6c6c616d61", "--type", "bytes"],
        &["general.name", "llama"],
        &["tokenizer.eos_ids", "1, 2"],
    ] {
        let outcome = run(&[&["meta", "set", &name], args].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        said += &format!("{}\n{}", args.join(" ").escape_debug(), outcome.stderr);
    }
    insta::assert_snapshot!(said);
}

/// The note is there when a reader without a declaration gets something else, and only then.
#[test]
fn what_is_not_noted_is_read_as_it_was_written() {
    let name = copy(&real("add.pte"), "noted");
    let mut noted = 0;
    for (ty, values) in [
        ("string", &["", "text", "\u{3}", "\u{3}text", "\u{5}text", "\u{1}2345678", "1234567\u{7f}"][..]),
        ("int", &["0", "-1", "9223372036854775807", "4503599627370497", "3617008641903833650"]),
        ("float", &["0", "-0", "1.5", "1e300", "1e-40", "inf", "NaN"]),
        ("bytes", &["", "61", "0500", "03", "0361", "ff", "0102030405060708", "040000000000"]),
        ("int-list", &["", "1", "1, 2"]),
    ] {
        for (value, encoding) in values.iter().flat_map(|value| ["untagged", "tagged"].map(|form| (value, form))) {
            if (ty, encoding) == ("int-list", "untagged") {
                continue;
            }
            let args = ["meta", "set", &name, "example.note", "--type", ty, "--encoding", encoding, "--", value];
            let set = run(&args);
            assert_eq!(set.code, Some(0), "{args:?}: {}", set.stderr);
            let read = |more: &[&str]| {
                let get = [&["meta", "get", "--format", "json", &name, "example.note"], more].concat();
                let read: serde_json::Value = serde_json::from_str(&run(&get).stdout).unwrap();
                (read["type"].clone(), read["value"].clone())
            };
            let alike = read(&[]) == read(&["--type", ty, "--encoding", encoding]);
            assert_eq!(set.stderr.is_empty(), alike, "{args:?}: {}", set.stderr);
            if !alike && encoding == "untagged" {
                assert_eq!(
                    run(&["meta", "set", &name, "example.note", "--type", ty, "--encoding", "tagged", "--", value])
                        .code,
                    Some(0)
                );
                let helps = read(&[]) == read(&["--type", ty, "--encoding", "tagged"]);
                assert_eq!(set.stderr.ends_with("; --encoding tagged tells it\n"), helps, "{args:?}: {}", set.stderr);
            }
            noted += usize::from(!alike);
        }
    }
    assert!((10..40).contains(&noted), "{noted}");
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
    for (args, value) in [(&["-7"][..], "-7"), (&["--type", "float", "--", "-1.5"], "-1.5"), (&["--", "--x"], "--x")] {
        let set = run(&[&["meta", "set", &name, "example.note"], args].concat());
        assert_eq!((set.code, set.stderr.as_str()), (Some(0), ""));
        let ty = if value == "-1.5" { "float" } else { "string" };
        assert_eq!(run(&["meta", "get", &name, "example.note", "--type", ty]).stdout, format!("{value}\n"));
    }
}
