//! Tests `--report json=FILE` and `--results`. The output conforms to the schemas, even if readers misbehave.

use serde_json::json;

use testkit::corpus::{TestCorpus, every_outcome, readers};

#[test]
fn the_report_and_every_line_follow_the_schemas() {
    let corpus = every_outcome("schema");
    let readers = readers();
    let readers: Vec<&str> = readers.iter().map(String::as_str).collect();
    let run = corpus.run_with(&readers, &["--jobs", "1"]);
    testkit::schema::expect_valid(&testkit::schema::schema("run.schema.json"), &run.report);
    // The validated report must contain every optional member.
    let results = run.report["results"].as_array().unwrap();
    for member in ["confirmed", "stderr", "severity", "about"] {
        assert!(results.iter().any(|result| result.get(member).is_some()), "no result has {member}");
    }
    assert!(run.report["readers"][3]["error"].is_string(), "{}", run.report["readers"]);

    let line = testkit::schema::schema("run_line.schema.json");
    let lines = corpus.stream();
    assert_eq!(lines.len(), results.len() + 2);
    for written in &lines {
        testkit::schema::expect_valid(&line, written);
    }
}

#[test]
fn the_schema_rejects_unknown_grades_stages_and_members() {
    let corpus = TestCorpus::new("schema-strict").accept("pte/a/control", "accept").write();
    let report = corpus.run(&["builtin:accept-all"]).report;
    let schema = testkit::schema::schema("run.schema.json");
    assert!(schema.is_valid(&report));
    for (member, wrong) in [
        ("grade", json!("good")),
        ("stage", json!("end")),
        ("outcome", json!("pass")),
        ("ms", json!(-1)),
        ("reader", json!("")),
        ("surplus", json!(0)),
    ] {
        let mut changed = report.clone();
        changed["results"][0][member] = wrong;
        assert!(!schema.is_valid(&changed), "{changed}");
    }
    let mut changed = report.clone();
    changed.as_object_mut().unwrap().remove("corpus");
    assert!(!schema.is_valid(&changed));
}
