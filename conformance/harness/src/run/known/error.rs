//! Errors in a list of known failures.

use std::path::{Path, PathBuf};

use crate::disk::io_error::PathError;
use crate::text::escape::plain_line;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnownError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("{}:{line}: {message}", .path.display())]
    List {
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        message: String,
    },
    /// If a reader did not start, its failures are unknown, so the list stays as it is.
    #[error(
        "{reader}: cannot use the reader, so the list of known failures is unchanged; fix the reader and run again"
    )]
    Unstarted { reader: String },
}

impl KnownError {
    /// Creates an error about a line. The message may quote the file, so it is escaped.
    pub(super) fn at(path: &Path, line: usize, message: impl AsRef<str>) -> Self {
        KnownError::List { path: path.to_owned(), line, message: plain_line(message.as_ref(), usize::MAX) }
    }
}
