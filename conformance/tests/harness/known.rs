//! Tests `torchproof run --known-failures` with correct and incorrect entries. The console sessions are in `known.md`.

use serde_json::json;
use testkit::corpus::{Run, TestCorpus, faux};
use torchproof::Stage;

/// `builtin:accept-all` fails the cases whose names begin with `bad`.
fn corpus(name: &str) -> TestCorpus {
    TestCorpus::new(&format!("known-{name}"))
        .accept("pte/header/control", "accept")
        .reject("pte/header/bad-1", "accept", Stage::Header, "pte/header/control")
        .reject("pte/header/bad-2", "signal 11", Stage::Header, "pte/header/control")
        .reject("pte/segments/bad", "accept", Stage::Structure, "pte/header/control")
        .either("pte/segments/doubtful", "accept")
        .write()
}

fn run(corpus: &TestCorpus, list: &str, args: &[&str]) -> Run {
    let list = corpus.beside("known.toml", list);
    corpus.run_with(&["builtin:accept-all"], &[&["--known-failures", &list][..], args].concat())
}

fn entry(case: &str, expect: &str) -> String {
    format!("[[known]]\ncase = \"{case}\"\nexpect = \"{expect}\"\nreason = \"takes all\"\n\n")
}

fn whole() -> String {
    entry("pte/header/bad-*", "accepts-invalid") + &entry("pte/segments/bad", "accept")
}

#[test]
fn reports_fixed_and_changed_failures_as_unexpected() {
    let corpus = corpus("fixed");
    let fixed = run(&corpus, &(whole() + &entry("pte/header/control", "rejects-valid")), &[]);
    let result = fixed.result("accept-all", "pte/header/control");
    assert_eq!((fixed.code, &result["grade"], &result["listed"]["grade"]), (1, &json!("fixed"), &json!("pass")));
    insta::assert_snapshot!(result["message"].as_str().unwrap().replace(corpus.folder().to_str().unwrap(), "FOLDER"));

    // Every case that a glob matches must fail, but here one case passes.
    let wide = run(&corpus, &(entry("pte/header/*", "accepts-invalid") + &entry("pte/segments/bad", "accept")), &[]);
    assert_eq!((wide.code, wide.grade("accept-all", "pte/header/control")), (1, "fixed"));
    assert_eq!(wide.grade("accept-all", "pte/header/bad-1"), "known");

    let other = run(&corpus, &(entry("pte/header/bad-*", "crash") + &entry("pte/segments/bad", "accept")), &[]);
    assert_eq!((other.code, other.grade("accept-all", "pte/header/bad-1")), (1, "accepts-invalid"));
    let either = "[[known]]\ncase = \"pte/header/bad-*\"\nexpect = [\"crash\", \"accepts-invalid\"]\nreason = \"x\"\n";
    assert_eq!(run(&corpus, &(either.to_owned() + &entry("pte/segments/bad", "accept")), &[]).code, 0);

    // The report lists stale entries, and entries for readers that are not in the run.
    let of_other = entry("pte/header/control", "crash").replace("reason", "reader = \"acept-all\"\nreason");
    let nothing = run(&corpus, &(whole() + &entry("pte/header/gone", "crash") + &of_other), &[]);
    let known = &nothing.report["known"];
    assert_eq!(
        (&known["stale"][0]["line"], &known["other_readers"][0]["suggestion"]),
        (&json!(11), &json!("accept-all"))
    );
}

#[test]
fn entries_name_readers_by_label_or_name_and_version() {
    let corpus = corpus("readers");
    let readers = ["builtin:accept-all", &faux("exec", "worker")];
    for (name, count) in [("accept-all", 2), ("accept-all 0*", 2), ("faux", 2), ("*", 4), ("faux 0", 2), ("accept", 0)]
    {
        let list = entry("pte/*/bad*", "accept").replace("pte/*/bad*", "pte/header/bad-1")
            + &entry("pte/segments/bad", "accept");
        let list = corpus.beside("known.toml", &list.replace("reason", &format!("reader = \"{name}\"\nreason")));
        let run = corpus.run_with(&readers, &["--known-failures", &list]);
        let results = run.report["results"].as_array().unwrap();
        assert_eq!(results.iter().filter(|result| result["grade"] == "known").count(), count, "{name}");
    }
}

#[test]
fn the_schema_accepts_only_valid_lists() {
    let list = whole() + "reader = \"x\"\nreference = \"https://example.org/1\"\n";
    let whole = serde_json::to_value(toml::from_str::<toml::Table>(&list).unwrap()).unwrap();
    let schema = testkit::schema::schema("known.schema.json");
    testkit::schema::expect_valid(&schema, &whole);
    for (member, wrong) in [("reason", "TODO: say why"), ("reason", " "), ("expect", "pass"), ("because", "x")] {
        let mut other = whole.clone();
        other["known"][0][member] = json!(wrong);
        assert!(!schema.is_valid(&other), "{member} {wrong}");
    }
}

/// If the update has a reason, one entry covers an area in which every graded case fails in the same way.
#[test]
fn an_update_with_a_reason_writes_a_glob_for_a_whole_area() {
    let corpus = TestCorpus::new("known-reason")
        .accept("pte/header/control", "accept")
        .reject("pte/segments/bad-1", "accept", Stage::Structure, "pte/header/control")
        .reject("pte/segments/bad-2", "accept", Stage::Structure, "pte/header/control")
        .either("pte/segments/doubtful", "accept")
        .reject("pte/header/bad", "accept", Stage::Header, "pte/header/control")
        .write();
    let written = |args: &[&str]| {
        let list = corpus.beside("known.toml", "");
        let update =
            ["--reader", "builtin:accept-all", "--known-failures", &list, "--update-known", "--reason", "no checks"];
        corpus.command(&[&update[..], args].concat()).output().unwrap();
        let text = std::fs::read_to_string(&list).unwrap();
        let cases = text.lines().filter_map(|line| line.strip_prefix("case = ")).map(|case| case.replace('"', ""));
        assert_eq!(text.matches("reason = \"no checks\"").count(), cases.clone().count(), "{text}");
        assert_eq!(run(&corpus, &text, args).code, 0);
        cases.collect::<Vec<_>>()
    };
    assert_eq!(written(&[]), ["pte/header/bad", "pte/segments/*"]);
    // The glob would cover a case that the run did not test.
    assert_eq!(written(&["--cases", "pte/segments/bad-*"]), ["pte/segments/bad-1", "pte/segments/bad-2"]);
}
