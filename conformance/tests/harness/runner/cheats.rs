//! Tests readers that derive their verdicts from some property of the case instead of reading its file. The run must
//! fail.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::Value;
use testkit::corpus::{TestCorpus, faux, reported};

const AREAS: [&str; 6] =
    ["pte/header/*", "pte/valid/*", "pte/external/*", "ptd/header/*", "ptd/valid/*", "ptd/structure/*"];

/// Checks that the reader fails cases in at least one of the areas.
fn fails(what: &str, expected: &[&str]) {
    let corpus = testkit::repository().join("corpus");
    let reader = faux("exec", &format!("worker 'cheat {what} {}'", corpus.join("manifest.json").display()));
    let place = TestCorpus::new(&format!("cheat-{what}"));
    std::fs::create_dir_all(place.folder()).unwrap();
    let mut args = vec!["--reader", &reader, "--corpus", corpus.to_str().unwrap(), "--seed", "7"];
    args.extend(AREAS.iter().flat_map(|area| ["--cases", area]));
    let (code, report, stderr) = reported(place.command(&args).stdin(Stdio::null()), "json");
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{stderr}"));
    let results = report["results"].as_array().unwrap();
    let unexpected = |grade: &Value| !["pass", "skip", "ungraded", "known"].contains(&grade.as_str().unwrap());
    let failed = results.iter().filter(|result| unexpected(&result["grade"]));
    let area = |case: &Value| case.as_str().unwrap().rsplit_once('/').unwrap().0.to_owned();
    let areas: BTreeSet<String> = failed.map(|result| area(&result["case"])).collect();
    assert_eq!(code, 1, "{what} passes: {report}");
    assert!(expected.iter().any(|area| areas.contains(*area)), "{what}: {areas:?}");
    // The reader must fail because of wrong verdicts, not because of a crash or an adapter error.
    let grades: BTreeSet<&str> = results.iter().map(|result| result["grade"].as_str().unwrap()).collect();
    assert!(!grades.contains("adapter-error") && !grades.contains("crash"), "{what}: {grades:?}");
    println!("{what} fails {areas:?}");
}

macro_rules! cheats {
    ($($test:ident: $what:literal, $areas:expr;)*) => {
        $(#[test]
        fn $test() {
            fails($what, &$areas);
        })*
    };
}

cheats! {
    the_order_reveals_no_verdict: "order", ["pte/header"];
    the_size_reveals_no_verdict: "size", ["pte/header"];
    the_name_reveals_no_verdict: "name", ["pte/valid"];
    the_path_reveals_no_verdict: "path", ["pte/valid"];
    // All files have the same modification time, so the reader always gives the same verdict.
    the_time_reveals_no_verdict: "time", ["pte/valid"];
    the_requested_value_reveals_no_verdict: "want", ["pte/header"];
    other_processes_reveal_no_verdict: "proc", ["pte/valid"];
    // The file system chooses the inodes.
    the_inode_reveals_no_verdict: "inode", ["pte/header", "pte/valid"];
    the_number_of_files_reveals_no_verdict: "count", ["pte/header"];
    earlier_answers_reveal_no_verdict: "previous", ["pte/header"];
}
