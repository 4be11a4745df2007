//! Tests the fingerprints in the output of `torchproof check --format sarif`.
//!
//! `check.md` shows logs, and a test in `outside` validates a log with the published schema.

testkit::command_in!("sarif");

use std::collections::{BTreeMap, BTreeSet};

use command::{file, patched, run};
use serde_json::Value;

fn log(args: &[&str]) -> Value {
    let outcome = run(&[&["check", "--format", "sarif"], args].concat());
    let log: Value = serde_json::from_str(&outcome.stdout).unwrap();
    log["runs"][0].clone()
}

#[test]
fn fingerprints_are_unique_in_a_file_and_equal_across_files() {
    let run = log(&[&format!("{}/corpus/files", testkit::repository().display())]);
    let mut seen: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    for result in run["results"].as_array().unwrap() {
        let file = result["locations"][0]["physicalLocation"]["artifactLocation"]["index"].as_u64().unwrap();
        let fingerprint = result["partialFingerprints"]["ruleAndField/v1"].as_str().unwrap();
        assert!(seen.entry(file).or_default().insert(fingerprint), "{result}");
    }
    // The same defect in two files has the same fingerprint.
    let one = file("one.pte", &patched("linear.pte", 24, &[0xff; 4]));
    let other = file("other.pte", &patched("conv.pte", 24, &[0xff; 4]));
    let both = log(&[one, other]);
    let of = |index: usize| &both["results"][index]["partialFingerprints"];
    assert_eq!((both["results"].as_array().unwrap().len(), of(0)), (2, of(1)), "{both}");
}
