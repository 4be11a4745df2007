//! Why a campaign ends before its time.

use std::io;
use std::path::{Path, PathBuf};

use crate::attack::AttackError;
use crate::disk::io_error::in_words;
use crate::text::escape::{plain_line, plain_name};

/// Why a campaign cannot go on: one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HuntError {
    /// A reader cannot be started.
    #[error("{address}: {}", plain_line(.message, 600))]
    Reader {
        /// Where it was looked for.
        address: String,
        /// Why.
        message: String,
    },
    /// Pairs are made, and no reader reads them.
    #[error(
        "--pairs: none of the readers reads a program together with its data file: no hello names the capability `pairs`"
    )]
    NoPairs,
    /// No file can be made.
    #[error(transparent)]
    Draw(#[from] AttackError),
    /// Something in the folder cannot be read or written.
    #[error("{}: {}", name(.path), in_words(.error))]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The folder has something else in it.
    #[error("{}: the folder has something else in it; a campaign wants one of its own", name(.path))]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder has another campaign in it.
    #[error("{}: the campaign in it has another {what}; go on with that, or name another folder", name(.path))]
    Another {
        /// The folder.
        path: PathBuf,
        /// What is different in that one.
        what: &'static str,
    },
    /// What is in the folder is not what a campaign writes.
    #[error("{}: not what a campaign writes: {error}", name(.path))]
    Form {
        /// What.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// No reader has the name that a cluster is of.
    #[error("the cluster is of {}, and none of the readers says that it is that", plain_line(.name, 80))]
    NoReader {
        /// The name.
        name: String,
    },
    /// No cluster has the name.
    #[error("no cluster is called {}", plain_line(.id, 80))]
    NoCluster {
        /// The name.
        id: String,
    },
}

fn name(path: &Path) -> String {
    plain_name(&path.to_string_lossy())
}
