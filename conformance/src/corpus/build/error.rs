//! Why the corpus is not built, written or compared.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use torchproof::cases::Case;

use super::names::MANIFEST;

/// Why the corpus was not built, or not written or compared.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A case has no bytes, or is not what it says.
    Case(String),
    /// A file or folder cannot be read or written.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The folder holds files where the corpus puts its own, and is no corpus.
    Foreign {
        /// One of the files.
        path: PathBuf,
    },
}

impl Error {
    pub(super) fn of(case: &Case, message: &str) -> Self {
        Error::Case(format!("case {}: {message}", case.id))
    }

    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Error::Io { path: path.to_owned(), error }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Case(message) => f.write_str(message),
            Error::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Error::Foreign { path } => write!(
                f,
                "{}: would be deleted, but the folder has no {MANIFEST} and so is no corpus; name another with --out",
                path.display()
            ),
        }
    }
}

impl std::error::Error for Error {}
