//! Validates output formats with published schemas and independent tools.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use command::{real, run, scratch};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use testkit::corpus::report_of_every_outcome;
use torchproof_harness::run::compare::first_difference;

use crate::need::{self, Need, trials};
use crate::sarif_schema;

testkit::command_in!("formats");

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        [Need::SarifSchema]; the_sarif_schema_accepts_only_valid_logs;
        [Need::Tool(&["xmllint"])]; the_junit_schema_accepts_only_valid_reports;
        [Need::Truth]; every_real_file_decodes_like_flatc
    ]
}

fn the_sarif_schema_accepts_only_valid_logs() {
    let schema = sarif_schema::published().unwrap();
    assert_eq!(schema["properties"]["version"]["enum"], json!(["2.1.0"]));
    let schema = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    assert!(!schema.is_valid(&json!({"version": "2.1.0", "runs": [{"results": []}]})), "a run without a tool");
    let corpus = testkit::repository().join("corpus/files");
    let checked = run(&["check", "--format", "sarif", corpus.to_str().unwrap()]).stdout;
    let [old, new] = ["linear.pte", "linear_external.pte"].map(real);
    let compared = scratch().join("gate.sarif");
    let report = format!("sarif={}", compared.display());
    run(&["gate", "files", old.to_str().unwrap(), new.to_str().unwrap(), "--report", &report]);
    let compared = fs::read_to_string(compared).unwrap();
    for log in [checked, report_of_every_outcome("sarif", "format-sarif"), compared] {
        testkit::schema::expect_valid(&schema, &serde_json::from_str(&log).unwrap());
    }
}

/// Returns the errors of `xmllint`, or an empty string for a valid document.
fn lint(document: &str) -> String {
    let schema = testkit::repository().join("conformance/schema/junit.xsd");
    let mut child = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(schema)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(document.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { String::new() } else { errors }
}

fn the_junit_schema_accepts_only_valid_reports() {
    let document = report_of_every_outcome("junit", "format-junit");
    assert_eq!(lint(&document), "", "{document}");
    for (was, now) in [
        ("classname=", "klass="),
        ("<testsuites ", "<testsuite "),
        ("time=\"", "time=\"-1"),
        ("<skipped ", "<passed "),
        (" type=\"crash\"", ""),
    ] {
        assert!(document.contains(was), "{was}");
        assert!(!lint(&document.replacen(was, now, 1)).is_empty(), "{now}");
    }
}

fn every_real_file_decodes_like_flatc() {
    let folder = need::truth();
    let mut names: Vec<_> = fs::read_dir(real("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    // The outputs of flatc cover only one file by an older exporter.
    names.retain(|name| name.to_string_lossy().starts_with("legacy") || !name.to_string_lossy().contains("_v"));
    names.retain(|name| name != "README.md");
    assert_eq!(names.len(), 13, "{names:?}");
    for name in names {
        let name = name.to_str().unwrap();
        let truth = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let mut want: Value = serde_json::from_str(&truth).unwrap();
        let mut have: Value = serde_json::from_str(&run(&["dump", real(name).to_str().unwrap()]).stdout).unwrap();
        let root = if name.ends_with(".pte") { "program" } else { "flat_tensor" };
        let mut have = have[root].take();
        round(&mut want);
        round(&mut have);
        assert_eq!(first_difference(&want, &have), None, "{name}");
    }
}

/// flatc prints only 12 decimals.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = serde_json::from_str(&format!("{:.12}", number.as_f64().unwrap())).unwrap();
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(members) => members.values_mut().for_each(round),
        _ => {}
    }
}
