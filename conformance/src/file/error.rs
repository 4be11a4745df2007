//! Why a file is not made, changed or written.

use std::io;
use std::path::{Path, PathBuf};

use torchproof::write::WriteError;
use torchproof::{ErrorCode, view};

use super::WrongDigest;
use crate::disk::input::InputError;
use crate::disk::io_error::in_words;
use crate::findings::Examined;
use crate::text::escape::plain_name;

/// Why a file cannot be opened, changed or written, in one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file has a field of a newer schema, which a change would lose.
    #[error("{}: table {table} has a field in slot {slot}, which is of a newer schema and would be lost", name(.path))]
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The table's name.
        table: &'static str,
        /// The unknown slot of its vtable.
        slot: u16,
    },
    /// The file to be written is the one that is read.
    #[error("{}: is the file that is read; write to another one", name(.path))]
    SamePlace {
        /// The file.
        path: PathBuf,
    },
    /// The file's tables are broken.
    #[error("{}: {error}", name(.path))]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is broken.
        error: view::ViewError,
    },
    /// The file is of a kind that cannot be changed.
    #[error("{}: is {what}, which cannot be changed", name(.path))]
    NotEdited {
        /// The file.
        path: PathBuf,
        /// The kind.
        what: &'static str,
    },
    /// The file breaks a must-rule, or cannot be checked to the end.
    #[error("{}: {}", name(.path), rejected(.examined))]
    NotAccepted {
        /// The file.
        path: PathBuf,
        /// The findings.
        examined: Box<Examined>,
    },
    /// The new file would break a must-rule, or cannot be checked to the end.
    #[error("{}", rejected(.0))]
    Rejected(Box<Examined>),
    /// The tables or the layout cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Another segment of a raw file is written over a segment, and has other bytes.
    #[error("segments[{index}]: another segment has another byte in the place of byte {at}")]
    Overlap {
        /// The segment.
        index: usize,
        /// The first of its bytes that is lost.
        at: u64,
    },
    /// A segment has another SHA-256 than the one given for it.
    #[error("segments[{index}]: {error}")]
    Digest {
        /// The segment.
        index: usize,
        /// Both digests.
        error: WrongDigest,
    },
    /// The bytes of a segment cannot be read.
    #[error("segments[{index}]: {}", in_words(.error))]
    Segment {
        /// The segment.
        index: usize,
        /// Why.
        error: io::Error,
    },
    /// The new file cannot be written.
    #[error("{}: {}", name(.path), in_words(.error))]
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

fn name(path: &Path) -> String {
    plain_name(&path.to_string_lossy())
}

/// The first finding that a file is rejected for, and how many more there are.
fn rejected(examined: &Examined) -> String {
    let Some(found) = examined.first_must(torchproof::Stage::Data) else {
        let reason = examined.incomplete().or(examined.note());
        return reason.unwrap_or_else(|| "the result cannot be checked".to_owned());
    };
    let place = if found.path.is_empty() { String::new() } else { format!("{}: ", found.path) };
    let more = match examined.report.must {
        0 | 1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    format!("{place}{} (breaks {}){more}", found.message, found.rule.id)
}
