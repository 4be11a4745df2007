//! Helpers that the test binaries of `conformance/tests` share.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]
#![allow(missing_docs, missing_debug_implementations, reason = "only tests use it")]

pub mod command;
pub mod corpus;
pub mod processes;
pub mod schema;
mod sessions;

pub use sessions::{run_sessions, write_programs};

use std::env;
use std::path::{Path, PathBuf};

pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

pub fn program(name: &str) -> PathBuf {
    profile().join(name)
}

/// The target folder, where `setup.sh` installs readers.
pub fn target() -> PathBuf {
    profile().parent().unwrap().to_owned()
}

/// A folder that keeps its contents between runs.
pub fn scratch(name: &str) -> PathBuf {
    let folder = target().join("tmp").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Empties the folder that [`scratch`] returns.
pub fn empty_scratch(name: &str) -> PathBuf {
    let _ = std::fs::remove_dir_all(target().join("tmp").join(name));
    scratch(name)
}

/// The parent of `deps`, where the running test binary is.
fn profile() -> PathBuf {
    env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned()
}

fn overwrites() -> bool {
    env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite")
}

/// Replaces each number of three or more digits with `N`, because process ids and addresses vary.
fn without_numbers(text: &str) -> String {
    let mut line = String::new();
    for part in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        line += if digits.len() < 3 { digits } else { "N" };
        line += &part[digits.len()..];
    }
    line + "\n"
}

/// Compares a file with the text or, if `TRYCMD=overwrite` is set, writes the text to the file.
pub fn expect_file(path: &Path, text: &str) {
    if overwrites() {
        std::fs::write(path, text).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    let differs = found.lines().zip(text.lines()).find(|(found, now)| found != now);
    assert!(found == text, "run .ci/regenerate to update {}: {differs:?}", path.display());
}
