//! Errors that end a campaign.

use std::path::PathBuf;

use crate::disk::io_error::{PathError, name};
use crate::labeled::AttackError;
use crate::run::record::ERROR_KEPT;
use crate::text::escape::plain_line;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HuntError {
    #[error("interrupted; repeat the command to continue the campaign")]
    Interrupted,
    #[error("{address}: {}", plain_line(.message, ERROR_KEPT))]
    Reader { address: String, message: String },
    #[error("--pairs: found no reader with the capability `pairs`; add one or leave out --pairs")]
    NoPairs,
    #[error("no reader supports these kinds of files; expected a kind that a reader's `hello` lists")]
    NoKind,
    #[error(transparent)]
    Draw(#[from] AttackError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("{}: found other files in the folder; pass an empty folder or one with a campaign", name(.path))]
    NotEmpty { path: PathBuf },
    #[error("{}: found a campaign with a different {what}; repeat its options or pass another folder", name(.path))]
    Another { path: PathBuf, what: &'static str },
    #[error("{}: found invalid JSON: {error}; expected a file that `hunt` wrote", name(.path))]
    Form { path: PathBuf, error: serde_json::Error },
    #[error("the cluster belongs to reader {}, which is not in this run; pass its address with --reader", plain_line(.name, 80))]
    NoReader { name: String },
    #[error("{}: found no crash file; expected files from libFuzzer, AFL++ or `torchproof hunt`", name(.path))]
    NoCrash { path: PathBuf },
    #[error("{}: no such cluster; expected the name of a folder in clusters/", plain_line(.id, 80))]
    NoCluster { id: String },
}
