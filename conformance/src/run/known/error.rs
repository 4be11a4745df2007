//! What is wrong with a list of known failures.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::io_error::in_words;

/// Why a list of known failures cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnownError {
    /// The file cannot be read or written.
    #[error("{}: {}", .path.display(), in_words(.error))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What it says makes no list.
    #[error("{}:{line}: {message}", .path.display())]
    List {
        /// The file.
        path: PathBuf,
        /// Where, counted from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// A reader could not be started, so that what it does is not known, and the list is left as it is.
    #[error("{reader} could not be used, so the list of known failures is left as it is")]
    Unstarted {
        /// The reader.
        reader: String,
    },
}

impl KnownError {
    pub(super) fn at(path: &Path, line: usize, message: impl Into<String>) -> Self {
        KnownError::List { path: path.to_owned(), line, message: message.into() }
    }
}
