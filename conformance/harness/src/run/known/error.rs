//! Errors in a list of known failures.

use std::path::{Path, PathBuf};

use crate::disk::io_error::PathError;
use crate::text::escape::plain_line;

/// The reason why a list of known failures is unusable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnownError {
    /// The list cannot be read or written.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file is not a valid list of known failures.
    #[error("{}:{line}: {message}", .path.display())]
    List {
        /// The path of the list.
        path: PathBuf,
        /// The line of the error, counted from 1.
        line: usize,
        /// The description of the error.
        message: String,
    },
    /// A reader did not start. The failures of this reader are unknown, so the list stays unchanged.
    #[error(
        "{reader}: cannot use the reader, so the list of known failures is unchanged; fix the reader and run again"
    )]
    Unstarted {
        /// The name of the reader.
        reader: String,
    },
}

impl KnownError {
    /// Creates the error of a line. Escapes the message, which may quote the file.
    pub(super) fn at(path: &Path, line: usize, message: impl AsRef<str>) -> Self {
        KnownError::List { path: path.to_owned(), line, message: plain_line(message.as_ref(), usize::MAX) }
    }
}
