//! `torchproof check --format sarif`: the log is what the published schema asks for, and says what the other formats say.

testkit::command_in!("sarif");

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use command::{file, patched, run};
use serde_json::{Value, json};
use torchproof::rules;

/// The log of `check` with these arguments, which the published schema allows.
fn log(args: &[&str]) -> (Option<i32>, Value) {
    let outcome = run(&[&["check", "--format", "sarif"], args].concat());
    let log: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    (outcome.code, log["runs"][0].clone())
}

fn corpus() -> String {
    format!("{}/corpus/files", testkit::repository().display())
}

#[test]
fn the_log_says_what_the_json_says() {
    let corpus = corpus();
    let (code, run_of) = log(&[&corpus]);
    let outcome = run(&["check", "--format", "json", &corpus]);
    assert_eq!((code, outcome.code), (Some(1), Some(1)));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let mut results = run_of["results"].as_array().unwrap().iter();
    let listed = run_of["tool"]["driver"]["rules"].as_array().unwrap();
    for (index, entry) in report["files"].as_array().unwrap().iter().enumerate() {
        let artifact = &run_of["artifacts"][index];
        let path = entry["path"].as_str().unwrap();
        assert_eq!(artifact["location"]["uri"], format!("file://{path}"));
        assert_eq!(
            (&artifact["length"], &artifact["properties"]["kind"]),
            (&json!(fs::metadata(path).unwrap().len()), &entry["kind"])
        );
        for finding in entry["findings"].as_array().unwrap() {
            let result = results.next().unwrap();
            assert_eq!(result["ruleId"], finding["rule"]);
            let rule = &listed[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
            assert_eq!(rule["id"], finding["rule"]);
            let level = match finding["strength"].as_str().unwrap() {
                "must" => "error",
                "should" => "warning",
                _ => "note",
            };
            assert_eq!((&result["level"], &rule["defaultConfiguration"]["level"]), (&json!(level), &json!(level)));
            let place = &result["locations"][0];
            let physical = &place["physicalLocation"];
            assert_eq!(physical["artifactLocation"], json!({"uri": artifact["location"]["uri"], "index": index}));
            let span = &finding["span"];
            let region = json!({"startLine": 1, "byteOffset": span["offset"], "byteLength": span["len"]});
            assert_eq!(physical["region"], region);
            let field = finding["path"].as_str().unwrap();
            let named = place["logicalLocations"][0]["fullyQualifiedName"].as_str().unwrap_or_default();
            assert_eq!(named, field);
            // Braces stand twice in such a text.
            let message = finding["message"].as_str().unwrap().replace('{', "{{").replace('}', "}}");
            assert!(result["message"]["text"].as_str().unwrap().contains(&message), "{result}");
        }
    }
    assert!(results.next().is_none());
    assert_eq!(run_of["invocations"], json!([{"executionSuccessful": true, "exitCode": 1}]));
}

#[test]
fn rules_are_described_once_each() {
    let (_, run) = log(&[&corpus()]);
    let used: BTreeSet<&str> =
        run["results"].as_array().unwrap().iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    let driver = &run["tool"]["driver"];
    assert_eq!(
        (&driver["name"], &driver["semanticVersion"]),
        (&json!("torchproof"), &json!(env!("CARGO_PKG_VERSION")))
    );
    let listed = driver["rules"].as_array().unwrap();
    assert!(listed.len() == used.len() && listed.iter().all(|rule| used.contains(rule["id"].as_str().unwrap())));
    for entry in listed {
        let rule = rules::get(entry["id"].as_str().unwrap()).unwrap();
        let unescaped = |text: &Value| text["text"].as_str().unwrap().replace("{{", "{").replace("}}", "}");
        assert_eq!(unescaped(&entry["shortDescription"]), rule.statement);
        let known = rule.explanation();
        let help = unescaped(&entry["help"]);
        assert!([known.why, known.readers, known.source].iter().all(|text| help.contains(text)), "{entry}");
        assert_eq!(entry["properties"]["stage"], rule.stage.name());
    }
}

#[test]
fn fingerprints_tell_the_findings_of_a_file_apart() {
    let (_, run) = log(&[&corpus()]);
    let mut seen: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    for result in run["results"].as_array().unwrap() {
        let file = result["locations"][0]["physicalLocation"]["artifactLocation"]["index"].as_u64().unwrap();
        let fingerprint = result["partialFingerprints"]["ruleAndField/v1"].as_str().unwrap();
        assert!(seen.entry(file).or_default().insert(fingerprint), "{result}");
    }
    // The same defect in a file that is otherwise a different one.
    let one = file("one.pte", &patched("linear.pte", 24, &[0xff; 4]));
    let other = file("other.pte", &patched("conv.pte", 24, &[0xff; 4]));
    let (_, both) = log(&[one, other]);
    let of = |index: usize| &both["results"][index]["partialFingerprints"];
    assert_eq!((both["results"].as_array().unwrap().len(), of(0)), (2, of(1)), "{both}");
}
