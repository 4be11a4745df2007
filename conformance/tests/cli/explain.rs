//! `torchproof explain`: rules and cases at length, and what it says of what there is not.

testkit::command_in!("explain");

use command::{run, torchproof};
use serde_json::Value;
use torchproof::corpus::Verdict;
use torchproof::{cases, rules};

#[test]
fn a_rule_is_explained_with_its_cases() {
    let outcome = run(&["explain", "eh-length-min"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let rule = rules::find("eh-length-min").unwrap();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = words(&outcome.stdout);
    let known = rule.explanation();
    for text in [rule.id, rule.statement, known.why, known.readers, known.source, "pattern H-04", "1.2 (pte-header)"] {
        assert!(said.contains(&words(text)), "{text}\n{}", outcome.stdout);
    }
    for case in cases::all().filter(|case| case.rule == rule) {
        let line = outcome.stdout.lines().find(|line| line.contains(case.id)).unwrap();
        let reject = case.verdict == Verdict::Reject;
        assert_eq!(line.contains("reject"), reject, "{line}");
    }
}

#[test]
fn a_case_is_explained_with_its_bytes() {
    let outcome = run(&["explain", "pte/header/length-23"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    for text in [
        "pte/header/length-23  reject\n",
        "breaks    eh-length-min: The header's length is at least 24.\n",
        "control   pte/valid/constants\n",
        "edit      0xc: 20 00 00 00 -> 17 00 00 00\n",
        "at        header.length: 4 bytes at 0xc\n",
        "weakness  CWE-",
        ">    0xc [17 00 00 00]             header.length = 23 (0x17)\n",
        "     …  0x28 to 0x310 as in pte/valid/constants\n",
    ] {
        assert!(outcome.stdout.contains(text), "{text}\n{}", outcome.stdout);
    }
    let all = run(&["explain", "--all", "pte/header/length-23"]);
    assert!(!outcome.stdout.contains("segments[0]"), "{}", outcome.stdout);
    assert!(all.stdout.contains("segments[0]") && !all.stdout.contains("as in"), "{}", all.stdout);
    assert!(all.stdout.contains(">    0xc [17 00 00 00]"), "{}", all.stdout);
}

#[test]
fn several_are_explained_in_the_order_given() {
    let ids = ["pte/header/length-23", "eh-length-min", "ptd/header/length-39", "eh-length-min"];
    let outcome = run(&[&["explain"], &ids[..]].concat());
    let places = outcome.stdout.lines().filter(|line| ids.iter().any(|id| line.starts_with(id)));
    assert!(places.map(|line| line.split_whitespace().next().unwrap()).eq(ids), "{}", outcome.stdout);
}

#[test]
fn what_there_is_not_is_answered_with_what_is_like_it() {
    for (id, meant) in [
        ("eh-lenght-min", "did you mean eh-length-min"),
        ("length-23", "did you mean pte/header/length-23?"),
        ("EH-LENGTH-MIN", "did you mean eh-length-min?"),
        ("qqqqqqqqqqqqqqqqqqqqqqqqqqq", "`torchproof rules` and `torchproof corpus list` list them"),
    ] {
        // Nothing is printed of the ids that there are.
        let outcome = run(&["explain", "eh-length-min", id]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{id}");
        assert!(outcome.stderr.contains(meant) && outcome.stderr.lines().count() == 1, "{}", outcome.stderr);
    }
}

/// Every rule and every case, in JSON and in text, on narrow terminals and on wide ones.
#[test]
fn everything_can_be_explained() {
    let ids: Vec<&str> = rules::all().map(|rule| rule.id).chain(cases::all().map(|case| case.id)).collect();
    let args = [&["explain", "--format", "json"], &ids[..]].concat();
    let outcome = run(&args);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let explained: Value = serde_json::from_str(&outcome.stdout).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("explain.schema.json"), &explained);
    let explained = explained["explained"].as_array().unwrap();
    let told = explained.iter().map(|one| one["rule"]["id"].as_str().or(one["case"]["id"].as_str()).unwrap());
    assert!(told.eq(ids.iter().copied()));

    let args = [&["explain"], &ids[..]].concat();
    for columns in ["80", "5000"] {
        let output = torchproof(&args).env("COLUMNS", columns).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().all(|line| line == line.trim_end()), "blanks at the end of a line");
        let prose = |line: &&str| ["why  ", "readers  ", "source  "].iter().any(|label| line.starts_with(label));
        let most = columns.parse().unwrap_or(100).min(100);
        assert!(text.lines().filter(prose).all(|line| line.chars().count() <= most), "{columns} columns");
    }
}
