//! `torchproof meta`: what it shows of files, and that it changes one entry and nothing else.

mod alignment;
testkit::command_in!("metadata");
mod edits;
mod encodings;
mod refusals;
mod sequences;
mod shown;
mod together;

use std::fs;
use std::path::{Path, PathBuf};

use command::{real, scratch};

/// A case of the corpus.
fn case(name: &str) -> PathBuf {
    testkit::repository().join("corpus/files").join(name)
}

/// A copy of a file in a folder of its own, by where it is in [`scratch`].
fn copy(of: &Path, test: &str) -> String {
    let name = format!("{test}/{}", of.file_name().unwrap().to_str().unwrap());
    let folder = scratch().join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder).unwrap();
    fs::write(scratch().join(&name), fs::read(of).unwrap()).unwrap();
    name
}

/// The real files that have named data, or may have it.
fn editable() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(real("")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "pte" || ending == "ptd"))
        .filter(|path| !path.file_name().unwrap().to_str().unwrap().starts_with("legacy"))
        .collect();
    files.sort();
    assert!(files.len() >= 12, "{files:?}");
    files.into_iter()
}
