//! `torchproof meta`: what it prints, and that it changes one entry and nothing else.

testkit::command_in!("metadata");
mod edits;
mod values;

use std::fs;
use std::path::{Path, PathBuf};

use command::scratch;

/// A case of the corpus.
fn case(name: &str) -> PathBuf {
    testkit::repository().join("corpus/files").join(name)
}

/// A copy of a file in a folder of its own, by its name in [`scratch`].
fn copy(of: &Path, test: &str) -> String {
    let name = format!("{test}/{}", of.file_name().unwrap().to_str().unwrap());
    let folder = scratch().join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder).unwrap();
    fs::write(scratch().join(&name), fs::read(of).unwrap()).unwrap();
    name
}
