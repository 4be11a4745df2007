//! Misbehaving readers in front of the runner: each misdeed has its outcome, and none of them stops a run.
//!
//! The cases are files that tell [`faux-reader`](../faux/reader.rs) what to do.

mod deaths;
mod files;
mod grades;
mod manners;
mod results;
mod text;

use serde_json::json;
use testkit::corpus::{TestCorpus, faux};
use torchproof::Stage;

/// Longer than anything here takes unless it hangs.
const AMPLE: u64 = 20_000;
/// For what does hang.
const SHORT: u64 = 400;

#[test]
fn good_readers_pass_by_every_transport() {
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
