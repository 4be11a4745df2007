//! Files of official exporters, for tests.
#![allow(clippy::unwrap_used, reason = "a test may end on a missing file")]

use std::fs;
use std::path::PathBuf;
use std::string::String;
use std::vec::Vec;

/// `_v` marks files by older exporters, which lay out tables differently and sometimes break a may-rule.
pub(crate) fn is_older(name: &str) -> bool {
    name.contains("_v")
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/real")
}

pub(crate) fn real_file(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap()
}

/// Sorted by name.
pub(crate) fn real_files() -> Vec<(String, Vec<u8>)> {
    let names = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".pte") || name.ends_with(".ptd")).collect();
    names.sort();
    assert!(names.len() >= 19, "files are missing");
    names.into_iter().map(|name| (name.clone(), real_file(&name))).collect()
}
