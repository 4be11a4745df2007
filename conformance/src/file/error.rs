//! Why a file is not made, changed or written.

use std::fmt;
use std::io;
use std::path::PathBuf;

use torchproof::write::WriteError;
use torchproof::{ErrorCode, view};

use super::WrongDigest;
use crate::disk::input::InputError;
use crate::disk::io_error::in_words;
use crate::findings::Examined;
use crate::text::escape::plain_name;

/// Why a file cannot be opened, changed or written, in one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum EditError {
    /// The file cannot be read.
    Input(InputError),
    /// The file has a field of a newer schema, which a change would lose.
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The table's name.
        table: &'static str,
        /// The unknown slot of its vtable.
        slot: u16,
    },
    /// The file to be written is the one that is read.
    SamePlace {
        /// The file.
        path: PathBuf,
    },
    /// The file's tables are broken.
    Broken {
        /// The file.
        path: PathBuf,
        /// What is broken.
        error: view::ViewError,
    },
    /// The file is of a kind that cannot be changed.
    NotEdited {
        /// The file.
        path: PathBuf,
        /// The kind.
        what: &'static str,
    },
    /// The file breaks a must-rule, or cannot be checked to the end.
    NotAccepted {
        /// The file.
        path: PathBuf,
        /// The findings.
        examined: Box<Examined>,
    },
    /// The new file would break a must-rule, or cannot be checked to the end.
    Rejected(Box<Examined>),
    /// The tables or the layout cannot be written.
    Write(WriteError),
    /// Another segment of a raw file is written over a segment, and has other bytes.
    Overlap {
        /// The segment.
        index: usize,
        /// The first of its bytes that is lost.
        at: u64,
    },
    /// A segment has another SHA-256 than the one given for it.
    Digest {
        /// The segment.
        index: usize,
        /// Both digests.
        error: WrongDigest,
    },
    /// The bytes of a segment cannot be read.
    Segment {
        /// The segment.
        index: usize,
        /// Why.
        error: io::Error,
    },
    /// The new file cannot be written.
    Output {
        /// Its target.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl EditError {
    /// Whether the file to be changed is broken; otherwise it cannot be read, or is beyond a limit.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        match self {
            EditError::Broken { error, .. } => !matches!(error.error().code, ErrorCode::Limit(_)),
            EditError::NotAccepted { examined, .. } => examined.rejects(false),
            _ => false,
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &PathBuf| plain_name(&path.to_string_lossy());
        match self {
            EditError::Input(error) => error.fmt(f),
            EditError::Broken { path, error } => write!(f, "{}: {error}", name(path)),
            EditError::NotEdited { path, what } => write!(f, "{}: is {what}, which cannot be changed", name(path)),
            EditError::NewerSchema { path, table, slot } => write!(
                f,
                "{}: table {table} has a field in slot {slot}, which is of a newer schema and would be lost",
                name(path)
            ),
            EditError::SamePlace { path } => {
                write!(f, "{}: is the file that is read; write to another one", name(path))
            }
            EditError::Write(error) => error.fmt(f),
            EditError::Rejected(examined) => rejected(examined, f),
            EditError::NotAccepted { path, examined } => {
                write!(f, "{}: ", name(path))?;
                rejected(examined, f)
            }
            EditError::Overlap { index, at } => {
                write!(f, "segments[{index}]: another segment has another byte in the place of byte {at}")
            }
            EditError::Digest { index, error } => write!(f, "segments[{index}]: {error}"),
            EditError::Segment { index, error } => write!(f, "segments[{index}]: {}", in_words(error)),
            EditError::Output { path, error } => write!(f, "{}: {}", name(path), in_words(error)),
        }
    }
}

/// The first finding that a file is rejected for, and how many more there are.
fn rejected(examined: &Examined, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Some(found) = examined.first_must(torchproof::Stage::Data) else {
        let reason = examined.incomplete().or(examined.note());
        return f.write_str(reason.as_deref().unwrap_or("the result cannot be checked"));
    };
    if !found.path.is_empty() {
        write!(f, "{}: ", found.path)?;
    }
    write!(f, "{} (breaks {})", found.message, found.rule.id)?;
    match examined.report.must {
        0 | 1 => Ok(()),
        count => write!(f, ", and {} more", count - 1),
    }
}

impl std::error::Error for EditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            EditError::Input(error) => Some(error),
            EditError::Broken { error, .. } => Some(error),
            EditError::Write(error) => Some(error),
            EditError::Digest { error, .. } => Some(error),
            EditError::Segment { error, .. } | EditError::Output { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<InputError> for EditError {
    fn from(error: InputError) -> Self {
        EditError::Input(error)
    }
}

impl From<WriteError> for EditError {
    fn from(error: WriteError) -> Self {
        EditError::Write(error)
    }
}
