//! Positions in a schema, and errors with a position.

use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The index in `Schema::files`.
    pub file: usize,
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Place {
    pub(super) fn error(self, message: impl Into<String>) -> SchemaError {
        SchemaError { place: self, message: message.into() }
    }
}

#[derive(Debug)]
pub(super) struct SchemaError {
    pub(super) place: Place,
    pub(super) message: String,
}

#[derive(Clone, Debug)]
pub struct SchemaFailure {
    pub path: PathBuf,
    /// The line and the column, from 1; `None` if the file cannot be read.
    pub position: Option<(usize, usize)>,
    pub message: String,
}

impl SchemaFailure {
    pub(super) fn new(files: &[PathBuf], error: SchemaError) -> Self {
        let Place { file, line, column } = error.place;
        let position = (line > 0).then_some((line, column));
        Self { path: files.get(file).cloned().unwrap_or_default(), position, message: error.message }
    }
}

impl fmt::Display for SchemaFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, position, message } = self;
        match position {
            Some((line, column)) => write!(out, "{}:{line}:{column}: {message}", path.display()),
            None => write!(out, "{}: {message}", path.display()),
        }
    }
}

impl std::error::Error for SchemaFailure {}
