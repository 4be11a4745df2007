//! What `list`, `get`, `set` and `unset` print.

use std::fs;

use serde_json::Value;
use testkit::schema::{expect_valid, schema};

use super::command::{file, real, run, scratch, torchproof};
use super::{case, copy, names, session};

#[test]
fn list_names_keys_types_values_and_encodings() {
    let files = [
        real("metadata_keys.pte"),
        real("linear_external.ptd"),
        real("legacy_v0.6.0_tensors.ptd"),
        case("pte/valid/metadata.pte"),
        case("pte/metadata/list-count-wraps.pte"),
        case("pte/metadata/text-like-a-tag.pte"),
        case("ptd/metadata/int-of-4-bytes.ptd"),
        case("ptd-legacy/metadata/int-of-40-bytes.ptd"),
    ];
    let mut shown: String = files.iter().map(|path| session(&format!("list {}", copy(path, "list")))).collect();
    copy(&case("pte/valid/metadata.pte"), "list");
    shown += &session(
        "
        list list/metadata.pte --encoding untagged
        list list/metadata.pte --encoding tagged
        list list/metadata.pte --encoding strict
    ",
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn get_prints_one_value_and_its_reading() {
    copy(&case("pte/valid/metadata.pte"), "get");
    insta::assert_snapshot!(session(
        "
        get get/metadata.pte general.name
        get get/metadata.pte metadata.general.name
        get get/metadata.pte tokenizer.eos_ids
        get get/metadata.pte tokenizer.bos_id --type int --encoding strict
        get get/metadata.pte tokenizer.bos_id --encoding untagged
        get get/metadata.pte general.name --type bytes
        get get/metadata.pte general.name --type int
        get get/metadata.pte general.name --format json
        get get/metadata.pte example_backend.note --type float
        get get/metadata.pte general.nothing
    "
    ));
}

/// Slips, odd values, encodings that are kept, and everything that is refused.
#[test]
fn set_and_unset_print_what_is_odd() {
    let name = copy(&real("linear_external.ptd"), "set-odd");
    fs::write(scratch().join("nul"), b"a\0b").unwrap();
    insta::assert_snapshot!(session(
        &"
        set FILE context.length many --type string
        list FILE
        set FILE context.lenght 8192
        set FILE example.quite_another 8192
        get FILE context.lengh
        set FILE general.name one --encoding strict
        set FILE general.name two
        get FILE general.name
        set FILE general.name two --encoding untagged
        set FILE general.name three
        get FILE general.name
        set FILE general.name '1, 2' --type int-list
        unset FILE general.name
    "
        .replace("FILE", &name)
    ));
    let before = fs::read(scratch().join(&name)).unwrap();
    insta::assert_snapshot!(
        "refused",
        session(
            &"
        set FILE name x
        set FILE General.name x
        set FILE general..name x
        set FILE metadata. x
        set FILE general.näme x
        set FILE context.length long
        set FILE context.length 9223372036854775808
        set FILE model.use_kv_cache true
        set FILE example.scale 1e400 --type float
        set FILE tokenizer.eos_ids 1,2 --encoding untagged
        set FILE example.note abc --type bytes
        set FILE example.note @missing
        set FILE general.name @nul
        set FILE example.note x -o missing/out.ptd
        get FILE l.weight
        unset FILE l.weight
        unset FILE metadata.l.weight
        keys
        keys --format json
    "
            .replace("FILE", &name)
        )
    );
    assert_eq!(fs::read(scratch().join(&name)).unwrap(), before);
    assert_eq!(names("set-odd"), ["linear_external.ptd"]);
}

/// Broken files are exit code 1; other kinds, files that are not there, and too much work are 2.
#[test]
fn files_that_cannot_be_changed_stay() {
    let whole = fs::read(real("metadata_keys.pte")).unwrap();
    file("cut.pte", &whole[..1000]);
    let mut shown = session("list cut.pte\nget cut.pte a.b");
    let cases = ["pte/header/segment-sum-wraps.pte", "pte/named-data/key-twice.pte", "bpte/valid/one-case.bpte"];
    let files = cases.map(case).into_iter().chain([real("legacy_v0.6.0_tensors.ptd"), scratch().join("cut.pte")]);
    for path in files.chain([case("pte/limits/a-million-tables.pte")]) {
        let name = copy(&path, "unedited");
        shown += &session(&format!("set {name} general.name x\nunset {name} general.name"));
        assert!(fs::read(scratch().join(&name)).unwrap() == fs::read(path).unwrap(), "{name}");
    }
    insta::assert_snapshot!(shown + &session("set absent.pte general.name x"));
}

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

/// Long values are cut or left out, and never needed in memory.
#[test]
fn long_values_are_cut() {
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
    insta::assert_snapshot!(session(&format!("list {name}\nget {name} tokenizer.chat_template")));
}
