use super::*;
use torchproof_harness::run::record::ReaderReport;
use torchproof_protocol::Delivery;

/// Each result is a reader, a case, a grade and the digest of the case's files.
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
fn a_regression_differs_from_a_change_of_the_corpus() {
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
    insta::assert_snapshot!(comparison.text(true));
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
    let with_deliveries = |name: &str| {
        let readers = [format!("{name} (buffer)"), format!("{name} (file)")];
        let mut run = run("x", &[(&readers[0], "c", Grade::Pass, "1"), (&readers[1], "c", Grade::Pass, "1")]);
        for (reader, delivery) in run.readers.iter_mut().zip([Delivery::Buffer, Delivery::File]) {
            (reader.name, reader.delivery) = (name.to_owned(), delivery);
        }
        run
    };
    let comparison = compare(&with_deliveries("old"), &with_deliveries("new"));
    assert_eq!((comparison.compared, comparison.incomplete), (2, false), "{:?}", comparison.notes);
}

fn one(base: (Grade, &str), new: (Grade, &str), corpora: [&str; 2]) -> Option<(ChangeKind, Level)> {
    let listed = |(grade, digest): (Grade, &str), corpus: &str| {
        let mut run = run(corpus, &[("a", "c", grade, digest)]);
        let entry = || serde_json::json!({ "grade": Grade::Crash, "entry": "c", "line": 1, "reason": "x" });
        run.results[0].listed = (grade == Grade::Known).then(|| serde_json::from_value(entry()).unwrap());
        run
    };
    let comparison = compare(&listed(base, corpora[0]), &listed(new, corpora[1]));
    let change = comparison.changes.first()?;
    assert_eq!(comparison.regressed, change.level() == Level::Error);
    Some((change.change, change.level()))
}

#[test]
fn known_failures_and_untested_cases_are_not_regressions() {
    use ChangeKind::*;
    use Grade::{AcceptsInvalid as Bad, Crash, Fixed, Hang, Known, Pass, Skip};
    for (old, new, expected) in [
        (Known, Fixed, Some((NewlyPassing, Level::Note))),
        (Pass, Fixed, Some((OtherGrade, Level::Warning))),
        (Pass, Known, Some((NewlyFailing, Level::Error))),
        (Crash, Known, Some((OtherGrade, Level::Warning))),
        (Known, Crash, Some((OtherGrade, Level::Warning))),
        (Known, Hang, Some((FailsDifferently, Level::Warning))),
        (Known, Known, None),
        (Bad, Crash, Some((FailsDifferently, Level::Error))),
        (Crash, Bad, Some((FailsDifferently, Level::Warning))),
        (Pass, Skip, Some((NotTested, Level::Warning))),
        (Crash, Skip, Some((NotTested, Level::Warning))),
        (Skip, Pass, Some((OtherGrade, Level::Warning))),
        (Skip, Crash, Some((NewlyFailing, Level::Error))),
    ] {
        assert_eq!(one((old, "1"), (new, "1"), ["x", "x"]), expected, "{old} {new}");
    }
}

#[test]
fn without_digests_of_files_the_corpora_decide_the_cause() {
    let level = |digests: [&str; 2], corpora| {
        one((Grade::Pass, digests[0]), (Grade::Crash, digests[1]), corpora).map(|(_, level)| level)
    };
    assert_eq!(level(["", ""], ["x", "x"]), Some(Level::Error));
    assert_eq!(level(["", ""], ["x", "y"]), Some(Level::Warning));
    assert_eq!(level(["1", ""], ["x", "y"]), Some(Level::Warning));
    assert_eq!(level(["1", "1"], ["x", "y"]), Some(Level::Error));
}

#[test]
fn an_incomplete_run_is_reported() {
    let base = run("x", &[("a", "c", Grade::Pass, "1"), ("b", "c", Grade::Pass, "1")]);
    assert!(!compare(&base, &base).incomplete);
    let lacks = compare(&base, &run("x", &[("a", "c", Grade::Pass, "1"), ("d", "c", Grade::Pass, "1")]));
    assert!(lacks.incomplete);
    assert_eq!(lacks.notes, ["in the base run only: reader b", "in the new run only: reader d"]);
    let untested = compare(&base, &run("x", &[("a", "c", Grade::Pass, "1"), ("b", "c", Grade::Skip, "1")]));
    assert!(untested.incomplete && untested.notes == ["not tested in the new run: reader b"]);
    let mut cut = base.clone();
    cut.interrupted = Some(torchproof_harness::run::record::Interrupted { done: 2, planned: 4 });
    assert!(compare(&base, &cut).incomplete && compare(&cut, &base).incomplete);
    assert_eq!(compare(&base, &cut).notes, ["the new run is interrupted: 2 of 4 results"]);
    assert_eq!(compare(&cut, &base).notes, ["the base run is interrupted: 2 of 4 results"]);
}

#[test]
fn a_case_that_the_base_run_lacks_is_new_only_in_another_corpus() {
    let new = run("x", &[("a", "c", Grade::Pass, "1"), ("a", "d", Grade::Crash, "1")]);
    for (corpus, cause, change) in [
        ("x", ChangeCause::Run, "changed: a d: no result in the base run ["),
        ("y", ChangeCause::Corpus, "changed: a d: new case ["),
    ] {
        let comparison = compare(&run(corpus, &[("a", "c", Grade::Pass, "1")]), &new);
        assert!(!comparison.regressed && comparison.changes[0].cause == cause);
        assert!(comparison.text(true).starts_with(change), "{}", comparison.text(true));
    }
}

#[test]
fn a_case_that_the_new_run_lacks_is_not_run() {
    let base = run("x", &[("a", "c", Grade::Pass, "1"), ("a", "d", Grade::Crash, "1")]);
    let new = |corpus| compare(&base, &run(corpus, &[("b", "c", Grade::Pass, "1")]));
    let same = new("x");
    assert!(same.incomplete && !same.regressed);
    assert!(
        same.text(true).contains("not run: b d: was crash (accept at header) [not-run]\n  now:   no result\n"),
        "{}",
        same.text(true)
    );
    assert!(same.text(true).ends_with("1 difference: 1 not run\n"), "{}", same.text(true));
    let other = new("y");
    assert!(!other.incomplete && other.changes.is_empty());
    assert!(other.text(true).contains("note: in the base run only: 1 case\n"), "{}", other.text(true));
}

#[test]
fn changes_for_the_same_reason_share_a_row() {
    let cases = ["pte/header/length-23", "pte/header/length-0", "pte/identifier/zeros", "mine/a/b"];
    let results = |grade| cases.map(|case| ("a", case, grade, "1"));
    let comparison = compare(&run("x", &results(Grade::Pass)), &run("x", &results(Grade::AcceptsInvalid)));
    insta::assert_snapshot!(comparison.text(false));
    assert_eq!(comparison.text(true).matches("regressed: ").count(), cases.len());
}
