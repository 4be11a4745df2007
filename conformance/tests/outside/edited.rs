//! Checks that real readers accept files that `meta` has edited.

use std::fs;
use std::path::{Path, PathBuf};

use torchproof::Stage;

use command::{real, run, scratch};

use crate::built::{self, CPP_VERIFIER, LEVELS, RUNTIME};
use crate::need::{Need, trials};
use libtest_mimic::Trial;

testkit::command_in!("edited");

fn real_readers_accept_edited_files() {
    let edited: Vec<PathBuf> = editable()
        .chain([testkit::repository().join("corpus/files/pte/valid/headerless.pte")])
        .enumerate()
        .map(edit)
        .collect();
    let alone: Vec<_> = edited.iter().map(|path| vec![path.clone()]).collect();
    built::expect_accepted(CPP_VERIFIER, "", Stage::Structure, &alone);
    let sets: Vec<_> = edited.iter().map(|path| set(path)).collect();
    for level in LEVELS {
        built::expect_accepted(RUNTIME, &built::with_stubs(level), Stage::Data, &sets);
    }
}

fn edit((index, path): (usize, PathBuf)) -> PathBuf {
    let name = format!("{index}/{}", path.file_name().unwrap().to_str().unwrap());
    fs::create_dir_all(scratch().join(index.to_string())).unwrap();
    fs::copy(&path, scratch().join(&name)).unwrap();
    for (key, value) in [("general.name", "a name"), ("context.length", "8192"), ("tokenizer.eos_ids", "1, 2")] {
        assert_eq!(run(&["meta", "set", &name, key, value]).code, Some(0), "{name}");
    }
    scratch().join(name)
}

/// The file with its companion: a data file or a program. If there is no program, the adapter requests the layout of
/// every key, and some releases crash on a key without a layout.
fn set(path: &Path) -> Vec<PathBuf> {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let other = |ending| real(&format!("{name}.{ending}"));
    match path.extension().and_then(|ending| ending.to_str()) {
        _ if !name.ends_with("_external") => vec![path.to_owned()],
        Some("pte") => vec![path.to_owned(), other("ptd")],
        _ => vec![other("pte"), path.to_owned()],
    }
}

/// The files that can be edited. The runtime loads them, and all of them support named data.
fn editable() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(real("")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "pte" || ending == "ptd"))
        .filter(|path| !built::UNREADABLE.contains(&path.file_name().unwrap().to_str().unwrap()))
        .collect();
    files.sort();
    assert!(files.len() >= 12, "{files:?}");
    files.into_iter()
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Reader(CPP_VERIFIER), Need::Reader(RUNTIME)]; real_readers_accept_edited_files]
}
