//! Why a campaign ends before its time.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::attack::AttackError;
use crate::disk::io_error::in_words;
use crate::text::escape::{plain_line, plain_name};

/// Why a campaign cannot go on: one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum HuntError {
    /// A reader cannot be started.
    Reader {
        /// Where it was looked for.
        address: String,
        /// Why.
        message: String,
    },
    /// Pairs are made, and no reader reads them.
    NoPairs,
    /// No file can be made.
    Draw(AttackError),
    /// Something in the folder cannot be read or written.
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The folder has something else in it.
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder has another campaign in it.
    Another {
        /// The folder.
        path: PathBuf,
        /// What is different in that one.
        what: &'static str,
    },
    /// What is in the folder is not what a campaign writes.
    Form {
        /// What.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// No reader has the name that a cluster is of.
    NoReader {
        /// The name.
        name: String,
    },
    /// No cluster has the name.
    NoCluster {
        /// The name.
        id: String,
    },
}

impl fmt::Display for HuntError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &PathBuf| plain_name(&path.to_string_lossy());
        match self {
            HuntError::Reader { address, message } => write!(f, "{address}: {}", plain_line(message, 600)),
            HuntError::NoPairs => f.write_str(
                "--pairs: none of the readers reads a program together with its data file: no hello names the capability `pairs`",
            ),
            HuntError::Draw(error) => error.fmt(f),
            HuntError::Io { path, error } => write!(f, "{}: {}", name(path), in_words(error)),
            HuntError::NotEmpty { path } => {
                write!(f, "{}: the folder has something else in it; a campaign wants one of its own", name(path))
            }
            HuntError::Another { path, what } => write!(
                f,
                "{}: the campaign in it has another {what}; go on with that, or name another folder",
                name(path)
            ),
            HuntError::Form { path, message } => write!(f, "{}: {message}", name(path)),
            HuntError::NoReader { name } => {
                write!(f, "the cluster is of {}, and none of the readers says that it is that", plain_line(name, 80))
            }
            HuntError::NoCluster { id } => write!(f, "no cluster is called {}", plain_line(id, 80)),
        }
    }
}

impl std::error::Error for HuntError {}

impl From<AttackError> for HuntError {
    fn from(error: AttackError) -> Self {
        HuntError::Draw(error)
    }
}
