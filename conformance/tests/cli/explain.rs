//! Tests `torchproof explain` with every rule and case, in JSON and in text.

testkit::command_in!("explain");

use command::{run, torchproof};
use serde_json::Value;
use torchproof::prediction::RuntimeError;
use torchproof::{corpus, rules};

/// `explain` wraps text to the width of the terminal, but to at most 100 columns.
#[test]
fn explains_every_rule_and_case() {
    let ids: Vec<&str> = rules::all().map(|rule| rule.id).chain(corpus::all().map(|case| case.id)).collect();
    let args = [&["explain", "--format", "json"], &ids[..]].concat();
    let outcome = run(&args);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let explained: Value = serde_json::from_str(&outcome.stdout).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("explain.schema.json"), &explained);
    let explained = explained["explained"].as_array().unwrap();
    let explained_ids = explained.iter().map(|one| one["rule"]["id"].as_str().or(one["case"]["id"].as_str()).unwrap());
    assert!(explained_ids.eq(ids.iter().copied()));

    let args = [&["explain"], &ids[..]].concat();
    for columns in ["80", "5000"] {
        let output = torchproof(&args).env("COLUMNS", columns).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().all(|line| line == line.trim_end()), "a line ends with a space");
        let prose = |line: &&str| ["why  ", "readers  ", "source  "].iter().any(|label| line.starts_with(label));
        let most = columns.parse().unwrap_or(100).min(100);
        assert!(text.lines().filter(prose).all(|line| line.chars().count() <= most), "{columns} columns");
    }
}

#[test]
fn the_cures_name_commands_that_exist() {
    for cause in RuntimeError::all().iter().flat_map(|error| &error.causes) {
        let texts = [cause.description, cause.sign, cause.cure];
        for command in texts.iter().flat_map(|text| text.split('`')).filter_map(|code| code.strip_prefix("torchproof "))
        {
            let given = |word| if word == "PROFILE" { "wheel:1.5.1" } else { word };
            let args: Vec<&str> = command.split(' ').map(given).chain(["--help"]).collect();
            assert_eq!(run(&args).code, Some(0), "{command}");
        }
    }
}
