//! Runs campaigns of `torchproof hunt`, each in a folder of its own.
#![allow(dead_code)] // Each test program uses its share.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{run, scratch};
use crate::valid;

/// A folder of the test's own that is not there yet.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A campaign's exit code, and its report, which its schema allows.
pub(crate) fn hunt(name: &str, args: &[&str]) -> (Option<i32>, Value) {
    let fixed = ["hunt", "--out", name, "--time", "600", "--format", "json"];
    let outcome = run(&[&fixed[..], args].concat());
    let report = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome:?}"));
    valid::expect_valid(&valid::schema("hunt.schema.json"), &report);
    (outcome.code, report)
}

/// The clusters of such a report.
pub(crate) fn clusters(report: &Value) -> Vec<Value> {
    report["clusters"].as_array().unwrap().clone()
}

/// A file of a cluster.
pub(crate) fn file(folder: &Path, cluster: &Value, name: &str) -> Vec<u8> {
    fs::read(folder.join("clusters").join(cluster["id"].as_str().unwrap()).join(name)).unwrap()
}
