//! Values, as they are given and printed; `meta.md` has the sessions.

use std::fs;

use serde_json::Value;
use testkit::schema::{expect_valid, schema};

use super::command::{real, run, scratch, torchproof};
use super::{case, copy};

/// Every type in every encoding, in both kinds of file, is read back as it was given.
#[test]
fn values_come_back_as_they_were_given() {
    for path in [real("linear.pte"), real("mlp_external.ptd")] {
        let name = copy(&path, "types");
        for (ty, value) in [
            ("string", "Grüße\n"),
            ("int", "-9223372036854775808"),
            ("float", "-0.1"),
            ("bytes", "00ff10"),
            ("int-list", "[1, -2, 3]"),
            ("int-list", "[]"),
        ] {
            for encoding in ["untagged", "tagged", "strict"] {
                let what = format!("{name}: {ty} {encoding}");
                let declared = ["--type", ty, "--encoding", encoding];
                let set = run(&[&["meta", "set", &name, "example.value", value][..], &declared].concat());
                if (ty, encoding) == ("int-list", "untagged") {
                    assert_eq!(set.code, Some(2), "{what}");
                    continue;
                }
                assert_eq!(set.code, Some(0), "{what}");
                let got = run(&[&["meta", "get", &name, "example.value"][..], &declared].concat());
                assert_eq!((got.code, got.stdout.trim_end()), (Some(0), value.trim_end()), "{what}");
                let inferred = run(&["meta", "get", &name, "example.value"]);
                assert_eq!(inferred.code, Some(0), "{what}");
                let of_type = run(&["meta", "get", &name, "example.value", "--type", ty]);
                assert_eq!((of_type.code, of_type.stdout.trim_end()), (Some(0), value.trim_end()), "{what}");
            }
        }
    }
}

#[test]
fn a_value_comes_from_an_argument_a_file_or_stdin() {
    let name = copy(&real("add.pte"), "sources");
    let template = b"{% for m in messages %}\n\xf0\x9f\x94\xa5{% endfor %}\n";
    fs::write(scratch().join("template"), template).unwrap();
    fs::write(scratch().join("number"), "8192\n").unwrap();
    let set = |args: &[&str]| {
        let mut command = torchproof(&[&["meta", "set", &name], args].concat());
        assert!(command.stdin(fs::File::open(scratch().join("template")).unwrap()).status().unwrap().success());
        torchproof(&["meta", "get", "--raw", &name, args[0]]).output().unwrap().stdout
    };
    assert_eq!(set(&["tokenizer.chat_template", "@template"]), template);
    assert_eq!(set(&["context.length", "@number"]), 8192_i64.to_le_bytes());
    assert_eq!(set(&["general.name", "@@home"]), b"@home");
    assert_eq!(set(&["tokenizer.bos_id", "-1"]), [0xff; 8]);
    assert_eq!(set(&["example.note", "-"]), template);
    assert_eq!(set(&["example.bytes", "-", "--type", "bytes"]), template);
    assert_eq!(set(&["example.dashes", "--", "--x"]), b"--x");
    assert_eq!(run(&["meta", "set", &name, "example.note"]).code, Some(2));
}

/// Every case in the corpus, whatever is wrong with it.
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
}

/// Text that could act on a terminal is escaped, and `--raw` writes it.
#[test]
fn only_printable_text_is_printed() {
    let name = copy(&real("add.pte"), "hostile");
    let text = "a\u{1b}[31mb\u{9b}c\u{202e}d\u{7f}";
    assert_eq!(run(&["meta", "set", &name, "general.name", text]).code, Some(0));
    for args in [&["list", &name][..], &["list", &name, "--format", "json"], &["get", &name, "general.name"]] {
        let printed = run(&[&["meta"], args].concat());
        let acts = |char: char| char.is_control() && char != '\n' || char == '\u{202e}';
        assert!(!printed.stdout.contains(acts) && printed.stdout.contains('c'), "{:?}", printed.stdout);
    }
    assert_eq!(run(&["meta", "get", &name, "general.name", "--raw"]).stdout, text);
}

/// A value of more than 64 KiB is left out of JSON.
#[test]
fn long_values_are_left_out() {
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
