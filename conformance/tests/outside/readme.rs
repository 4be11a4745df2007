//! Runs the console sessions in the README and in the book.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use crate::need::{Need, trials};

pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["python3"])]; sessions_print_what_is_documented]
}

fn sessions_print_what_is_documented() {
    let repository = testkit::repository();
    let mut documents = vec![repository.join("README.md")];
    pages(&repository.join("docs/src"), &mut documents);
    documents.retain(|path| fs::read_to_string(path).unwrap().contains("\n```console\n"));
    assert!(documents.len() >= 8, "only these documents have sessions: {documents:?}");
    testkit::run_sessions("documents", &documents);
}

/// Appends the sorted paths of all Markdown files.
pub(crate) fn pages(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            pages(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            into.push(path);
        }
    }
}
