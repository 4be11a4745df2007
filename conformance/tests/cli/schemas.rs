//! Checks that JSON output conforms to the JSON schemas.

use command::{file, real, run, scratch};
use serde_json::{Value, json};
use testkit::schema::{expect_valid, schema};

testkit::command_in!("schemas");

#[test]
fn json_output_conforms_to_its_schema() {
    let corpus = testkit::repository().join("corpus/files");
    let [program, data] = ["linear_external.pte", "linear_external.ptd"].map(|name| real(name).display().to_string());
    let copy = file("copy.ptd", &std::fs::read(&data).unwrap());
    for (name, args, code) in [
        ("check", &["check", corpus.to_str().unwrap(), "missing.pte"][..], 2),
        ("check", &["check", &program, "--with", &data, "--with", copy], 1),
        ("check", &["check", &program, "--runtime", "executorch:1.5", "--build", "wheel:1.4.1"], 0),
        ("rules", &["explain"], 0),
        ("manifest", &["corpus", "list"], 0),
        ("coverage", &["corpus", "coverage"], 0),
        ("attacks", &["attack", "--list"], 0),
    ] {
        let outcome = run(&[args, &["--format", "json"]].concat());
        assert_eq!(outcome.code, Some(code), "{args:?}: {}", outcome.stderr);
        expect_valid(&schema(&format!("{name}.schema.json")), &serde_json::from_str(&outcome.stdout).unwrap());
    }
}

#[test]
fn comparisons_conform_to_their_schemas() {
    let [program, external] = ["linear.pte", "linear_external.pte"].map(|name| real(name).display().to_string());
    let old = file("old.fbs", b"table T { a: int; b: S; } struct S { x: int8; } root_type T;");
    let new = file("new.fbs", b"table T { b: S; } struct S { x: int16; } enum E : int8 { A } root_type T;");
    let broken = file("broken.pte", b"no program");
    let [base, worse, fewer] = ["base.jsonl", "worse.jsonl", "fewer.jsonl"];
    for (results, reader, cases) in [
        (base, "builtin:reference", "pte/identifier/*"),
        (worse, "builtin:accept-all", "pte/identifier/*"),
        (fewer, "builtin:reference", "pte/identifier/z*"),
    ] {
        run(&["run", "--cases", cases, "--results", results, "--reader", reader]);
    }
    let entry = |kind, path| format!("[[allow]]\nrule = '{kind}'\npath = '{path}'\nreason = 'x'\n");
    let settings =
        file("settings.toml", [entry("struct-layout", "*.fbs"), entry("segments", "**")].concat().as_bytes());
    for (name, args, code) in [
        ("gate_schema", ["gate", "schema", old, new], 1),
        ("gate_files", ["gate", "files", &program, &external], 1),
        ("gate_files", ["gate", "files", &program, broken], 2),
        ("gate_results", ["gate", "results", base, worse], 1),
        ("gate_results", ["gate", "results", base, fewer], 2),
    ] {
        let outcome = run(&[&args[..], &["--report", "json=report.json", "--config", settings]].concat());
        assert_eq!(outcome.code, Some(code), "{args:?}: {}", outcome.stderr);
        let report: Value = serde_json::from_slice(&std::fs::read(scratch().join("report.json")).unwrap()).unwrap();
        expect_valid(&schema(&format!("{name}.schema.json")), &report);
    }
    assert_eq!(run(&["report", base, worse, "--report", "json=matrix.json"]).code, Some(0));
    let matrix = std::fs::read(scratch().join("matrix.json")).unwrap();
    expect_valid(&schema("matrix.schema.json"), &serde_json::from_slice(&matrix).unwrap());
}

#[test]
fn the_manifest_schema_rejects_unknown_fields_and_values() {
    let schema = schema("manifest.schema.json");
    let manifest: Value = serde_json::from_str(&run(&["corpus", "list", "--format", "json"]).stdout).unwrap();
    for (field, value) in [("verdict", json!("maybe")), ("color", json!("red")), ("id", json!("one/two"))] {
        let mut wrong = manifest.clone();
        wrong["cases"][0][field] = value;
        assert!(!schema.is_valid(&wrong), "{field}");
    }
}
