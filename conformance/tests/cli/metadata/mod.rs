//! Tests `torchproof meta`: the encoding of values, and edits of single entries.

testkit::command_in!("metadata");
mod edits;
mod values;

use std::fs;
use std::path::{Path, PathBuf};

use command::scratch;

fn case(name: &str) -> PathBuf {
    testkit::repository().join("corpus/files").join(name)
}

/// Copies a file into an empty folder, and returns its relative path.
fn copy(of: &Path, test: &str) -> String {
    let name = format!("{test}/{}", of.file_name().unwrap().to_str().unwrap());
    fs::create_dir_all(command::absent(test)).unwrap();
    fs::copy(of, scratch().join(&name)).unwrap();
    name
}
