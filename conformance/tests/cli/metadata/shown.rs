//! What `list` and `get` print.

use std::fs;

use serde_json::Value;
use torchproof::metadata::WELL_KNOWN;

use super::command::{file, real, run, scratch, torchproof};
use super::{case, copy};
use testkit::schema::{expect_valid, schema};

#[test]
fn a_list_names_keys_types_values_and_encodings() {
    let mut said = String::new();
    for path in [
        real("metadata_keys.pte"),
        real("linear_external.ptd"),
        case("pte/valid/metadata.pte"),
        case("pte/metadata/list-count-wraps.pte"),
        case("pte/metadata/text-like-a-tag.pte"),
        case("ptd/metadata/int-of-4-bytes.ptd"),
        case("ptd-legacy/metadata/int-of-40-bytes.ptd"),
    ] {
        let name = copy(&path, "list");
        let listed = run(&["meta", "list", &name]);
        assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""), "{name}");
        said += &format!("$ torchproof meta list {name}\n{}\n", listed.stdout);
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_declared_encoding_is_kept_to() {
    let name = copy(&case("pte/valid/metadata.pte"), "declared");
    let mut said = String::new();
    for encoding in ["untagged", "tagged", "strict"] {
        said += &format!("{}\n", run(&["meta", "list", "--encoding", encoding, &name]).stdout);
    }
    insta::assert_snapshot!(said);
}

/// Of every case there is, whatever is wrong with it.
#[test]
fn json_is_as_its_schema_says() {
    let schema = schema("meta.schema.json");
    let mut listed = 0;
    for folder in ["pte", "ptd", "ptd-legacy"] {
        for entry in fs::read_dir(case(folder).join("metadata")).unwrap() {
            let path = entry.unwrap().path();
            for encoding in [&[][..], &["--encoding", "strict"]] {
                let args = [&["meta", "list", "--format", "json", path.to_str().unwrap()][..], encoding].concat();
                let outcome = run(&args);
                assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
                let value: Value = serde_json::from_str(&outcome.stdout).unwrap();
                expect_valid(&schema, &value);
                assert!(!value["metadata"].as_array().unwrap().is_empty(), "{path:?}");
                listed += 1;
            }
        }
    }
    assert!(listed > 10);
    let one = run(&["meta", "get", "--format", "json", real("metadata_keys.pte").to_str().unwrap(), "general.name"]);
    let one: Value = serde_json::from_str(&one.stdout).unwrap();
    expect_valid(&schema, &serde_json::json!({ "kind": "pte", "metadata": [one] }));
    assert_eq!(one["value"], "Tiny-Emb");
}

#[test]
fn one_value_is_printed_with_its_reading_beside_it() {
    let name = copy(&case("pte/valid/metadata.pte"), "get");
    let mut said = String::new();
    for args in [
        &["general.name"][..],
        &["metadata.general.name"],
        &["tokenizer.eos_ids"],
        &["tokenizer.bos_id", "--type", "int", "--encoding", "strict"],
        &["tokenizer.bos_id", "--encoding", "untagged"],
        &["general.name", "--type", "bytes"],
        &["general.name", "--type", "int"],
        &["example_backend.note", "--type", "float"],
        &["general.nothing"],
    ] {
        let got = run(&[&["meta", "get", &name][..], args].concat());
        said += &format!("{} -> {}\n{}{}\n", args.join(" "), got.code.unwrap(), got.stderr, got.stdout);
    }
    insta::assert_snapshot!(said);
}

/// Every byte, and no tag.
#[test]
fn raw_bytes_are_those_of_the_value() {
    let name = copy(&case("pte/valid/metadata.pte"), "raw");
    for (key, want) in [
        ("general.name", &b"example"[..]),
        ("tokenizer.bos_id", b"\x01\0\0\0\0\0\0\0"),
        ("tokenizer.vocab_size", b"\0\x7d\0\0\0\0\0\0"),
    ] {
        let output = torchproof(&["meta", "get", "--raw", &name, key]).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), want), "{key}");
    }
}

/// A file's text must not speak to the terminal; in `--raw` it is asked for.
#[test]
fn only_printable_text_is_printed() {
    let name = copy(&real("add.pte"), "hostile");
    let text = "a\u{1b}[31mb\u{9b}c\u{202e}d\u{7f}";
    assert_eq!(run(&["meta", "set", &name, "general.name", text]).code, Some(0));
    for args in [&["list", &name][..], &["list", &name, "--format", "json"], &["get", &name, "general.name"]] {
        let printed = run(&[&["meta"], args].concat());
        let acts = |char: char| char.is_control() && char != '\n' || char == '\u{202e}';
        assert!(!printed.stdout.contains(acts), "{:?}", printed.stdout);
        assert!(printed.stdout.contains('c'), "{:?}", printed.stdout);
    }
    assert_eq!(run(&["meta", "get", &name, "general.name", "--raw"]).stdout, text);
}

#[test]
fn a_broken_file_is_one_line_and_code_1() {
    let whole = fs::read(real("metadata_keys.pte")).unwrap();
    let name = file("cut.pte", &whole[..1000]);
    for args in [&["list"][..], &["get", "general.name"], &["set", "general.name", "x"], &["unset", "general.name"]] {
        let args = [&["meta", args[0], name], &args[1..]].concat();
        let outcome = run(&args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(outcome.stderr.contains("eh-program-size-range"), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    }
    assert_eq!(fs::read(scratch().join(name)).unwrap(), whole[..1000]);
}

/// The registry, and nothing else.
#[test]
fn the_well_known_keys_are_listed_with_their_types() {
    let json = run(&["meta", "keys", "--format", "json"]);
    let keys: Value = serde_json::from_str(&json.stdout).unwrap();
    expect_valid(&schema("meta_keys.schema.json"), &keys);
    let text = run(&["meta", "keys"]).stdout;
    let listed = keys.as_array().unwrap();
    assert_eq!(listed.len(), WELL_KNOWN.len());
    for (listed, (name, ty)) in listed.iter().zip(WELL_KNOWN) {
        let key = format!("metadata.{name}");
        assert_eq!((listed["key"].as_str(), listed["type"].as_str()), (Some(key.as_str()), Some(ty.name())));
        let row = text.lines().find(|line| line.split_whitespace().next() == Some(key.as_str())).unwrap();
        assert_eq!(row.split_whitespace().last(), Some(ty.name()));
    }
}

/// What is too long for JSON says that it is.
#[test]
fn a_long_value_is_left_out_of_json_and_said_to_be() {
    let name = copy(&real("add.pte"), "long");
    let validator = schema("meta.schema.json");
    for (len, left_out) in [(1 << 16, false), ((1 << 16) + 1, true)] {
        fs::write(scratch().join("text"), "a".repeat(len)).unwrap();
        assert_eq!(run(&["meta", "set", &name, "tokenizer.chat_template", "@text"]).code, Some(0));
        let listed: Value = serde_json::from_str(&run(&["meta", "list", &name, "--format", "json"]).stdout).unwrap();
        expect_valid(&validator, &listed);
        let entry = &listed["metadata"][0];
        assert_eq!((&entry["size"], entry.get("left_out").is_some()), (&Value::from(len), left_out));
        assert_eq!(entry.get("value").is_none(), left_out);
    }
}

/// It can be listed, and has nothing to list; its readers would find nothing else than tensors.
#[test]
fn a_data_file_of_the_older_layout_has_no_metadata() {
    let name = copy(&real("legacy_v0.6.0_tensors.ptd"), "older");
    let listed = run(&["meta", "list", &name]);
    assert_eq!((listed.code, listed.stdout), (Some(0), format!("{name}: no metadata\n")));
    assert_eq!(run(&["meta", "get", &name, "general.name"]).code, Some(1));
    assert_eq!(run(&["meta", "set", &name, "general.name", "x"]).code, Some(2));
}
