//! Why a specification is not packed.

use std::fmt;

use torchproof::write::WriteError;

/// What is wrong with a specification, and where: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    path: String,
    message: String,
}

impl SpecError {
    pub(super) fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// The same error of a member of `outer`.
    pub(super) fn within(self, outer: &str) -> Self {
        let path = if self.path.is_empty() { outer.to_owned() } else { format!("{outer}.{}", self.path) };
        Self { path, ..self }
    }

    /// The member, as `program.execution_plan[0].values[3].val.sizes[1]`; empty for the whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl From<WriteError> for SpecError {
    fn from(error: WriteError) -> Self {
        Self::at(error.path(), error.message())
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
