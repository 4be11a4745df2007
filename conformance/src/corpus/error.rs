//! Why a corpus cannot be used.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::disk::io_error::in_words;

/// Why a corpus cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum CorpusError {
    /// No folder was named and none is to be found.
    NoCorpus,
    /// A file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The manifest or something that it names does not say what it must.
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        message: String,
    },
    /// A case's file is not the one that the manifest describes.
    Changed {
        /// The file.
        path: PathBuf,
        /// The case.
        id: String,
    },
    /// A pattern is no glob.
    Glob(String),
    /// No case of the corpus has the rule.
    NoSuchRule(String),
    /// No case of the corpus has an id that the glob matches.
    NoSuchCase(String),
    /// The choice falls on no case.
    NothingChosen,
    /// A case of the registry cannot be built into a corpus.
    Case {
        /// The case.
        id: &'static str,
        /// Why.
        message: String,
    },
    /// A folder to build into has files where the corpus has its own, and is no corpus.
    Foreign {
        /// One of the files.
        path: PathBuf,
    },
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CorpusError::NoCorpus => {
                f.write_str("no corpus in this folder, above it or beside the program: name one with --corpus, or ")?;
                f.write_str("make one with `torchproof corpus build`")
            }
            CorpusError::Io { path, error } => write!(f, "{}: {}", path.display(), in_words(error)),
            CorpusError::Manifest { path, message } => write!(f, "{}: {message}", path.display()),
            CorpusError::Changed { path, id } => {
                write!(
                    f,
                    "{}: not the file that the manifest describes ({id}); was the corpus edited by hand?",
                    path.display()
                )
            }
            CorpusError::Glob(message) => write!(f, "--cases: {message}"),
            CorpusError::NoSuchRule(rule) => write!(f, "--rule: no case of the corpus has the rule `{rule}`"),
            CorpusError::NoSuchCase(glob) => write!(
                f,
                "--cases: no case of the corpus has an id like `{glob}` (whole ids are matched: `pte/header/*` one part, \
                 `pte/**` all below)"
            ),
            CorpusError::Case { id, message } => write!(f, "case {id}: {message}"),
            CorpusError::Foreign { path } => write!(
                f,
                "{}: would be deleted, but the folder has no manifest.json and so is no corpus; name another with --out",
                path.display()
            ),
            CorpusError::NothingChosen => {
                f.write_str("no case is chosen: none has an id, a rule and a stage of those that are named")
            }
        }
    }
}

impl std::error::Error for CorpusError {}
