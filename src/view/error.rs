//! The error for a file that has no canonical JSON.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use crate::flatbuffer::Fault;

/// Why a file has no canonical JSON: the read error and its field.
///
/// It prints on one line, with the field, the rule, the problem and the offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    error: crate::Error,
    path: String,
}

impl ViewError {
    pub(super) fn at(error: crate::Error, path: String) -> Self {
        Self(Box::new(Inner { error, path }))
    }

    /// Converts an error of the inner file to one of the outer file. The inner file is the member `outer`, at `start`.
    pub(super) fn within(self, outer: &str, start: u64) -> Self {
        let Inner { mut error, path } = *self.0;
        error.span.offset = error.span.offset.saturating_add(start);
        let path = if path.is_empty() { outer.to_string() } else { format!("{outer}.{path}") };
        Self::at(error, path)
    }

    /// The read error.
    #[must_use]
    pub fn error(&self) -> crate::Error {
        self.0.error
    }

    /// Returns the field's path, such as `execution_plan[0].values[3].sizes`; empty if the error is about the whole
    /// file.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }
}

impl From<crate::Error> for ViewError {
    fn from(error: crate::Error) -> Self {
        Self::at(error, error.field.to_string())
    }
}

impl From<Fault> for ViewError {
    fn from(fault: Fault) -> Self {
        Self::at(fault.into(), fault.field.to_string())
    }
}

impl From<ViewError> for crate::Error {
    fn from(error: ViewError) -> Self {
        error.error()
    }
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { error, path } = &*self.0;
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        crate::Error { field: "", ..*error }.fmt(f)
    }
}

impl core::error::Error for ViewError {}
