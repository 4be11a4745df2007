//! What an outcome is worth.

use serde_json::json;
use torchproof::Stage;

use testkit::corpus::{TestCorpus, faux};

#[test]
fn values_are_compared_and_differences_told_with_their_path() {
    let expect = json!({"kind": "pte", "program": {"execution_plan": [{"name": "a"}]}});
    let other = json!({"kind": "pte", "program": {"execution_plan": [{"name": "b"}]}});
    let corpus = TestCorpus::new("values")
        .accept("pte/a/other", &format!("value {other}"))
        .expect(&expect)
        .accept("pte/a/same", &format!("value {expect}"))
        .expect(&expect)
        .write();
    let run = corpus.run(&[&faux("exec", "worker value"), &faux("once", "once")]);
    for reader in ["faux", "faux-reader"] {
        assert_eq!(run.grade(reader, "pte/a/same"), "pass");
        let result = run.result(reader, "pte/a/other");
        assert_eq!(result["grade"], "wrong-value");
        assert_eq!(result["message"], r#"program.execution_plan[0].name: want "a", have "b""#);
    }
    // Nor does it need another reader that says that it gives values.
    let run = corpus.run(&[&faux("once", "once")]);
    assert_eq!(run.grade("faux-reader", "pte/a/other"), "wrong-value");
    // Who cannot give values is not asked for them; who says it can and does not is caught.
    let run = corpus.run(&[&faux("exec", "worker"), &faux("exec", "worker no-value")]);
    assert_eq!(run.grade("faux 0", "pte/a/other"), "pass");
    let result = run.result("faux 0#2", "pte/a/other");
    assert_eq!(result["message"], "accepted without the value that its hello promises");
}

/// What a case is to give must be there wherever somebody gives something, and only there.
#[test]
fn without_what_is_expected_nobody_who_gives_values_is_judged() {
    let value = json!({"kind": "pte"});
    let corpus = TestCorpus::new("no-expect").accept("pte/a/a", &format!("value {value}")).expect(&value).write();
    std::fs::remove_file(corpus.folder().join("expect/pte/a/a.json")).unwrap();
    for reader in [faux("exec", "worker value"), faux("once", "once")] {
        let (code, _, stderr) = corpus.torchproof(&["--reader", &reader]);
        assert!(code == 2 && stderr.ends_with("expect/pte/a/a.json: no such file or folder\n"), "{stderr}");
    }
    assert_eq!(corpus.run(&[&faux("exec", "worker")]).grade("faux", "pte/a/a"), "pass");
}

#[test]
fn grades_need_the_control_and_the_formats() {
    let corpus = TestCorpus::new("grades")
        .accept("pte/a/control", "accept")
        .accept("pte/a/refused-control", "reject structure")
        .reject("pte/a/accepted", "accept", Stage::Header, "pte/a/control")
        .reject("pte/a/late", "reject data", Stage::Header, "pte/a/control")
        .reject("pte/a/too-deep", "reject data", Stage::Data, "pte/a/control")
        .reject("pte/a/vacuous", "reject structure", Stage::Header, "pte/a/refused-control")
        .reject("pte/a/unsupported", "unsupported", Stage::Header, "pte/a/control")
        .either("pte/a/either", "reject meta")
        .accept("ptd/a/other-format", "signal 11")
        .write();
    let run = corpus.run(&[&faux("exec", "worker pte-only"), "builtin:accept-all", "builtin:reject-all"]);
    let grades = |reader: &str| {
        run.cases()
            .iter()
            .map(|case| format!("{} {}", case.rsplit('/').next().unwrap(), run.grade(reader, case)))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        grades("faux"),
        [
            "other-format skip",
            "accepted accepts-invalid",
            "control pass",
            "either info",
            "late late-reject",
            "refused-control rejects-valid",
            "too-deep pass",
            "unsupported skip",
            "vacuous vacuous",
        ]
    );
    let count = |reader: &str, grade: &str| grades(reader).iter().filter(|line| line.ends_with(grade)).count();
    assert_eq!((count("accept-all", " pass"), count("accept-all", " accepts-invalid")), (3, 5));
    assert_eq!((count("reject-all", " vacuous"), count("reject-all", " rejects-valid")), (5, 3));

    // A control outside the choice is run all the same, and not reported.
    let run = corpus.run_with(&[&faux("exec", "worker")], &["--cases", "pte/a/late"]);
    assert_eq!((run.cases(), run.grade("faux", "pte/a/late")), (vec!["pte/a/late"], "late-reject"));
}
