//! Errors of the corpus.

use std::path::{Path, PathBuf};

use crate::disk::io_error::{PathError, name};
use crate::text::escape::shell_line;

/// An error from loading, building or exporting a corpus, or from selecting its cases.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    #[error(
        "corpus: found no such folder in the current folder, the program's folder or their parents; pass --corpus, or build a \
         corpus with `torchproof corpus build`"
    )]
    NoCorpus,
    #[error("{}: found no manifest.json, expected a corpus; run `{}`", name(.path), build(.path))]
    NoManifest { path: PathBuf },
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("{}: {message}", .path.display())]
    Manifest { path: PathBuf, message: String },
    #[error("{}: does not match its digest in the manifest ({id}); `torchproof corpus check` lists all changes", .path.display())]
    Changed { path: PathBuf, id: String },
    #[error("--cases: {0}")]
    Glob(String),
    #[error("--rule: no case tests the rule `{0}`; `torchproof corpus coverage` lists the rules with cases")]
    NoSuchRule(String),
    #[error(
        "--cases: no case id matches `{0}`; expected a glob for whole ids, such as `pte/header/*` or `pte/**`; `torchproof corpus list` prints all ids"
    )]
    NoSuchCase(String),
    #[error(
        "{id}: no such case in corpus {version}, expected every case of the results; pass the corpus of the run with --corpus"
    )]
    Lacks { id: String, version: String },
    #[error(
        "found corpus {found}, expected corpus {expected} of the results; pass the corpus of the run with --corpus"
    )]
    Other { found: String, expected: String },
    #[error("no case matches --cases, --rule and --stage together; remove one of them")]
    NothingChosen,
    #[error("case {id}: {message}")]
    Case { id: &'static str, message: String },
    /// The output folder is not a corpus, so its files must not be deleted.
    #[error("{}: found a foreign file in a folder without manifest.json; pass another folder with --output", .path.display())]
    Foreign { path: PathBuf },
}

fn build(folder: &Path) -> String {
    shell_line(["torchproof", "corpus", "build", "--output", &folder.to_string_lossy()])
}
