//! Checks that an edit changes only one entry and keeps everything else, including alignments.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use torchproof::check::Checker;
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof::random::Random;
use torchproof::{ErrorCode, view};
use torchproof_cli::document::{Document, EditError, pack};
use torchproof_cli::findings::{self, CheckVerdict};
use torchproof_harness::disk::OverwritePolicy;
use torchproof_oracle::{OracleError, Schema, verify};

use super::command::{real, run, scratch};
use super::{case, copy};

const KEY: &str = "metadata.example.torchproof";

/// The tables of a file, in which the size and the digest of each segment replace its index.
fn meaning(bytes: &[u8]) -> Value {
    let mut value = view::to_value(bytes).unwrap();
    let segments = value["segments"].take();
    let resolve = |index: &mut Value| {
        let segment = &segments[usize::try_from(index.as_u64().unwrap()).unwrap()];
        *index = json!([segment["size"], segment["sha256"]]);
    };
    let root = if value["kind"] == "pte" { "program" } else { "flat_tensor" };
    let mut root = value[root].take();
    root.as_object_mut().unwrap().entry("named_data").or_insert(json!([]));
    root.as_object_mut().unwrap().remove("segments");
    for list in ["named_data", "mutable_data_segments"] {
        let entries = root.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        entries.for_each(|entry| resolve(&mut entry["segment_index"]));
    }
    if let Some(constants) = root
        .get_mut("constant_segment")
        .filter(|constants| constants["offsets"].as_array().is_some_and(|all| !all.is_empty()))
    {
        resolve(&mut constants["segment_index"]);
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

fn without(mut meaning: Value, key: &str) -> Value {
    meaning["named_data"].as_array_mut().unwrap().retain(|entry| entry["key"] != key);
    meaning
}

/// The segment base, and the content and offset of each nonempty segment.
fn segment_offsets(bytes: &[u8]) -> (u64, Vec<(Value, u64)>) {
    let value = view::to_value(bytes).unwrap();
    let base = value["header"]["segment_base_offset"].as_u64().unwrap_or(0);
    let all = value["segments"].as_array().unwrap().iter().filter(|segment| segment["size"] != 0);
    let offsets = all.map(|segment| (json!([segment["size"], segment["sha256"]]), segment["offset"].as_u64().unwrap()));
    (base, offsets.collect())
}

/// The segments keep their order and, up to 64 KiB, their alignment: the largest power of two that divides the old offset.
fn expect_kept(before: &[u8], after: &[u8], what: &str) {
    let is_kept = |was: u64, now: u64| now.is_multiple_of(1 << was.trailing_zeros().min(16));
    let ((base, segments), (new_base, after)) = (segment_offsets(before), segment_offsets(after));
    assert!(base == 0 || is_kept(base, new_base), "{what}: the base was {base}, and is {new_base}");
    let mut rest = after.iter();
    for (content, was) in &segments {
        let found = rest.find(|(other, _)| other == content);
        let (_, now) = found.unwrap_or_else(|| panic!("{what}: {content} is missing or out of order"));
        assert!(is_kept(*was, *now), "{what}: {content} was at {was}, and is at {now}");
    }
}

fn oracle(bytes: &[u8]) -> Result<(), OracleError> {
    match Pte::open(bytes) {
        Ok(file) => verify(file.region(), Schema::Program),
        Err(_) => verify(Ptd::open(bytes).unwrap().region(), Schema::FlatTensor),
    }
}

fn expect_accepted(path: &Path) {
    let (_, examined) = findings::examine(path, &[], &Checker::new()).unwrap();
    assert_eq!(examined.verdict(true), CheckVerdict::Accept, "{path:?}: {:?}", examined.report.findings);
    assert_eq!(oracle(&fs::read(path).unwrap()), Ok(()), "{path:?}");
}

/// The files of the newest exporter. `meta` cannot edit the legacy layout, and some older files break a should-rule.
fn editable() -> Vec<PathBuf> {
    let entries = fs::read_dir(real("")).unwrap().map(|entry| entry.unwrap().path());
    let is_file = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "pte" || ending == "ptd");
    let files: Vec<_> = entries.filter(is_file).filter(|path| !path.to_str().unwrap().contains("_v")).collect();
    assert!(files.len() >= 12, "{files:?}");
    files
}

#[test]
fn editing_a_real_file_changes_one_entry_only() {
    for path in editable().into_iter().chain([case("pte/valid/headerless.pte")]) {
        let before = fs::read(&path).unwrap();
        let name = copy(&path, "set");
        let path = scratch().join(&name);
        let set = run(&["meta", "set", &name, KEY, "a new name"]);
        assert_eq!((set.code, set.stdout.as_str(), set.stderr.as_str()), (Some(0), "", ""), "{name}");
        let after = fs::read(&path).unwrap();
        assert_eq!(run(&["meta", "get", &name, KEY]).stdout, "a new name\n");
        assert_eq!(run(&["meta", "unset", &name, KEY]).code, Some(0));
        let back = fs::read(&path).unwrap();
        for (changed, entries) in [(&after, 1), (&back, 0)] {
            fs::write(&path, changed).unwrap();
            expect_accepted(&path);
            assert_eq!(without(meaning(changed), KEY), meaning(&before), "{name}");
            expect_kept(&before, changed, &name);
            assert_eq!(segment_offsets(changed).1.len(), segment_offsets(&before).1.len() + entries, "{name}");
        }
        // Segment data needs a header. The first edit can add both; the second edit removes them again.
        assert_eq!(back.len() > 16 && back[8..10] == *b"eh", before[8..10] == *b"eh", "{name}");
    }
}

/// Cases contain structures that no exporter writes. Editing an accepted case may fail only if it would lose data.
#[test]
fn editing_an_accepted_case_changes_one_entry_only() {
    let (mut edited, mut refused) = (0, Vec::new());
    fs::create_dir_all(scratch().join("cases")).unwrap();
    for entry in walkdir::WalkDir::new(case("")).sort_by_file_name() {
        let entry = entry.unwrap();
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if !matches!(ending, Some("pte" | "ptd")) || entry.metadata().unwrap().len() > 1 << 20 {
            continue;
        }
        let (_, examined) = findings::examine(path, &[], &Checker::new()).unwrap();
        let mut document = match Document::open(path) {
            Ok(document) => document,
            Err(error) => {
                match error {
                    _ if !examined.accepts(false) => {}
                    EditError::NewerSchema { table, slot, .. } => refused.push(format!("{table} {slot}")),
                    EditError::NotEdited { what, .. } => refused.push(what.to_owned()),
                    // Shared tables can expand to a tree of gigabytes, which exceeds one of the editor's limits.
                    EditError::Broken { error, .. } if matches!(error.error().code, ErrorCode::Limit(_)) => {}
                    error => panic!("{path:?}: {error}"),
                }
                continue;
            }
        };
        assert!(examined.accepts(false), "{path:?}");
        let what = path.to_str().unwrap();
        let before = fs::read(path).unwrap();
        let target = scratch().join("cases").join(format!("edited.{}", ending.unwrap()));
        document.set_named_data(KEY, b"a value").unwrap();
        document.save(&target, OverwritePolicy::Replace).unwrap_or_else(|error| panic!("{what}: {error}"));
        let after = fs::read(&target).unwrap();
        assert_eq!(without(meaning(&after), KEY), meaning(&before), "{what}");
        expect_kept(&before, &after, what);
        let (_, now) = findings::examine(&target, &[], &Checker::new()).unwrap();
        assert!(now.accepts(false) && now.report.should <= examined.report.should, "{what}: {:?}", now.report.findings);
        // The `flatbuffers` crate rejects some cases even before the edit, for example because it requires UTF-8 keys.
        assert!(oracle(&after).is_ok() || oracle(&before).is_err(), "{what}: {:?}", oracle(&after));
        let mut document = Document::open(&target).unwrap();
        assert!(document.remove_named_data(KEY.as_bytes()), "{what}");
        document.save(&target, OverwritePolicy::Replace).unwrap();
        assert_eq!(meaning(&fs::read(&target).unwrap()), meaning(&before), "{what}");
        edited += 1;
    }
    refused.sort();
    refused.dedup();
    assert_eq!(refused, ["FlatTensor 3", "Instruction 2", "Program 8", "a data file in the legacy layout"]);
    assert!(edited > 150, "{edited}");
}

fn file(random: &mut Random, program: bool) -> Vec<u8> {
    let count = 1 + random.index(4);
    let segments: Vec<_> = (0..count)
        .map(|index| {
            json!({ "alignment": 1 << random.index(17), "size": 1 + random.index([40, 400, 9000][index % 3]),
            "data": { "fill": format!("{index:02x}ff") } })
        })
        .collect();
    let keys: Vec<_> = (0..count).map(|index| json!({ "key": format!("k{index}"), "segment_index": index })).collect();
    let mut spec = json!({ "kind": "ptd", "flat_tensor": {}, "segments": segments });
    if program {
        let program = view::to_value(&fs::read(real("add.pte")).unwrap()).unwrap()["program"].take();
        spec = json!({ "kind": "pte", "program": program, "segments": segments });
        spec["program"].as_object_mut().unwrap().remove("segments");
    }
    spec[if program { "program" } else { "flat_tensor" }]["named_data"] = keys.into();
    let mut file = std::io::Cursor::new(Vec::new());
    let options = pack::PackOptions::new(Path::new(""));
    let mut document = pack::read(spec.to_string().as_bytes(), &options).unwrap();
    document.write_unchecked(&mut file).unwrap();
    file.into_inner()
}

#[test]
fn repeated_edits_change_only_their_entries() {
    let path = scratch().join("changes");
    let mut numbers = Random::new(0x616c_6967_6e21);
    for round in 0..40 {
        let before = file(&mut numbers, round % 2 == 0);
        fs::write(&path, &before).unwrap();
        let mut wanted: Vec<(String, Vec<u8>)> = Vec::new();
        for count in 0..8 {
            let what = format!("{round}.{count}");
            let mut document = Document::open(&path).unwrap();
            let key = format!("metadata.example.{}", "y".repeat(1 + 20 * numbers.index(4)));
            let at = wanted.iter().position(|(own, _)| *own == key);
            if numbers.index(3) == 0 {
                assert_eq!(document.remove_named_data(key.as_bytes()), at.is_some(), "{what}");
                at.map(|at| wanted.remove(at));
            } else {
                let value = vec![b'v'; [0, 1, 100, 700, 5000][numbers.index(5)]];
                document.set_named_data(&key, &value).unwrap();
                match at {
                    Some(at) => wanted[at].1 = value,
                    None => wanted.push((key, value)),
                }
            }
            document.save(&path, OverwritePolicy::Replace).unwrap();
            let after = fs::read(&path).unwrap();
            expect_kept(&before, &after, &what);
            let mut rest = meaning(&after);
            for (key, value) in &wanted {
                let found = match Pte::open(&after) {
                    Ok(file) => file.find(key.as_bytes()),
                    Err(_) => Ptd::open(&after).unwrap().find(key.as_bytes()),
                };
                assert_eq!(found.unwrap().unwrap().bytes(), Ok(&value[..]), "{what}");
                rest = without(rest, key);
            }
            assert_eq!(rest, meaning(&before), "{what}");
            expect_accepted(&path);
        }
        let grown = fs::metadata(&path).unwrap().len();
        assert!(grown < 2 * before.len() as u64 + (128 << 10), "{round}: {} bytes grew to {grown}", before.len());
    }
}

#[test]
fn inline_blobs_keep_their_alignment() {
    for alignment in ["16", "64", "4096"] {
        let spec = json!({ "kind": "pte", "program": { "execution_plan": [],
            "constant_buffer": [{ "storage": [] }, { "storage": [1, 2, 3] }], "backend_delegate_data": [{ "data": [5] }] },
            "segments": [] });
        fs::write(scratch().join("inline.json"), spec.to_string()).unwrap();
        let pack = ["pack", "inline.json", "--force", "-o", "inline.pte", "--inline-alignment", alignment];
        assert_eq!(run(&pack).code, Some(0));
        for key in ["a.a", "a.longer_than_that", "a.b"] {
            assert_eq!(run(&["meta", "set", "inline.pte", key, "x"]).code, Some(0));
            let bytes = fs::read(scratch().join("inline.pte")).unwrap();
            let program = Pte::open(&bytes).unwrap().program();
            let storage = program.constant_buffer().unwrap().unwrap().get(1).unwrap().unwrap().storage().unwrap();
            let blob = program.backend_delegate_data().unwrap().unwrap().get(0).unwrap().unwrap().data().unwrap();
            for at in [storage, blob].map(|bytes| bytes.unwrap().element_span(0).offset) {
                assert!(at.is_multiple_of(alignment.parse().unwrap()), "{alignment}: {at}");
            }
        }
    }
}
