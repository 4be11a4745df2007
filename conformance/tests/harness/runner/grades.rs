//! Tests how outcomes are graded.

use serde_json::json;
use torchproof::Stage;

use testkit::corpus::{TestCorpus, faux};

#[test]
fn compares_values_and_reports_the_path_of_a_difference() {
    let expect = json!({"kind": "pte", "program": {"execution_plan": [{"name": "a"}]}});
    let other = json!({"kind": "pte", "program": {"execution_plan": [{"name": "b"}]}});
    let corpus = TestCorpus::new("values")
        .accept("pte/a/other", &format!("value {other}"))
        .expect(&expect)
        .accept("pte/a/same", &format!("value {expect}"))
        .expect(&expect)
        .write();
    let run = corpus.run(&[&faux("exec", "worker value"), &faux("once", "once")]);
    // The runner checks the value even if the run has only one reader.
    let alone = corpus.run(&[&faux("once", "once")]);
    // The runner asks only readers with the capability `value` for a value, and these must return it.
    let without = corpus.run(&[&faux("exec", "worker"), &faux("exec", "worker no-value")]);
    insta::assert_snapshot!([run, alone, without].map(|run| run.outcomes()).join("\n"));
}

#[test]
fn a_missing_expected_value_is_an_error_for_readers_with_values() {
    let value = json!({"kind": "pte"});
    let corpus = TestCorpus::new("no-expect").accept("pte/a/a", &format!("value {value}")).expect(&value).write();
    std::fs::remove_file(corpus.folder().join("expect/pte/a/a.json")).unwrap();
    for reader in [faux("exec", "worker value"), faux("once", "once")] {
        let (code, _, stderr) = corpus.torchproof(&["--reader", &reader]);
        assert!(code == 2 && stderr.contains("expect/pte/a/a.json: "), "{stderr}");
    }
    assert_eq!(corpus.run(&[&faux("exec", "worker")]).grade("faux", "pte/a/a"), "pass");
}

/// The runner also gives legacy data files to a reader that lists only `ptd`.
#[test]
fn a_legacy_data_file_fails_a_reader_of_the_current_layout_only_by_a_termination() {
    let corpus = TestCorpus::new("legacy")
        .accept("ptd/a/control", "accept")
        .accept("ptd-legacy/a/accepted", "accept")
        .accept("ptd-legacy/a/refused", "reject structure")
        .reject("ptd-legacy/a/taken", "accept", Stage::Header, "ptd-legacy/a/accepted")
        .accept("ptd-legacy/a/dies", "signal 11")
        .accept("ptd-legacy/a/hoard", "hoard")
        .accept("ptd-legacy/a/garbage", "garbage")
        .budget(400)
        .accept("ptd-legacy/a/hang", "hang")
        .write();
    let run = corpus.run_with(
        &[&faux("exec", "worker current-only"), &faux("exec", "worker pte-only")],
        &["--jobs", "1", "--deny-should"],
    );
    assert_eq!(run.code, 1);
    insta::assert_snapshot!(run.outcomes());
}

#[test]
fn a_command_gets_the_role_of_a_file_by_its_extension() {
    let corpus = TestCorpus::new("extensions")
        .accept("pte/a/1", "")
        .accept("ptd/a/1", "")
        .accept("ptd-legacy/a/1", "")
        .accept("bpte/a/1", "")
        .write();
    for (extension, accepted) in
        [("pte", vec!["pte/a/1"]), ("ptd", vec!["ptd-legacy/a/1", "ptd/a/1"]), ("bpte", vec!["bpte/a/1"])]
    {
        let run = corpus.run(&[&format!("once:sh -c 'case $0 in *.{extension}) exit 0; esac; exit 2'")]);
        let passed: Vec<_> = run.cases().into_iter().filter(|case| run.grade("sh", case) == "pass").collect();
        assert_eq!(passed, accepted);
        assert_eq!(run.report["readers"][0]["grades"]["skip"], json!(4 - accepted.len()));
    }
}

/// A command cannot say which kinds it reads. For a kind that it has never accepted, only crashes are failures.
#[test]
fn a_command_that_accepts_no_file_of_a_kind_does_not_read_the_kind() {
    let corpus = TestCorpus::new("unread")
        .accept("pte/a/1", "accept")
        .accept("pte/a/2", "reject")
        .accept("bpte/a/1", "reject")
        .accept("bpte/a/2", "signal 11")
        .reject("bpte/a/3", "reject", Stage::Header, "bpte/a/1")
        .write();
    let grades = |args: &[&str]| {
        let run = corpus.run_with(&[&faux("once", "once")], args);
        run.cases().into_iter().map(|case| run.grade("faux-reader", case).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(grades(&[]), ["skip", "crash", "skip", "pass", "rejects-valid"]);
    let text = corpus.text(&[&faux("once", "once")], &[]);
    assert!(text.contains("skip  faux-reader  2 cases in bpte/a: does not read bundled programs\n"), "{text}");
    // The crash is more severe, but the command was not made for this kind of file.
    let place = |failure: &str| text.find(failure).unwrap();
    assert!(place("rejects-valid  pte/a/2") < place("crash  bpte/a/2"), "{text}");
    // Results from only a part of the corpus do not prove that the command does not read a kind.
    assert_eq!(grades(&["--cases", "**"]), ["rejects-valid", "crash", "control-failed", "pass", "rejects-valid"]);
}

#[test]
fn grades_depend_on_the_control_and_the_formats() {
    let corpus = TestCorpus::new("grades")
        .accept("pte/a/control", "accept")
        .accept("pte/a/refused-control", "reject structure")
        .reject("pte/a/accepted", "accept", Stage::Header, "pte/a/control")
        .reject("pte/a/late", "reject data", Stage::Header, "pte/a/control")
        .reject("pte/a/too-deep", "reject data", Stage::Data, "pte/a/control")
        .reject("pte/a/control-failed", "reject structure", Stage::Header, "pte/a/refused-control")
        .reject("pte/a/unsupported", "unsupported", Stage::Header, "pte/a/control")
        .either("pte/a/either", "reject meta")
        .accept("ptd/a/other-format", "signal 11")
        .write();
    let run = corpus.run(&[&faux("exec", "worker pte-only"), "builtin:accept-all", "builtin:reject-all"]);
    insta::assert_snapshot!(run.outcomes());

    // A control runs even if it is not selected, but then it is not in the report.
    let run = corpus.run_with(&[&faux("exec", "worker")], &["--cases", "pte/a/late"]);
    assert_eq!((run.cases(), run.grade("faux", "pte/a/late")), (vec!["pte/a/late"], "late-reject"));
}
