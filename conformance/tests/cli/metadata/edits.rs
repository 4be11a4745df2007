//! A change is of one entry: everything else in the file means what it did, and lies as it did.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::ErrorCode;
use torchproof::check::Checker;
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::pte::write::HeaderKind;
use torchproof::view;
use torchproof_cli::edit::{EditError, Existing};
use torchproof_cli::findings::{self, Verdict};
use torchproof_cli::meta::edit;
use torchproof_oracle::{OracleError, Schema, verify};

use super::alignment::expect_kept;
use super::command::{real, run, scratch, torchproof};
use super::{case, copy, editable};

/// A file's canonical JSON with each segment index replaced by the segment's size and digest, and nothing of the layout.
pub(super) fn meaning(bytes: &[u8]) -> Value {
    let mut value = view::to_value(bytes).unwrap();
    let segments = value["segments"].take();
    let resolve = |index: &mut Value| {
        let segment = &segments[usize::try_from(index.as_u64().unwrap()).unwrap()];
        *index = json!([segment["size"], segment["sha256"]]);
    };
    let root = if value["kind"] == "pte" { "program" } else { "flat_tensor" };
    let mut root = value[root].take();
    // A list without entries and one that is not there have the same in them.
    root.as_object_mut().unwrap().entry("named_data").or_insert(json!([]));
    root.as_object_mut().unwrap().remove("segments");
    let entries = root["named_data"].as_array_mut().unwrap().iter_mut();
    entries.for_each(|entry| resolve(&mut entry["segment_index"]));
    let states = root.get_mut("mutable_data_segments").and_then(Value::as_array_mut).into_iter().flatten();
    states.for_each(|state| resolve(&mut state["segment_index"]));
    if let Some(home) =
        root.get_mut("constant_segment").filter(|home| home["offsets"].as_array().is_some_and(|all| !all.is_empty()))
    {
        resolve(&mut home["segment_index"]);
    }
    for plan in root.get_mut("execution_plan").and_then(Value::as_array_mut).into_iter().flatten() {
        for delegate in plan.get_mut("delegates").and_then(Value::as_array_mut).into_iter().flatten() {
            if delegate["processed"]["location"] == "SEGMENT" {
                resolve(&mut delegate["processed"]["index"]);
            }
        }
    }
    root
}

/// The same without an entry.
fn without(mut meaning: Value, key: &str) -> Value {
    meaning["named_data"].as_array_mut().unwrap().retain(|entry| entry["key"] != key);
    meaning
}

/// Size and digest of each segment that has bytes, and its place in the file.
pub(super) fn segments(bytes: &[u8]) -> Vec<(Value, u64)> {
    let value = view::to_value(bytes).unwrap();
    let base = value["header"]["segment_base_offset"].as_u64().unwrap_or(0);
    let all = value["segments"].as_array().unwrap().iter().filter(|segment| segment["size"] != 0);
    all.map(|segment| (json!([segment["size"], segment["sha256"]]), base + segment["offset"].as_u64().unwrap()))
        .collect()
}

/// Our checker warns of nothing in the file, and the verifier of the flatbuffers crate takes it.
pub(super) fn expect_accepted(path: &Path) {
    let (_, examined) = findings::examine(path, &[], &Checker::new()).unwrap();
    assert_eq!(examined.verdict(true), Verdict::Accept, "{path:?}: {:?}", examined.report.findings);
    assert_eq!(oracle(&fs::read(path).unwrap()), Ok(()), "{path:?}");
}

/// What the verifier of the flatbuffers crate says of a file.
fn oracle(bytes: &[u8]) -> Result<(), OracleError> {
    match Pte::open(bytes) {
        Ok(file) => verify(file.region(), Schema::Program),
        Err(_) => verify(Ptd::open(bytes).unwrap().region(), Schema::FlatTensor),
    }
}

#[test]
fn a_key_that_is_set_has_its_value_and_nothing_else_changes() {
    const KEY: &str = "metadata.general.name";
    for path in editable() {
        let before = fs::read(&path).unwrap();
        let name = copy(&path, "set");
        let outcome = run(&["meta", "set", &name, "general.name", "a new name"]);
        assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""), "{name}");
        let after = fs::read(scratch().join(&name)).unwrap();
        expect_accepted(&scratch().join(&name));
        assert_eq!(without(meaning(&after), KEY), without(meaning(&before), KEY), "{name}");
        assert_eq!(run(&["meta", "get", &name, KEY]).stdout, "a new name\n");
        if !name.ends_with("metadata_keys.pte") {
            expect_kept(&before, &after, &name);
            assert_eq!(run(&["meta", "unset", &name, KEY]).code, Some(0));
            let back = fs::read(scratch().join(&name)).unwrap();
            expect_accepted(&scratch().join(&name));
            assert_eq!(meaning(&back), meaning(&before), "{name}");
            expect_kept(&before, &back, &name);
            let data = |bytes: &[u8]| segments(bytes).into_iter().map(|(segment, _)| segment).collect::<Vec<_>>();
            assert_eq!(data(&back), data(&before), "{name}");
        }
    }
}

/// Its place among the entries is kept, and its old segment is gone.
#[test]
fn another_value_takes_the_place_of_the_one_there() {
    let before = fs::read(real("metadata_keys.pte")).unwrap();
    let name = copy(&real("metadata_keys.pte"), "replace");
    assert_eq!(run(&["meta", "set", &name, "tokenizer.model", "Unigram"]).code, Some(0));
    let after = fs::read(scratch().join(&name)).unwrap();
    let keys = |bytes: &[u8]| -> Vec<Value> {
        meaning(bytes)["named_data"].as_array().unwrap().iter().map(|entry| entry["key"].clone()).collect()
    };
    assert_eq!(keys(&after), keys(&before));
    assert_eq!(segments(&after).len(), segments(&before).len());
    let old = segments(&before)[3].0.clone();
    assert_eq!(old[0], 3, "\"BPE\"");
    assert!(segments(&after).iter().all(|(segment, _)| *segment != old));
}

/// Every type in every encoding, in both kinds of file; what is read back is what was given.
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
                    assert!(set.stderr.contains("the untagged encoding has no lists"), "{}", set.stderr);
                    continue;
                }
                assert_eq!(set.code, Some(0), "{what}");
                let got = run(&[&["meta", "get", &name, "example.value"][..], &declared].concat());
                assert_eq!(got.stdout.trim_end(), value.trim_end(), "{what}");
                assert_eq!(got.code, Some(0), "{what}");
                assert!(got.stderr.ends_with(&format!("{ty} (declared), {encoding} (declared)\n")), "{}", got.stderr);
                // The type is found out, or at least no error is made of it.
                assert_eq!(run(&["meta", "get", &name, "example.value"]).code, Some(0), "{what}");
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
    let raw = |key: &str| torchproof(&["meta", "get", "--raw", &name, key]).output().unwrap().stdout;
    for (key, value, want) in [
        ("tokenizer.chat_template", "@template", &template[..]),
        ("context.length", "@number", &8192_i64.to_le_bytes()),
        ("general.name", "@@home", b"@home"),
        ("tokenizer.bos_id", "-1", &[0xff; 8]),
    ] {
        let set = run(&["meta", "set", &name, key, value]);
        assert_eq!((set.code, set.stderr.as_str()), (Some(0), ""), "{key}");
        assert_eq!(raw(key), want, "{key}");
    }
    for (args, want) in [(&["-"][..], &template[..]), (&["-", "--type", "bytes"], template)] {
        let args = [&["meta", "set", &name, "example.note"], args].concat();
        let stdin = fs::File::open(scratch().join("template")).unwrap();
        let set = torchproof(&args).stdin(stdin).output().unwrap();
        assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
        assert_eq!(raw("example.note"), want);
    }
}

/// As the exporter's store does it; a value that changes later leaves the other key alone.
#[test]
fn equal_values_share_a_segment() {
    let name = copy(&real("linear_external.ptd"), "shared");
    let count = || segments(&fs::read(scratch().join(&name)).unwrap()).len();
    let value = |key: &str| run(&["meta", "get", &name, key]).stdout;
    let before = count();
    for key in ["tokenizer.bos_token_id", "tokenizer.eos_token_id", "tokenizer.bos_id"] {
        assert_eq!(run(&["meta", "set", &name, key, "2"]).code, Some(0));
        assert_eq!(count(), before + 1, "{key}");
        expect_accepted(&scratch().join(&name));
    }
    assert_eq!(run(&["meta", "set", &name, "tokenizer.bos_id", "3"]).code, Some(0));
    assert_eq!(count(), before + 2);
    assert_eq!((value("tokenizer.bos_id"), value("tokenizer.bos_token_id")), ("3\n".to_owned(), "2\n".to_owned()));
    assert_eq!(run(&["meta", "unset", &name, "tokenizer.bos_token_id"]).code, Some(0));
    assert_eq!(count(), before + 2);
    assert_eq!(run(&["meta", "unset", &name, "tokenizer.eos_token_id"]).code, Some(0));
    assert_eq!(count(), before + 1);
    expect_accepted(&scratch().join(&name));
}

/// A program without data needs no header until there are metadata, and none when they are gone.
#[test]
fn a_program_without_a_header_gets_one_for_as_long_as_it_needs_it() {
    let path = case("pte/valid/headerless.pte");
    let before = fs::read(&path).unwrap();
    let name = copy(&path, "headerless");
    assert!(Pte::open(&before).unwrap().header().is_none());
    assert_eq!(run(&["meta", "set", &name, "general.name", "tiny"]).code, Some(0));
    let after = fs::read(scratch().join(&name)).unwrap();
    assert!(Pte::open(&after).unwrap().header().is_some());
    assert_eq!(Pte::open(&after).unwrap().named_data(b"metadata.general.name"), Ok(Some(&b"tiny"[..])));
    expect_accepted(&scratch().join(&name));
    assert_eq!(run(&["meta", "unset", &name, "general.name"]).code, Some(0));
    let back = fs::read(scratch().join(&name)).unwrap();
    assert!(Pte::open(&back).unwrap().header().is_none());
    assert_eq!(meaning(&back), meaning(&before));
    expect_accepted(&scratch().join(&name));
}

/// A header that no data asks for is the file's own.
#[test]
fn a_header_without_data_stays() {
    let path = scratch().join("own-header.pte");
    let mut document = edit::open(&case("pte/valid/headerless.pte")).unwrap();
    document.layout_mut().header = HeaderKind::Always(32);
    document.save(&path, Existing::Replace).unwrap();
    for value in [&b""[..], b"a value"] {
        let mut document = edit::open(&path).unwrap();
        edit::set(&mut document, "metadata.a", value).unwrap();
        assert!(edit::unset(&mut document, "metadata.a"));
        document.save(&path, Existing::Replace).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(Pte::open(&bytes).unwrap().header().map(|header| header.length), Some(32));
    }
}

/// The corpus has what no exporter writes: everything that is accepted can be edited, unless something would be lost.
#[test]
fn every_accepted_case_keeps_what_it_means() {
    let folder = scratch().join("cases");
    fs::create_dir_all(&folder).unwrap();
    let (mut edited, mut older, mut large, mut newer) = (0, 0, 0, Vec::new());
    for entry in walkdir::WalkDir::new(case("")).sort_by_file_name() {
        let entry = entry.unwrap();
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if !matches!(ending, Some("pte" | "ptd")) || entry.metadata().unwrap().len() > 1 << 20 {
            continue;
        }
        let (_, examined) = findings::examine(path, &[], &Checker::new()).unwrap();
        let document = edit::open(path);
        if !examined.accepts(false) {
            assert!(document.is_err(), "{path:?}");
            continue;
        }
        let before = fs::read(path).unwrap();
        let target = folder.join(format!("edited.{}", ending.unwrap()));
        let mut document = match document {
            Err(EditError::OlderLayout) => {
                older += 1;
                continue;
            }
            // Shared tables that make a tree which nobody wants in memory.
            Err(EditError::Broken { error, .. }) if matches!(error.error().code, ErrorCode::Limit(_)) => {
                large += 1;
                continue;
            }
            // What is not known could not be kept.
            Err(EditError::NewerSchema { table, slot, .. }) => {
                newer.push((table, slot));
                continue;
            }
            document => document.unwrap(),
        };
        edit::set(&mut document, "metadata.example.torchproof", b"a value").unwrap();
        document.save(&target, Existing::Replace).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let after = fs::read(&target).unwrap();
        let what = path.to_str().unwrap();
        assert_eq!(without(meaning(&after), "metadata.example.torchproof"), meaning(&before), "{what}");
        expect_kept(&before, &after, what);
        let (_, now) = findings::examine(&target, &[], &Checker::new()).unwrap();
        assert!(now.accepts(false) && now.report.should <= examined.report.should, "{what}: {:?}", now.report.findings);
        // It looks at more than the format asks for, as that keys are UTF-8.
        assert!(oracle(&after).is_ok() || oracle(&before).is_err(), "{what}: {:?}", oracle(&after));
        let mut document = edit::open(&target).unwrap();
        assert!(edit::unset(&mut document, "metadata.example.torchproof"), "{what}");
        document.save(&target, Existing::Replace).unwrap();
        assert_eq!(meaning(&fs::read(&target).unwrap()), meaning(&before), "{what}");
        edited += 1;
    }
    assert_eq!(newer, [("FlatTensor", 3), ("Instruction", 2), ("Program", 8)]);
    assert!(edited > 150 && older > 5 && large < 3, "{edited} edited, {older} of the older layout, {large} too large");
}
