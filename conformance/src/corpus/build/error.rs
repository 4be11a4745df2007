//! Why the corpus is not built, written or compared.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use torchproof::cases::DeclaredCase;

use super::names::MANIFEST;

/// Why the corpus was not built, or not written or compared.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
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

impl BuildError {
    pub(super) fn of(case: &DeclaredCase, message: &str) -> Self {
        BuildError::Case(format!("case {}: {message}", case.id))
    }

    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| BuildError::Io { path: path.to_owned(), error }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Case(message) => f.write_str(message),
            BuildError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            BuildError::Foreign { path } => write!(
                f,
                "{}: would be deleted, but the folder has no {MANIFEST} and so is no corpus; name another with --out",
                path.display()
            ),
        }
    }
}

impl std::error::Error for BuildError {}
