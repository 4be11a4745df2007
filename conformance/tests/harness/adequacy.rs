//! `torchproof adequacy`: what a reader forgets is noticed, and what is not noticed is said.

testkit::command_in!("adequacy");

use std::fs;

use command::{run, scratch};
use serde_json::Value;
use torchproof::cases::WITHOUT_CASE;
use torchproof::corpus::Manifest;
use torchproof::rules::{self, Strength, Subject};

/// Named, since cargo's target folder need not be below it.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");

#[test]
fn every_must_rule_that_is_switched_off_is_caught_by_a_case() {
    let outcome = run(&["adequacy", "--corpus", CORPUS, "--format", "json", "--results", "adequacy/all.jsonl"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{}", outcome.stdout);
    let measured: Value = serde_json::from_str(&outcome.stdout).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("adequacy.schema.json"), &measured);
    let rules = measured["rules"].as_array().unwrap();
    let must = rules::all().filter(|rule| rule.strength == Strength::Must && rule.subject == Subject::File);
    assert!(rules.iter().map(|rule| rule["rule"].as_str().unwrap()).eq(must.map(|rule| rule.id)));
    for rule in rules {
        let excused = WITHOUT_CASE.iter().find(|(id, _)| rule["rule"] == *id);
        assert_eq!(rule.get("unasked").and_then(Value::as_str), excused.map(|(_, why)| *why), "{rule}");
        assert_eq!(rule["cases"].as_array().unwrap().is_empty(), excused.is_some(), "{rule}");
    }
    assert_eq!(measured["caught"], measured["asked"]);
    let excused = rules.iter().filter(|rule| rule.get("unasked").is_some()).count();
    assert_eq!(measured["asked"], rules.len() - excused);
}

/// A corpus of a few cases, in a folder of the test's own.
fn a_part(name: &str) -> String {
    let corpus = testkit::repository().join("corpus");
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut manifest: Manifest = serde_json::from_slice(&fs::read(corpus.join("manifest.json")).unwrap()).unwrap();
    manifest.cases.retain(|case| ["pte/header/length-23", "pte/valid/constants"].contains(&case.id.as_str()));
    let mut wanted: Vec<String> = Vec::new();
    for case in &manifest.cases {
        wanted.extend(case.files.iter().map(|file| file.path.clone()).chain(case.expect.clone()));
        if let Some(control) = &case.control {
            assert!(manifest.cases.iter().any(|case| case.id == *control), "{control}");
        }
    }
    for path in wanted {
        let to = folder.join(&path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(corpus.join(path), to).unwrap();
    }
    fs::write(folder.join("manifest.json"), serde_json::to_vec(&manifest).unwrap()).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn what_a_corpus_does_not_notice_is_named() {
    let part = a_part("adequacy/part");
    let outcome = run(&["adequacy", "--corpus", &part, "--results", "adequacy/part.jsonl"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""), "{}", outcome.stdout);
    let last = outcome.stdout.lines().last().unwrap();
    assert!(last.starts_with("caught 1 of ") && last.ends_with(" must-rules: 0.7 %"), "{last}");
    let missed: Vec<&str> = outcome.stdout.lines().filter_map(|line| line.strip_prefix("missed     ")).collect();
    assert!(missed.len() > 100 && missed.contains(&"eh-program-size-range") && !missed.contains(&"eh-length-min"));
    for (rule, why) in WITHOUT_CASE.iter().filter(|(rule, _)| rules::get(rule).unwrap().strength == Strength::Must) {
        assert!(outcome.stdout.contains(&format!("not asked  {rule}: {why}\n")), "{}", outcome.stdout);
    }
}

#[test]
fn the_checker_without_a_rule_is_a_reader() {
    let address = "builtin:reference,without=eh-length-min";
    let outcome = run(&[
        "run",
        "--corpus",
        CORPUS,
        "--reader",
        address,
        "--rule",
        "eh-length-min",
        "--results",
        "adequacy/without.jsonl",
    ]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stdout.contains("accepts-invalid  reference without eh-length-min"), "{}", outcome.stdout);
    let refused = run(&["run", "--reader", "builtin:reference,without=no-rule"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("reference,without=RULE"), "{}", refused.stderr);
}

#[test]
fn the_checker_for_hosts_of_32_bits_is_a_reader() {
    let narrow =
        ["run", "--corpus", CORPUS, "--reader", "builtin:reference,32-bit", "--results", "adequacy/narrow.jsonl"];
    let outcome = run(&narrow);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stdout);
    let outcome = run(&[&narrow[..], &["--rule", "t-nbytes-32bit"]].concat());
    assert!(outcome.stdout.contains("1 case: 1 pass"), "{}", outcome.stdout);
}
