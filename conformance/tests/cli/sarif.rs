//! `torchproof check --format sarif`: the log says what the JSON says; `outside` validates it by the published schema.

testkit::command_in!("sarif");

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use command::{file, patched, run};
use serde_json::{Value, json};

/// Exit code and run of the log of `check` with these arguments.
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
    let used: BTreeSet<_> =
        run_of["results"].as_array().unwrap().iter().map(|result| &result["ruleId"]).map(Value::as_str).collect();
    assert!(
        listed.iter().map(|rule| rule["id"].as_str()).collect::<BTreeSet<_>>() == used && listed.len() == used.len()
    );
    assert_eq!(run_of["invocations"], json!([{"executionSuccessful": true, "exitCode": 1}]));
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
