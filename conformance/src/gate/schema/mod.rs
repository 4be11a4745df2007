//! **The comparison of two FlatBuffers schemas**: what each difference breaks, and why.

mod compare;
mod difference;
mod load;
mod model;
mod parse;
mod report;
mod resolve;
mod tables;
mod token;
mod types;
mod values;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;

pub use compare::compare;
pub use difference::{Breaks, Difference, DifferenceKind};
pub use model::{Place, Schema};
pub use report::{PlacedDifference, Position, SchemaComparison};

/// An error in a schema, with its place.
#[derive(Debug)]
struct SchemaError {
    place: Place,
    message: String,
}

/// The reason why a schema cannot be compared.
#[derive(Clone, Debug)]
pub struct SchemaFailure {
    /// The file with the error.
    pub path: PathBuf,
    /// The line and the column, from 1, or `None` if the file cannot be read.
    pub position: Option<(usize, usize)>,
    /// The error.
    pub message: String,
}

impl SchemaFailure {
    fn new(files: &[PathBuf], error: SchemaError) -> Self {
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
