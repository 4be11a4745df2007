//! The formats of `torchproof run`: each is what its standard or schema says, and loses nothing, whatever readers do and say.

mod json;
mod junit;
mod markdown;
mod sarif;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::corpus::{everything, readers};
use torchproof_cli::run::grade::Grade;

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
