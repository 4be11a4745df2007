//! Why a corpus cannot be used.

use std::io;
use std::path::PathBuf;

use crate::disk::io_error::in_words;

/// Why a corpus cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// No folder was named and none is to be found.
    #[error(
        "no corpus in this folder, above it or beside the program: name one with --corpus, or make one with \
         `torchproof corpus build`"
    )]
    NoCorpus,
    /// A file cannot be read or written.
    #[error("{}: {}", .path.display(), in_words(.error))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The manifest or something that it names does not say what it must.
    #[error("{}: {message}", .path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        message: String,
    },
    /// A case's file is not the one that the manifest describes.
    #[error("{}: not the file that the manifest describes ({id}); was the corpus edited by hand?", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The case.
        id: String,
    },
    /// A pattern is no glob.
    #[error("--cases: {0}")]
    Glob(String),
    /// No case of the corpus has the rule.
    #[error("--rule: no case of the corpus has the rule `{0}`")]
    NoSuchRule(String),
    /// No case of the corpus has an id that the glob matches.
    #[error(
        "--cases: no case of the corpus has an id like `{0}` (whole ids are matched: `pte/header/*` one part, `pte/**` all \
         below)"
    )]
    NoSuchCase(String),
    /// The choice falls on no case.
    #[error("no case is chosen: none has an id, a rule and a stage of those that are named")]
    NothingChosen,
    /// A case of the registry cannot be built into a corpus.
    #[error("case {id}: {message}")]
    Case {
        /// The case.
        id: &'static str,
        /// Why.
        message: String,
    },
    /// A folder to build into has files where the corpus has its own, and is no corpus.
    #[error(
        "{}: would be deleted, but the folder has no manifest.json and so is no corpus; name another with --out",
        .path.display()
    )]
    Foreign {
        /// One of the files.
        path: PathBuf,
    },
}
