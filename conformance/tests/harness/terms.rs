//! Tests the grading options, and the command that repeats failures with the same options.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use testkit::corpus::{TestCorpus, faux};
use torchproof::Stage;

/// Returns the reader, the case and the grade of each result, and the options in the first line.
fn stored(path: &Path) -> (BTreeSet<[String; 3]>, Value) {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let member = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    let results = lines.iter().filter(|line| line.get("case").is_some());
    let results = results.map(|line| ["reader", "case", "grade"].map(|name| member(line, name)));
    (results.collect(), lines[0]["options"].clone())
}

/// The command repeats only the failures, with the same options.
#[test]
fn the_last_line_repeats_the_failed_results() {
    let corpus = TestCorpus::new("again it's")
        .accept("pte/a/control", "accept")
        .accept("pte/a/panics", "panic")
        .reject("pte/a/bad", "accept", Stage::Header, "pte/a/control")
        .reject("pte/a/worse", "signal 11", Stage::Header, "pte/a/control")
        .reject("pte/b/listed", "accept", Stage::Header, "pte/a/control")
        .reject("pte/b/doubtful", "accept", Stage::Header, "pte/a/control")
        .should("eh-padding-zero")
        .accept("pte/b/staged", "staged-signal")
        .write();
    let entry = |case: &str| format!("[[known]]\ncase = \"{case}\"\nexpect = \"accept\"\nreason = \"x\"\n");
    let known = corpus.beside("it's known.toml", &entry("pte/b/listed"));
    let again = |args: &[&str], count: usize| {
        let readers = [faux("exec", "worker"), format!("mine={}", faux("once", "once"))];
        let readers: Vec<&str> = readers.iter().map(String::as_str).collect();
        let text = corpus.text(&readers, args);
        let (first, options) = stored(&corpus.folder().join("results.jsonl"));
        let failed: BTreeSet<_> = first
            .into_iter()
            .filter(|[_, _, grade]| !["pass", "skip", "ungraded", "known"].contains(&grade.as_str()))
            .collect();
        assert_eq!(failed.len(), count, "{text}");
        let last = text.lines().last().unwrap();
        assert!(last.contains(" run --rerun-failed "), "{last}");
        let mut shell = Command::new("sh");
        shell.args(["-c", last]).env("CARGO_TARGET_DIR", corpus.folder()).env_remove("COLUMNS");
        let output = shell.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        let (second, mut of_second) = stored(&corpus.folder().join("torchproof-run/failed.jsonl"));
        assert_eq!(second, failed, "{last}");
        for name in ["cases", "rule"] {
            assert!(of_second.as_object_mut().unwrap().remove(name).is_none());
        }
        // The first run is in corpus order; the second is in random order.
        assert!(of_second.as_object_mut().unwrap().remove("seed").is_some());
        let mut options = options;
        ["cases", "rule"].iter().for_each(|name| _ = options.as_object_mut().unwrap().remove(*name));
        assert_eq!(of_second, options);
    };
    let listed = ["--known-failures", &known, "--memory-mb", "300", "--jobs", "2", "--time-scale", "0.5"];
    again(&listed, 8);
    again(&[&listed[..], &["--deny-should", "--panic", "report"]].concat(), 8);
    again(&["--cases", "pte/a/{bad,control}"], 2);
    again(&["--rule", "eh-padding-zero", "--deny-should", "--start-timeout", "9s"], 2);

    // If no case fails, the report contains no command, because there is nothing to repeat.
    let text = corpus.text(&["builtin:accept-all"], &["--cases", "pte/a/control"]);
    let last = "No unexpected result in the selected cases. To run the others as well, leave out --cases.";
    assert!(text.ends_with(&format!("accept-all: 1 case: 1 pass\n\n{last}\n")), "{text}");
    let results = corpus.folder().join("results.jsonl").display().to_string();
    let (code, _, stderr) = corpus.torchproof(&["--rerun-failed", &results]);
    assert!(code == 2 && stderr.contains("no result failed"), "{stderr}");
}

/// If `--reader` is given, every failed case runs.
#[test]
fn repeats_only_the_failed_delivery_unless_a_reader_is_given() {
    let corpus = TestCorpus::new("again-delivery")
        .accept("pte/a/control", "accept")
        .accept("pte/a/refused", "reject structure")
        .write();
    let options = ["--delivery", "buffer,file"];
    corpus.run_with(&["a=builtin:accept-all", "b=builtin:reject-all"], &options);
    let results = corpus.folder().join("results.jsonl").display().to_string();
    let next = corpus.folder().join("next.jsonl");
    let run = |args: &[&str]| {
        corpus.torchproof(&[&["--rerun-failed", &results, "--results", next.to_str().unwrap()], args].concat());
        let (found, _) = stored(&next);
        found.into_iter().map(|[reader, case, _]| format!("{reader} {case}")).collect::<Vec<_>>()
    };
    let expected = [
        "b by buffer pte/a/control",
        "b by buffer pte/a/refused",
        "b by file pte/a/control",
        "b by file pte/a/refused",
    ];
    assert_eq!(run(&[]), expected);
    assert_eq!(
        run(&["--delivery", "file", "--reader", "c=builtin:accept-all"]),
        ["c pte/a/control", "c pte/a/refused"]
    );
}

#[test]
fn grades_a_panic_as_requested_and_always_shows_it() {
    let corpus = TestCorpus::new("panics")
        .accept("pte/a/control", "accept")
        .reject("pte/a/panics", "panic", Stage::Header, "pte/a/control")
        .reject("pte/a/aborts", "abort", Stage::Header, "pte/a/control")
        .write();
    for (says, grade) in [("fail", "crash"), ("reject", "pass"), ("report", "ungraded")] {
        let run = corpus.run_with(&[&faux("exec", "worker"), &faux("once", "once")], &["--panic", says]);
        for reader in ["faux", "faux-reader"] {
            let result = run.result(reader, "pte/a/panics");
            assert_eq!((&result["outcome"], &result["grade"]), (&json!("crash"), &json!(grade)));
            assert!(result["confirmed"] == true && !result["message"].as_str().unwrap().is_empty(), "{result}");
            assert_eq!(run.grade(reader, "pte/a/aborts"), "crash");
        }
    }
}
