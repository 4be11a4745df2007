//! Errors from packing a specification.

use std::fmt;

use torchproof::write::WriteError;
use torchproof_harness::disk::io_error::read_fault;

use crate::document::EditError;

/// An error that displays as one line with the path of the faulty member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The path, such as `program.execution_plan[3].values[1]`; empty if the error concerns the whole specification.
    path: String,
    message: String,
}

impl SpecError {
    pub(super) fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    pub(super) fn within(self, outer: &str) -> Self {
        let path = if self.path.is_empty() { outer.to_owned() } else { format!("{outer}.{}", self.path) };
        Self { path, ..self }
    }
}

impl From<WriteError> for SpecError {
    fn from(error: WriteError) -> Self {
        Self::at(error.path(), error.message())
    }
}

impl From<EditError> for SpecError {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Write(error) if error.path() == "header" => error.into(),
            EditError::Digest { index, error } => Self::at(format!("segments[{index}]"), error.to_string()),
            EditError::Segment { index, error } => Self::at(format!("segments[{index}]"), read_fault(&error)),
            _ => Self::at("", error.to_string()),
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for SpecError {}
