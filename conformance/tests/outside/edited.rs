//! Real readers take edited files.

use std::fs;
use std::path::{Path, PathBuf};

use torchproof::Stage;

use command::{real, run, scratch};

use crate::built::{self, CPP_VERIFIER, LEVELS, RUNTIME};
use crate::need::{Need, trials};
use libtest_mimic::Trial;

testkit::command_in!("edited");

fn edited_files_are_accepted() {
    let edited: Vec<PathBuf> = editable()
        .chain([testkit::repository().join("corpus/files/pte/valid/headerless.pte")])
        .enumerate()
        .map(edit)
        .collect();
    let alone: Vec<_> = edited.iter().map(|path| vec![path.clone()]).collect();
    built::expect_accepted(CPP_VERIFIER, "", Stage::Structure, &alone);
    let sets: Vec<_> = edited.iter().map(|path| set(path)).collect();
    for level in LEVELS {
        built::expect_accepted(RUNTIME, &format!("--verification {level}"), Stage::Data, &sets);
    }
}

/// A copy with some metadata.
fn edit((index, path): (usize, PathBuf)) -> PathBuf {
    let name = format!("{index}/{}", path.file_name().unwrap().to_str().unwrap());
    fs::create_dir_all(scratch().join(index.to_string())).unwrap();
    fs::copy(&path, scratch().join(&name)).unwrap();
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

/// The trials of this module.
pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Reader(CPP_VERIFIER), Need::Reader(RUNTIME)]; edited_files_are_accepted]
}
