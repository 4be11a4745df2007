//! Errors from creating, changing and writing files.

use std::io;
use std::path::{Path, PathBuf};

use torchproof::write::WriteError;
use torchproof::{ErrorCode, FileKind, view};
use torchproof_harness::disk::input::InputError;
use torchproof_harness::disk::io_error::{cannot_use_folder, cannot_write, name, read_fault};

use super::DigestMismatch;
use crate::findings::{ExaminedFile, check_hint};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    #[error(transparent)]
    Input(#[from] InputError),
    /// Rewriting the file would drop the field.
    #[error("{}: found a field from a newer schema in slot {slot} of {table}; a change would remove the field", name(.path))]
    NewerSchema { path: PathBuf, table: &'static str, slot: u16 },
    #[error("{}: is the input file; write to another file", name(.path))]
    SamePlace { path: PathBuf },
    #[error("{}: {error}", name(.path))]
    Broken { path: PathBuf, error: view::ViewError },
    #[error("{}: found {what}; expected a program or a data file in the current layout", name(.path))]
    NotEdited { path: PathBuf, what: &'static str },
    #[error("{}", not_accepted(.path, .examined))]
    NotAccepted { path: PathBuf, examined: Box<ExaminedFile> },
    #[error("{}", rejected(.0))]
    Rejected(Box<ExaminedFile>),
    /// The identifier of a data file does not name its layout, so tables with a fault can be read in the other layout.
    #[error("kind: the written tables are read as `{found}`, expected `{expected}`; correct the tables or the kind")]
    Kind { found: FileKind, expected: FileKind },
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("segments[{index}]: {error}")]
    Digest { index: usize, error: DigestMismatch },
    #[error("segments[{index}]: {}", read_fault(.error))]
    Segment { index: usize, error: io::Error },
    #[error("{}", cannot_write(.path, .error))]
    Output { path: PathBuf, error: io::Error },
    #[error("{}", cannot_use_folder(.path, .error))]
    Folder { path: PathBuf, error: io::Error },
}

impl EditError {
    /// Returns `false` for read errors and exceeded limits, because they do not mean that the file is at fault.
    #[must_use]
    pub(crate) fn is_broken(&self) -> bool {
        match self {
            EditError::Broken { error, .. } => !matches!(error.error().code, ErrorCode::Limit(_)),
            EditError::NotAccepted { examined, .. } => examined.rejects(false),
            _ => false,
        }
    }
}

fn rejected(examined: &ExaminedFile) -> String {
    let reason = examined.fault().or_else(|| examined.incomplete()).or_else(|| examined.note());
    reason.unwrap_or_else(|| "the check could not finish".to_owned())
}

fn not_accepted(path: &Path, examined: &ExaminedFile) -> String {
    let hint = if examined.rejects(false) { format!("; {}", check_hint(path)) } else { String::new() };
    format!("{}: {}{hint}", name(path), rejected(examined))
}
