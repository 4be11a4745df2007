//! `--format sarif`: the log is what the published schema asks for, at the bytes that the manifest names.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};
use torchproof_cli::corpus::Manifest;

use super::{both, is_unexpected, usable};

#[test]
fn the_log_says_what_the_json_says() {
    let (log, report) = both("sarif", "sarif");
    let log: Value = serde_json::from_str(&log).unwrap();
    let run = &log["runs"][0];
    let unexpected: Vec<_> = usable(&report).into_iter().filter(|result| is_unexpected(result)).collect();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), unexpected.len());
    let mut fingerprints = BTreeSet::new();
    for (result, told) in results.iter().zip(unexpected) {
        for name in ["case", "reader", "grade", "outcome"] {
            assert_eq!(result["properties"][name], told[name]);
        }
        let message = told["message"].as_str().unwrap().replace('{', "{{").replace('}', "}}");
        assert!(result["message"]["text"].as_str().unwrap().contains(&message), "{result}");
        let rule = if told["case"] == "pte/a/bad" { json!("eh-length-min") } else { told["grade"].clone() };
        assert_eq!(result["ruleId"], rule);
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], rule);
        assert!(fingerprints.insert(result["partialFingerprints"]["readerAndCase/v1"].as_str().unwrap()));
        let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.ends_with(&format!("/files/{}", told["case"].as_str().unwrap())), "{uri}");
    }
    let invocation = &run["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(true), &json!(1)));
    let notified = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notified.len(), 1, "the reader that is not there");
}

#[test]
fn a_result_is_at_the_defect_in_a_file_of_the_repository() {
    let repository = testkit::repository();
    let manifest: Manifest =
        serde_json::from_slice(&std::fs::read(repository.join("corpus/manifest.json")).unwrap()).unwrap();
    let results = testkit::scratch("reports").join("sarif.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_torchproof"))
        .args(["run", "--reader", "builtin:accept-all", "--cases", "*/header/*", "--format", "sarif", "--results"])
        .arg(results)
        .current_dir(repository)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
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
