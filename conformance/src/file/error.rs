//! Errors from creating, changing and writing files.

use std::io;
use std::path::{Path, PathBuf};

use torchproof::write::WriteError;
use torchproof::{ErrorCode, view};

use super::WrongDigest;
use crate::disk::input::InputError;
use crate::disk::io_error::{cannot_use_folder, cannot_write, name, read_fault};
use crate::findings::{Examined, check_hint};

/// An error from opening, changing or writing a file, displayed as one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file has a field of a newer schema, and rewriting the file would drop the field.
    #[error("{}: found a field of a newer schema in slot {slot} of {table}; a change would remove the field", name(.path))]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The table's name.
        table: &'static str,
        /// The unknown slot of the table's vtable.
        slot: u16,
    },
    /// The output file is the input file.
    #[error("{}: is the input file; write to another file", name(.path))]
    SamePlace {
        /// The file.
        path: PathBuf,
    },
    /// The file's tables are broken.
    #[error("{}: {error}", name(.path))]
    Broken {
        /// The file.
        path: PathBuf,
        /// The fault.
        error: view::ViewError,
    },
    /// This program cannot change files of this kind.
    #[error("{}: found {what}; expected a program or a data file in the current layout", name(.path))]
    NotEdited {
        /// The file.
        path: PathBuf,
        /// The kind.
        what: &'static str,
    },
    /// The file breaks a must-rule, or the check could not finish.
    #[error("{}", not_accepted(.path, .examined))]
    NotAccepted {
        /// The file.
        path: PathBuf,
        /// The findings.
        examined: Box<Examined>,
    },
    /// The new file would break a must-rule, or the check could not finish.
    #[error("{}", rejected(.0))]
    Rejected(Box<Examined>),
    /// The tables or the layout cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The bytes of a segment do not have the given SHA-256.
    #[error("segments[{index}]: {error}")]
    Digest {
        /// The segment.
        index: usize,
        /// The actual and the expected SHA-256.
        error: WrongDigest,
    },
    /// The bytes of a segment cannot be read.
    #[error("segments[{index}]: {}", read_fault(.error))]
    Segment {
        /// The segment.
        index: usize,
        /// The error.
        error: io::Error,
    },
    /// The new file cannot be written.
    #[error("{}", cannot_write(.path, .error))]
    Output {
        /// The path of the new file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The folder for new files cannot be created.
    #[error("{}", cannot_use_folder(.path, .error))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

impl EditError {
    /// Returns whether the error shows that the file to change is faulty. Read errors and exceeded limits do not show a fault
    /// of the file.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        match self {
            EditError::Broken { error, .. } => !matches!(error.error().code, ErrorCode::Limit(_)),
            EditError::NotAccepted { examined, .. } => examined.rejects(false),
            _ => false,
        }
    }
}

/// Describes the first finding of a must-rule, or the reason why the check could not finish.
fn rejected(examined: &Examined) -> String {
    let reason = examined.fault().or_else(|| examined.incomplete()).or_else(|| examined.note());
    reason.unwrap_or_else(|| "the check could not finish".to_owned())
}

/// Describes why an existing file is rejected and, if the file is broken, what to do next.
fn not_accepted(path: &Path, examined: &Examined) -> String {
    let hint = if examined.rejects(false) { format!("; {}", check_hint(path)) } else { String::new() };
    format!("{}: {}{hint}", name(path), rejected(examined))
}
