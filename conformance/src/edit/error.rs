//! Why a file is not edited.

use std::fmt;
use std::io;
use std::path::PathBuf;

use torchproof::flatbuffer::build::BuildError;
use torchproof::view;
use torchproof::write::WriteError;

use super::{MoveError, Overlap, WrongDigest};
use crate::escape::plain_name;
use crate::findings::Examined;
use crate::input::InputError;
use crate::io_error::in_words;

/// Why a file cannot be opened to be edited, changed, or written: one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum EditError {
    /// The file cannot be read.
    Input(InputError),
    /// The file holds something of a newer schema, which a change of anything else would lose.
    NewerSchema {
        /// The file.
        path: PathBuf,
        /// The table's name.
        table: &'static str,
        /// The slot of its vtable, past those that are known.
        slot: u16,
    },
    /// Two files are to be in one place, or one in the place of what the other is made of.
    SamePlace {
        /// The place.
        path: PathBuf,
    },
    /// The data file that is to be replaced has what the program is still loaded with.
    StillNeeded {
        /// The file.
        path: PathBuf,
        /// The name of a tensor in it.
        key: String,
    },
    /// The file's tables are broken.
    Broken {
        /// The file.
        path: PathBuf,
        /// How.
        error: view::Error,
    },
    /// The file is of a kind that is not edited.
    NotEdited {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A data file of the older layout has no named data that its readers would find.
    OlderLayout,
    /// The constants cannot be moved.
    Move(MoveError),
    /// An alignment is not a power of two.
    Alignment {
        /// The alignment.
        given: u64,
    },
    /// What is to be written cannot be.
    Write(WriteError),
    /// What is to be written breaks rules that files are rejected for, or cannot be checked to the end.
    Rejected(Box<Examined>),
    /// The file to be edited breaks such rules.
    NotAccepted {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        examined: Box<Examined>,
    },
    /// Segments would be in the same place.
    Overlap(Overlap),
    /// The bytes of a segment can be read, and are not those that they must be: what says so is wrong, or what they come from.
    Digest {
        /// The segment.
        index: usize,
        /// What they are, and what they must be.
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
        /// Where it was to be.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &PathBuf| plain_name(&path.to_string_lossy());
        match self {
            EditError::Input(error) => error.fmt(f),
            EditError::Broken { path, error } => write!(f, "{}: {error}", name(path)),
            EditError::NotEdited { path, what } => write!(f, "{}: is {what}, which is not edited", name(path)),
            EditError::NewerSchema { path, table, slot } => write!(
                f,
                "{}: table {table} has a field in slot {slot}, which is of a newer schema and would be lost",
                name(path)
            ),
            EditError::SamePlace { path } => {
                write!(f, "{}: is to be two files at once, and one of them would be lost", name(path))
            }
            EditError::StillNeeded { path, key } => {
                write!(f, "{}: has the tensor `{}`, which the program still needs", name(path), key.escape_debug())
            }
            EditError::OlderLayout => f.write_str(
                "a data file of the older layout is not changed: its readers find tensors in it, and no named data",
            ),
            EditError::Move(error) => error.fmt(f),
            EditError::Alignment { given } => write!(f, "alignment {given} is not a power of two"),
            EditError::Write(error) => error.fmt(f),
            EditError::Rejected(examined) => rejected(examined, f),
            EditError::NotAccepted { path, examined } => {
                write!(f, "{}: ", name(path))?;
                rejected(examined, f)
            }
            EditError::Overlap(error) => write!(f, "segments[{}]: {error}", error.segment()),
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
            EditError::Move(error) => Some(error),
            EditError::Write(error) => Some(error),
            EditError::Overlap(error) => Some(error),
            EditError::Digest { error, .. } => Some(error),
            EditError::Segment { error, .. } | EditError::Output { error, .. } => Some(error),
            EditError::NewerSchema { .. }
            | EditError::SamePlace { .. }
            | EditError::StillNeeded { .. }
            | EditError::NotEdited { .. }
            | EditError::OlderLayout
            | EditError::Alignment { .. }
            | EditError::Rejected(_)
            | EditError::NotAccepted { .. } => None,
        }
    }
}

impl EditError {
    /// Why the bytes of a segment are not to be had, when reading them failed with `error`.
    pub(crate) fn in_segment(index: usize, error: io::Error) -> Self {
        match error.downcast() {
            Ok(error) => EditError::Digest { index, error },
            Err(error) => EditError::Segment { index, error },
        }
    }
}

impl From<InputError> for EditError {
    fn from(error: InputError) -> Self {
        EditError::Input(error)
    }
}

impl From<MoveError> for EditError {
    fn from(error: MoveError) -> Self {
        EditError::Move(error)
    }
}

impl From<Overlap> for EditError {
    fn from(error: Overlap) -> Self {
        EditError::Overlap(error)
    }
}

impl From<WriteError> for EditError {
    fn from(error: WriteError) -> Self {
        EditError::Write(error)
    }
}

impl From<BuildError> for EditError {
    fn from(error: BuildError) -> Self {
        EditError::Write(WriteError::Build(error))
    }
}
