//! Tests `--report sarif=FILE`. Each result contains the location of the defect that the manifest states.

use std::process::Command;

use serde_json::{Value, json};
use testkit::corpus::reported;
use torchproof_cli::corpus::Manifest;

#[test]
fn every_failure_is_a_result_and_every_unusable_reader_a_notification() {
    super::assert_report!(super::shown("sarif"));
}

#[test]
fn a_result_points_to_the_defect_in_the_file() {
    let repository = testkit::repository();
    let manifest: Manifest =
        serde_json::from_slice(&std::fs::read(repository.join("corpus/manifest.json")).unwrap()).unwrap();
    let results = testkit::scratch("reports").join("sarif.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_torchproof"));
    command.args(["run", "--reader", "builtin:accept-all", "--cases", "*/header/*", "--results"]).arg(results);
    let (code, log, _) = reported(command.current_dir(repository), "sarif");
    assert_eq!(code, 1);
    let log: Value = serde_json::from_str(&log).unwrap();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 30);
    for result in results {
        let case = manifest.cases.iter().find(|case| result["properties"]["case"] == case.id).unwrap();
        assert_eq!(result["ruleId"], *case.rule.as_ref().unwrap());
        let place = &result["locations"][0]["physicalLocation"];
        let file = &case.files[0];
        assert_eq!(place["artifactLocation"]["uri"], format!("corpus/{}", file.path));
        let index = usize::try_from(place["artifactLocation"]["index"].as_u64().unwrap()).unwrap();
        assert_eq!(run["artifacts"][index]["length"], file.size);
        let (offset, len) = case.at.as_ref().map_or((0, file.size), |at| (at.offset, at.len));
        assert_eq!(place["region"], json!({"startLine": 1, "byteOffset": offset, "byteLength": len}));
    }
}
