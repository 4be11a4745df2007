//! Why constants are not moved.

use std::fmt;

use torchproof::layout::Uncountable;

/// Why constants cannot be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveError {
    /// The file that should be a program is a data file.
    NotAProgram,
    /// The file that should be a data file is a program.
    NotData,
    /// No data file has the tensor.
    NotFound {
        /// Its name.
        key: String,
    },
    /// The program, or another data file, has a blob under the key.
    KeyTaken {
        /// The key.
        key: String,
    },
    /// A tensor's bytes cannot be counted.
    Uncountable(Uncountable),
    /// A tensor's bytes are not where it says.
    OutOfRange {
        /// Its place.
        path: String,
    },
    /// There are constants inside the FlatBuffer, and there can be none in a segment beside them.
    Inline,
    /// Something else has the segment of constants too.
    SharedSegment,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::NotAProgram => f.write_str("is not a program"),
            MoveError::NotData => f.write_str("is not a data file"),
            MoveError::NotFound { key } => write!(f, "no data file has the tensor `{}`", key.escape_debug()),
            MoveError::KeyTaken { key } => {
                write!(f, "two blobs have the key `{}`, and the program takes one", key.escape_debug())
            }
            MoveError::Uncountable(error) => error.fmt(f),
            MoveError::OutOfRange { path } => write!(f, "{path}: the bytes are not in the file"),
            MoveError::Inline => f.write_str("has constants inside the FlatBuffer, which takes no others beside them"),
            MoveError::SharedSegment => f.write_str("has something else in the segment of its constants"),
        }
    }
}

impl std::error::Error for MoveError {}
