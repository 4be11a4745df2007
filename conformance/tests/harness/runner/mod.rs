//! Tests the runner with misbehaving readers. Each violation must have a defined outcome, and none may stop a run.
//!
//! The first line of each case's file is an order for [`faux-reader`](../faux/reader.rs).

mod cheats;
mod exits;
mod files;
mod grades;
mod interrupted;
mod results;
mod terminations;
mod text;
mod violations;

use serde_json::json;
use testkit::corpus::{TestCorpus, faux};
use torchproof::Stage;

/// A time limit in milliseconds that only hanging readers exceed.
const AMPLE: u64 = 20_000;
/// A time limit in milliseconds for tests with hanging readers.
const SHORT: u64 = 400;

#[test]
fn correct_readers_pass_over_every_transport() {
    let corpus = TestCorpus::new("good")
        .accept("pte/header/control", "accept")
        .reject("pte/header/bad", "reject structure", Stage::Header, "pte/header/control")
        .write();
    let run = corpus.run(&[&faux("exec", "worker"), &faux("exec", "worker no-stages"), &faux("once", "once")]);
    assert_eq!(run.code, 0, "{run:?}");
    for reader in ["faux 0", "faux 0#2", "faux-reader"] {
        assert_eq!(run.grade(reader, "pte/header/control"), "pass");
        assert_eq!(run.grade(reader, "pte/header/bad"), "pass");
    }
    assert_eq!(run.result("faux 0", "pte/header/bad")["stage"], "structure");
    assert_eq!(run.report["readers"][0]["grades"], json!({"pass": 2}));
    assert_eq!(run.report["corpus"], json!({"version": "0.0.1", "digest": "none"}));
}

/// If two readers have the same name, the runner appends a version or a number to the name of the second.
#[test]
fn readers_can_be_named() {
    let corpus = TestCorpus::new("named").accept("pte/a/1", "reject structure").write();
    let [named, other] = [format!("faux={}", faux("once", "once")), faux("exec", "worker no-stages")];
    let run = corpus.run(&[&other, &named, "mine=builtin:reject-all"]);
    let names: Vec<&str> =
        run.report["readers"].as_array().unwrap().iter().map(|one| one["reader"].as_str().unwrap()).collect();
    assert_eq!(names, ["faux 0", "faux", "mine"]);
    let entry = "[[known]]\ncase = \"pte/a/1\"\nreader = \"mine\"\nexpect = \"reject\"\nreason = \"x\"\n";
    let known = corpus.beside("known.toml", entry);
    let run = corpus.run_with(&[&named, "mine=builtin:reject-all"], &["--known-failures", &known]);
    assert_eq!((run.grade("mine", "pte/a/1"), run.grade("faux", "pte/a/1")), ("known", "rejects-valid"));
    for format in ["text", "html", "markdown", "junit", "sarif"] {
        let (_, report, _) = corpus.reported(format, &["--reader", "mine=builtin:reject-all"]);
        assert!(report.contains("mine"), "{format}");
    }
    let (code, _, stderr) =
        corpus.torchproof(&["--reader", "a=builtin:accept-all", "--reader", "a=builtin:reject-all"]);
    assert!(code == 2 && stderr.contains("found the name a twice"), "{stderr}");
}
