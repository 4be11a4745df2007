//! Errors of the corpus.

use std::path::{Path, PathBuf};

use crate::disk::io_error::{PathError, name};
use crate::text::escape::shell_line;

/// An error from loading, building or exporting a corpus, or from selecting its cases.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The default corpus folder does not exist.
    #[error(
        "corpus: found no such folder in the current folder, the program's folder or their parents; pass --corpus, or build a \
         corpus with `torchproof corpus build`"
    )]
    NoCorpus,
    /// The corpus folder is missing or contains no manifest.
    #[error("{}: found no manifest.json, expected a corpus; run `{}`", name(.path), build(.path))]
    NoManifest {
        /// The corpus folder.
        path: PathBuf,
    },
    /// A file or folder cannot be used.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The manifest, or a file that the manifest names, is malformed.
    #[error("{}: {message}", .path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The fault.
        message: String,
    },
    /// The digest of a case's file differs from the manifest.
    #[error("{}: differs from its digest in the manifest ({id}); `torchproof corpus check` lists all changes", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The case.
        id: String,
    },
    /// A pattern for case ids is not a valid glob.
    #[error("--cases: {0}")]
    Glob(String),
    /// No case of the corpus tests the rule.
    #[error("--rule: no case tests the rule `{0}`; `torchproof corpus coverage` lists the rules with cases")]
    NoSuchRule(String),
    /// No case id matches the glob.
    #[error("--cases: no case id matches `{0}`; expected a glob for whole ids, such as `pte/header/*` or `pte/**`")]
    NoSuchCase(String),
    /// The corpus lacks a case of an earlier run.
    #[error(
        "{id}: no such case in corpus {version}, expected every case of the results; pass the corpus of the run with --corpus"
    )]
    Lacks {
        /// The case.
        id: String,
        /// The version of the corpus.
        version: String,
    },
    /// The corpus differs from the corpus of an earlier run.
    #[error(
        "found corpus {found}, expected corpus {expected} of the results; pass the corpus of the run with --corpus"
    )]
    Other {
        /// The version and the digest of the corpus.
        found: String,
        /// The version and the digest in the results.
        expected: String,
    },
    /// No case matches all options.
    #[error("no case matches --cases, --rule and --stage together; remove one of them")]
    NothingChosen,
    /// A case of [`torchproof::corpus`] cannot be built.
    #[error("case {id}: {message}")]
    Case {
        /// The case.
        id: &'static str,
        /// The fault.
        message: String,
    },
    /// The output folder is not a corpus, but contains files that the build would delete.
    #[error("{}: found a foreign file in a folder without manifest.json; pass another folder with --output", .path.display())]
    Foreign {
        /// One of the files that the build would delete.
        path: PathBuf,
    },
}

/// Returns the command that builds a corpus in this folder.
fn build(folder: &Path) -> String {
    shell_line(["torchproof", "corpus", "build", "--output", &folder.to_string_lossy()])
}
