//! Tests the grading options, and the command that repeats failures with the same options.

use std::process::Command;

use serde_json::json;
use testkit::corpus::{TestCorpus, faux};
use torchproof::Stage;

/// Returns the report's lines about failures, fixed cases and stale entries.
fn named(text: &str) -> Vec<&str> {
    let words = ["accepts-invalid  ", "rejects-valid  ", "crash  ", "hang  ", "resource  ", "fixed  ", "stale  "];
    text.lines().filter(|line| words.iter().any(|word| line.starts_with(word))).collect()
}

/// The last line of the report is a shell command that repeats only the failed cases.
#[test]
fn the_last_line_repeats_the_failed_cases() {
    let corpus = TestCorpus::new("again it's")
        .accept("pte/a/control", "accept")
        .accept("pte/a/panics", "panic")
        .reject("pte/a/bad", "accept", Stage::Header, "pte/a/control")
        .reject("pte/a/worse", "signal 11", Stage::Header, "pte/a/control")
        .reject("pte/b/listed", "accept", Stage::Header, "pte/a/control")
        .reject("pte/b/doubtful", "accept", Stage::Header, "pte/a/control")
        .should("eh-padding-zero")
        .budget(300)
        .accept("ptd/b/sleeps", "hang")
        .write();
    let entry = |case: &str| format!("[[known]]\ncase = \"{case}\"\nexpect = \"accept\"\nreason = \"x\"\n");
    let known = corpus.beside("it's known.toml", &entry("pte/b/listed"));
    let again = |args: &[&str], count: usize| {
        let readers = [faux("exec", "worker 'no-stages'"), faux("once", "once")];
        let readers: Vec<&str> = readers.iter().map(String::as_str).collect();
        let first = corpus.text(&readers, args);
        let last = first.lines().last().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", last]).env("CARGO_TARGET_DIR", corpus.folder()).env_remove("COLUMNS");
        let output = shell.output().unwrap();
        let second = String::from_utf8(output.stdout).unwrap();
        assert_eq!(named(&first).len(), count, "{first}");
        assert_eq!((output.status.code(), named(&second)), (Some(1), named(&first)), "{last}\n{second}");
        assert_eq!(second.lines().last().unwrap(), last);
        last.to_owned()
    };
    let listed = ["--known", &known, "--memory-mb", "300", "--jobs", "2", "--time-scale", "0.5"];
    let mut lines = vec![again(&listed, 8)];
    // The command that repeats the failures keeps the grading options.
    again(&[&listed[..], &["--strict", "--panic", "report"]].concat(), 8);
    again(&["--cases", "pte/a/{bad,control}"], 2);
    // If every selected case failed or an entry is stale, the command repeats the user's selection of cases.
    lines.push(again(&["--rule", "eh-padding-zero", "--strict", "--start-ms", "9000"], 2));
    let stale = corpus.beside("stale.toml", &(entry("pte/b/listed") + &entry("pte/b/gone")));
    lines.push(again(&["--known", &stale, "--cases", "pte/b/*"], 1));
    let place = testkit::target().display().to_string();
    insta::assert_snapshot!(lines.join("\n").replace(&place, "TARGET"));

    // If no case failed, the text report contains no command.
    let text = corpus.text(&["builtin:accept-all"], &["--cases", "pte/a/control"]);
    assert_eq!(text.lines().last(), Some("accept-all: 1 case: 1 pass"));
}

#[test]
fn grades_a_panic_as_requested_and_always_shows_it() {
    let corpus = TestCorpus::new("panics")
        .accept("pte/a/control", "accept")
        .reject("pte/a/panics", "panic", Stage::Header, "pte/a/control")
        .reject("pte/a/aborts", "abort", Stage::Header, "pte/a/control")
        .write();
    for (says, grade) in [("fail", "crash"), ("reject", "pass"), ("report", "info")] {
        let run = corpus.run_with(&[&faux("exec", "worker"), &faux("once", "once")], &["--panic", says]);
        for reader in ["faux", "faux-reader"] {
            let result = run.result(reader, "pte/a/panics");
            assert_eq!((&result["outcome"], &result["grade"]), (&json!("crash"), &json!(grade)));
            assert!(result["confirmed"] == true && !result["message"].as_str().unwrap().is_empty(), "{result}");
            assert_eq!(run.grade(reader, "pte/a/aborts"), "crash");
        }
    }
}
