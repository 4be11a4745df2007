//! `torchproof rules`: the listing, its filters, and the page that is made of it.

testkit::command_in!("rules");

use std::fs;
use std::path::Path;

use command::run;
use serde_json::Value;
use torchproof::rules;

fn ids(args: &[&str]) -> Vec<String> {
    let outcome = run(&[&["rules", "--format", "json"], args].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{args:?}");
    let listing: Value = serde_json::from_str(&outcome.stdout).unwrap();
    listing["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap().to_owned()).collect()
}

/// `TORCHPROOF_BLESS=1` writes the page.
#[test]
fn the_page_is_what_the_catalogue_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RULES.md");
    let outcome = run(&["rules", "--format", "markdown"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    if std::env::var_os("TORCHPROOF_BLESS").is_some() {
        fs::write(path, outcome.stdout).unwrap();
        return;
    }
    let there = fs::read_to_string(path).unwrap();
    let differs = there.lines().zip(outcome.stdout.lines()).find(|(there, now)| there != now);
    assert!(
        there == outcome.stdout,
        "RULES.md is not what `torchproof rules` prints; TORCHPROOF_BLESS=1 writes it: {differs:?}"
    );
}

#[test]
fn every_rule_is_one_line_of_the_page() {
    let page = run(&["rules", "--format", "markdown"]).stdout;
    for rule in rules::all() {
        let mut lines = page.lines().filter(|line| line.starts_with(&format!("| `{rule}` |")));
        let line = lines.next().unwrap();
        assert_eq!((lines.next(), line.replace("\\|", "").matches('|').count()), (None, 7), "{line}");
    }
}

#[test]
fn filters_select() {
    let all = ids(&[]);
    assert!(all.iter().map(String::as_str).eq(rules::all().map(|rule| rule.id)));
    let must = ids(&["--strength", "must"]);
    let rest = ids(&["--strength", "should", "--strength", "may"]);
    assert_eq!(must.len() + rest.len(), all.len());
    assert!(!must.is_empty() && must.iter().all(|id| !rest.contains(id)));
    let writers = ids(&["--subject", "writer"]);
    assert!(writers.contains(&"al-pow2".to_owned()) && writers.len() < all.len());
    let header = ids(&["--area", "pte-header"]);
    assert_eq!(header, ids(&["--section", "1.2"]));
    assert!(!header.is_empty() && header.iter().all(|id| id.starts_with("eh-")));
    let both = ids(&["--area", "1.2", "--strength", "must", "--area", "ptd-header"]);
    assert!(both.iter().any(|id| id == "fh-length-fixed" || id.starts_with("fh-")));
    assert!(both.iter().all(|id| must.contains(id)));
    let unknown = run(&["rules", "--area", "1.99"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("pte-header"), "{}", unknown.stderr);
}

#[test]
fn text_has_every_rule_and_the_sums() {
    let text = run(&["rules"]).stdout;
    for rule in rules::all() {
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(rule.id)), "{rule}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100 && line == line.trim_end()));
    let sums = format!("{} rules: ", rules::all().count());
    assert!(text.lines().last().unwrap().starts_with(&sums), "{sums}");
}

#[test]
fn the_json_is_as_its_schema_says() {
    let listing: Value = serde_json::from_str(&run(&["rules", "--format", "json"]).stdout).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("rules.schema.json"), &listing);
}
