//! Tests `--report sarif=FILE`: each result says where the defect is in the case's file.

use std::process::Command;

use serde_json::{Value, json};
use testkit::corpus::reported;
use torchproof_harness::corpus::Manifest;

#[test]
fn every_failure_is_a_result_and_every_unusable_reader_a_notification() {
    super::assert_report!(super::shown("sarif"));
}

/// Code-scanning sites only show results that are in files of the repository.
#[test]
fn a_result_points_to_a_file_of_the_checkout_and_states_the_defect() {
    let repository = testkit::repository();
    let manifest: Manifest =
        serde_json::from_slice(&std::fs::read(repository.join("corpus/manifest.json")).unwrap()).unwrap();
    let results = testkit::scratch("reports").join("sarif.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_torchproof"));
    command.args(["run", "--reader", "builtin:accept-all", "--cases", "*/header/*", "--results"]).arg(results);
    let (code, log, _) = reported(command.current_dir(repository.join("conformance")), "sarif");
    assert_eq!(code, 1);
    let log: Value = serde_json::from_str(&log).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() > 30);
    for result in results {
        let case = manifest.cases.iter().find(|case| result["properties"]["case"] == case.id).unwrap();
        assert_eq!(result["ruleId"], *case.rule.as_ref().unwrap());
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "conformance/Cargo.toml");
        assert_eq!(place["region"], json!({"startLine": 1}));
        let text = result["message"]["text"].as_str().unwrap();
        let at = case.at.unwrap();
        for part in [&case.title, &format!("at {:#x}", at.offset), &format!("torchproof explain {}", case.id)] {
            assert!(text.contains(&part.replace('{', "{{").replace('}', "}}")), "{part}: {text}");
        }
    }
}
