//! Real readers take edited files.

use std::path::{Path, PathBuf};

use torchproof::Stage;

use super::built::{self, CPP_VERIFIER, LEVELS, RUNTIME};
use super::command::{real, run, scratch};
use super::{case, copy, editable};

#[test]
fn edited_files_are_accepted() {
    let edited: Vec<PathBuf> = editable().chain([case("pte/valid/headerless.pte")]).enumerate().map(edit).collect();
    let alone: Vec<_> = edited.iter().map(|path| vec![path.clone()]).collect();
    built::expect_accepted(CPP_VERIFIER, "", Stage::Structure, &alone);
    let sets: Vec<_> = edited.iter().map(|path| set(path)).collect();
    for level in LEVELS {
        built::expect_accepted(RUNTIME, &format!("--verification {level}"), Stage::Data, &sets);
    }
}

/// A copy with some metadata.
fn edit((index, path): (usize, PathBuf)) -> PathBuf {
    let name = copy(&path, &format!("read-{index}"));
    for (key, value) in [("general.name", "a name"), ("context.length", "8192"), ("tokenizer.eos_ids", "1, 2")] {
        assert_eq!(run(&["meta", "set", &name, key, value]).code, Some(0), "{name}");
    }
    scratch().join(name)
}

/// The edited file, with that of the other kind that goes with it.
///
/// A data file by itself is not put to the runtime: it asks for the tensor layout of every key, and releases of it do not survive
/// the answer for a key without one.
fn set(path: &Path) -> Vec<PathBuf> {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let other = |ending| real(&format!("{name}.{ending}"));
    match path.extension().and_then(|ending| ending.to_str()) {
        _ if !name.ends_with("_external") => vec![path.to_owned()],
        Some("pte") => vec![path.to_owned(), other("ptd")],
        _ => vec![other("pte"), path.to_owned()],
    }
}
