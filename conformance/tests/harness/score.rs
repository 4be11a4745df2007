//! Tests `torchproof corpus score`: for each disabled must-rule, a case must fail, or the report must say why not.

testkit::command_in!("score");

use command::run;
use serde_json::Value;
use torchproof::corpus::UNTESTED_RULES;
use torchproof::rules::{self, Strength, Subject};

#[test]
fn a_case_fails_for_each_disabled_must_rule() {
    let corpus = testkit::repository().join("corpus");
    let outcome =
        run(&["corpus", "score", "--corpus", corpus.to_str().unwrap(), "--format", "json", "--results", "all.jsonl"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{}", outcome.stdout);
    let measured: Value = serde_json::from_str(&outcome.stdout).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("score.schema.json"), &measured);
    let rules = measured["rules"].as_array().unwrap();
    let must = rules::all().filter(|rule| rule.strength == Strength::Must && rule.subject == Subject::File);
    assert!(rules.iter().map(|rule| rule["rule"].as_str().unwrap()).eq(must.map(|rule| rule.id)));
    for rule in rules {
        let excused = UNTESTED_RULES.iter().find(|(id, _)| rule["rule"] == *id);
        assert_eq!(rule.get("untestable_reason").and_then(Value::as_str), excused.map(|(_, why)| *why), "{rule}");
        assert_eq!(rule["cases"].as_array().unwrap().is_empty(), excused.is_some(), "{rule}");
    }
    assert_eq!(measured["caught"], measured["testable"]);
    let excused = rules.iter().filter(|rule| rule.get("untestable_reason").is_some()).count();
    assert_eq!(measured["testable"], rules.len() - excused);
}
