//! Errors that end a campaign.

use std::path::PathBuf;

use crate::disk::io_error::{PathError, name};
use crate::labeled::AttackError;
use crate::run::record::ERROR_KEPT;
use crate::text::escape::plain_line;

/// An error that ends a campaign, displayed as one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HuntError {
    /// A signal ended the campaign.
    #[error("interrupted; repeat the command to continue the campaign")]
    Interrupted,
    /// A reader cannot be started.
    #[error("{address}: {}", plain_line(.message, ERROR_KEPT))]
    Reader {
        /// The reader's address.
        address: String,
        /// The reason.
        message: String,
    },
    /// No reader supports programs with data files.
    #[error("--pairs: found no reader with the capability `pairs`; add one or leave out --pairs")]
    NoPairs,
    /// No reader supports the kinds of the files.
    #[error("no reader supports the kinds of the files; expected a kind that the `hello` of a reader lists")]
    NoKind,
    /// No file can be generated.
    #[error(transparent)]
    Draw(#[from] AttackError),
    /// A file or folder of the campaign cannot be used.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The folder contains files but no campaign.
    #[error("{}: found other files in the folder; pass an empty folder or one with a campaign", name(.path))]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder contains a campaign with other settings.
    #[error("{}: found a campaign with another {what}; repeat its options or pass another folder", name(.path))]
    Another {
        /// The folder.
        path: PathBuf,
        /// The setting that differs.
        what: &'static str,
    },
    /// A file in the campaign's folder cannot be parsed.
    #[error("{}: found invalid JSON: {error}; expected a file that `hunt` wrote", name(.path))]
    Form {
        /// The path of the file.
        path: PathBuf,
        /// The error of the parser.
        error: serde_json::Error,
    },
    /// A reader of the cluster is not in this run.
    #[error("the cluster belongs to reader {}, which is not in this run; pass the address of the reader with --reader", plain_line(.name, 80))]
    NoReader {
        /// The name of the missing reader.
        name: String,
    },
    /// The folder contains no crash file.
    #[error("{}: found no crash file; expected files of libFuzzer, AFL++ or `torchproof hunt`", name(.path))]
    NoCrash {
        /// The folder.
        path: PathBuf,
    },
    /// No cluster has this id.
    #[error("{}: no such cluster; expected the name of a folder in clusters/", plain_line(.id, 80))]
    NoCluster {
        /// The id that was not found.
        id: String,
    },
}
