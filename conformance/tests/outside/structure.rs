//! Checks that the neutral structure cases in `conformance/flatbuffers` match their script and the corpus.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use data_encoding::HEXLOWER;
use libtest_mimic::Trial;
use serde_json::Value;
use testkit::repository;

use crate::need::{Need, trials};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        [Need::Tool(&["python3"])]; the_script_writes_the_bytes_of_the_list;
        []; each_case_agrees_with_the_corpus
    ]
}

fn the_script_writes_the_bytes_of_the_list() {
    let files = testkit::empty_scratch("structure-cases");
    let mut script = Command::new("python3");
    script.arg(repository().join("conformance/flatbuffers/cases.py")).arg(&files);
    assert!(script.status().unwrap().success());
    let cases = cases();
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let bytes = fs::read(files.join(format!("{id}.bin"))).unwrap();
        assert_eq!(HEXLOWER.encode(&bytes), case["bytes"], "{id}");
    }
    assert!(cases.len() > 50, "{}", cases.len());
}

/// Verdicts and rules must match the corpus. Each rule about FlatBuffers that a file can break must have a case.
fn each_case_agrees_with_the_corpus() {
    let manifest = fs::read(repository().join("corpus/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let corpus = manifest["cases"].as_array().unwrap();
    let cases = cases();
    for case in &cases {
        let Some(like) = case["like"].as_str() else { continue };
        let other = corpus.iter().find(|other| other["id"] == like).unwrap_or_else(|| panic!("{case}"));
        assert_eq!((&case["rule"], &case["verdict"]), (&other["rule"], &other["verdict"]), "{case}");
    }
    let rules = |cases: &[Value]| -> BTreeSet<String> {
        let rejected = cases.iter().filter(|case| case["verdict"] == "reject");
        let rules = rejected.filter_map(|case| case["rule"].as_str()).filter(|rule| rule.starts_with("fb-"));
        rules.map(str::to_owned).collect()
    };
    let (tested, broken) = (rules(&cases), rules(corpus));
    let [missing, extra] = [&broken - &tested, &tested - &broken];
    assert!(
        missing.is_empty(),
        "no structure case breaks {missing:?}: add one to conformance/flatbuffers/cases.py, and run it"
    );
    assert!(extra.is_empty(), "no case of the corpus breaks {extra:?}: declare one in a file of src/corpus");
}

fn cases() -> Vec<Value> {
    let list = fs::read(repository().join("conformance/flatbuffers/cases.json")).unwrap();
    let list: Value = serde_json::from_slice(&list).unwrap();
    list["cases"].as_array().unwrap().clone()
}
