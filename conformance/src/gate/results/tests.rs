use super::*;
use crate::run::record::ReaderReport;

/// Returns a run of readers with results such as `a pass`, each with the digest of the case's files.
fn run(digest: &str, results: &[(&str, &str, Grade, &str)]) -> RunReport {
    let readers: BTreeSet<&str> = results.iter().map(|(reader, ..)| *reader).collect();
    let readers: Vec<_> = readers
        .into_iter()
        .map(|reader| {
            serde_json::json!({
                "reader": reader, "name": reader, "delivery": "buffer", "address": "builtin:reference", "version": "1",
                "language": "rust", "formats": [], "stages": [], "capabilities": [], "deliveries": [],
            })
        })
        .map(|reader| serde_json::from_value::<ReaderReport>(reader).unwrap())
        .collect();
    let results = results.iter().map(|(reader, case, grade, digest)| {
        let outcome = if *grade == Grade::Pass { "reject" } else { "accept" };
        let record = serde_json::json!({
            "case": case, "reader": reader, "delivery": "buffer", "outcome": outcome, "grade": grade, "stage": "header",
            "ms": 1.0, "message": "", "digest": digest,
        });
        serde_json::from_value(record).unwrap()
    });
    let corpus = CorpusReport { version: "1".to_owned(), digest: digest.to_owned() };
    RunReport::new(corpus, BTreeMap::new(), readers, results.collect(), None, None)
}

#[test]
fn a_regression_is_told_from_a_change_of_the_corpus() {
    use Grade::{AcceptsInvalid as Bad, Crash, Pass as Good, Skip};
    let base = run(
        "x",
        &[
            ("a", "p/q/same", Good, "1"),
            ("a", "p/q/worse", Good, "1"),
            ("a", "p/q/better", Bad, "1"),
            ("a", "p/q/other-files", Good, "1"),
            ("a", "p/q/crash", Bad, "1"),
            ("a", "p/q/skip", Good, "1"),
            ("a", "p/q/gone", Good, "1"),
            ("b", "p/q/same", Good, "1"),
        ],
    );
    let new = run(
        "y",
        &[
            ("a", "p/q/same", Good, "1"),
            ("a", "p/q/worse", Bad, "1"),
            ("a", "p/q/better", Good, "1"),
            ("a", "p/q/other-files", Bad, "2"),
            ("a", "p/q/crash", Crash, "1"),
            ("a", "p/q/skip", Skip, "1"),
            ("a", "p/q/new", Bad, "1"),
            ("c", "p/q/same", Good, "1"),
        ],
    );
    let comparison = compare(&base, &new);
    assert!(comparison.regressed);
    insta::assert_snapshot!(comparison.text());
    let same = compare(&base, &base);
    assert!(!same.regressed && same.changes.is_empty() && same.compared == 8);
    let corpus_only = compare(&run("x", &[("a", "c", Good, "1")]), &run("y", &[("a", "c", Bad, "2")]));
    assert!(!corpus_only.regressed);
}

#[test]
fn readers_with_other_names_are_paired_if_each_run_has_one() {
    let (old, new) = (run("x", &[("old", "c", Grade::Pass, "1")]), run("x", &[("new", "c", Grade::Crash, "1")]));
    let comparison = compare(&old, &new);
    assert!(comparison.regressed);
    assert_eq!(comparison.notes, ["compared new of the new run with old of the base run"]);
}

#[test]
fn ten_thousand_results_are_compared_in_linear_time() {
    let results: Vec<_> = (0..10_000).map(|number| format!("p/q/{number}")).collect();
    let results: Vec<_> = results.iter().map(|case| ("a", case.as_str(), Grade::Pass, "1")).collect();
    let report = run("x", &results);
    assert_eq!(compare(&report, &report).compared, 10_000);
}
