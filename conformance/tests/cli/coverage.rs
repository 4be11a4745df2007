//! Tests the lists of rules and cases.

testkit::command_in!("coverage");

use command::run;
use serde_json::{Value, json};
use torchproof::check::Target;
use torchproof::corpus::{self, Case, Verdict};
use torchproof::rules::{self, Strength, Subject};

#[test]
fn lists_fit_in_80_columns() {
    for list in [&["corpus", "list"][..], &["corpus", "coverage"], &["explain"]] {
        testkit::command::assert_columns(&run(list).stdout);
    }
}

#[test]
fn counts_every_case_once() {
    let outcome = run(&["corpus", "coverage", "--format", "json"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let coverage: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let listed = coverage["rules"].as_array().unwrap();
    assert!(listed.iter().map(|rule| rule["id"].as_str().unwrap()).eq(rules::all().map(|rule| rule.id)));
    for case in corpus::all() {
        let rule = listed.iter().find(|rule| rule["id"] == case.rule.id).unwrap();
        let verdict = match case.verdict {
            Verdict::Accept => "accept",
            Verdict::Reject => "reject",
            Verdict::Either => "either",
        };
        assert!(rule[verdict].as_array().unwrap().contains(&json!(case.id)), "{}", case.id);
    }
    let totals = &coverage["totals"];
    let sum: u64 = ["accept", "reject", "either"].iter().map(|verdict| totals[verdict].as_u64().unwrap()).sum();
    assert_eq!(sum, corpus::all().count() as u64);
    let gaps = rules::all().filter(|rule| rule.strength == Strength::Must && rule.subject == Subject::File);
    let breaks = |case: &Case| case.verdict == Verdict::Reject || case.target == Some(Target::Bits32);
    let gaps = gaps.filter(|rule| !corpus::all().any(|case| case.rule == *rule && breaks(case)));
    let gaps: Vec<&str> = gaps.map(|rule| rule.id).collect();
    assert_eq!(totals["gaps"], gaps.len());
    assert!(listed.iter().all(|rule| rule["gap"] == gaps.contains(&rule["id"].as_str().unwrap())));
}
