//! The formats of `torchproof run`: each is what its standard or schema says, and loses nothing, whatever readers do and say.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

mod browser;
#[path = "../faux/corpus.rs"]
mod corpus;
mod html;
mod json;
mod junit;
mod markdown;
mod sarif;
mod tap;
#[path = "../valid/mod.rs"]
mod valid;

use std::collections::BTreeMap;

use corpus::{TestCorpus, faux};
use serde_json::{Value, json};
use torchproof::Stage;
use torchproof_cli::grade::Grade;

/// A corpus in which a reader can do all that readers do.
fn everything(name: &str) -> TestCorpus {
    TestCorpus::new(name)
        .accept("pte/a/control", "accept")
        .reject("pte/a/bad", "reject structure", Stage::Header, "pte/a/control")
        .rule("eh-length-min")
        .reject("pte/a/taken", "accept", Stage::Header, "pte/a/control")
        .accept("pte/a/refused", "reject structure")
        .accept("pte/a/dies", "staged-signal")
        .accept("pte/a/panics", "panic")
        .accept("pte/a/flaky", "signal-when-used")
        .accept("pte/a/hoard", "hoard")
        .accept("pte/a/garbage", "garbage")
        .accept("ptd/a/unread", "accept")
        .either("pte/a/doubtful", "accept")
        .budget(400)
        .accept("pte/a/hang", "hang")
        .write()
}

/// Readers that do it, one of them hostile to whoever prints it, and one that is not there.
fn readers() -> [String; 4] {
    let accept_all = "builtin:accept-all".to_owned();
    [faux("exec", "worker markup"), faux("exec", "worker pte-only"), accept_all, "exec:no-such-program".to_owned()]
}

/// What those readers make of that corpus: in this format, and as the results of the same run, which it must say too.
fn both(name: &str, format: &str) -> (String, Value) {
    let corpus = everything(name);
    let readers = readers();
    let readers: Vec<&str> = readers.iter().flat_map(|reader| ["--reader", reader]).collect();
    // One after the other, so that they are written in the order of the report.
    let (code, stdout, stderr) = corpus.torchproof(&[&readers[..], &["--jobs", "1", "--format", format]].concat());
    assert_eq!((code, stderr.as_str()), (1, ""));
    let mut report = corpus.stream();
    let results = report.split_off(1);
    let mut report = report.remove(0);
    for reader in report["readers"].as_array_mut().unwrap() {
        let mut grades = BTreeMap::new();
        for result in results.iter().filter(|result| result["reader"] == reader["reader"]) {
            *grades.entry(result["grade"].as_str().unwrap()).or_insert(0) += 1;
        }
        reader["grades"] = json!(grades);
    }
    report["results"] = json!(results);
    (stdout, report)
}

/// The results of a report, but for those of readers that could not be used.
fn usable(report: &Value) -> Vec<&Value> {
    let unusable = |name: &Value| {
        let readers = report["readers"].as_array().unwrap();
        readers.iter().any(|reader| reader["reader"] == *name && reader.get("error").is_some())
    };
    report["results"].as_array().unwrap().iter().filter(|result| !unusable(&result["reader"])).collect()
}

/// Whether the grade fails a run, by its name.
fn is_unexpected(result: &Value) -> bool {
    Grade::ALL.into_iter().find(|grade| result["grade"] == grade.name()).unwrap().is_unexpected()
}
