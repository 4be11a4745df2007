//! Why no value can be derived from files.

use std::fmt;

use torchproof::Error;
use torchproof::flatbuffer::Fault;
use torchproof::layout::Uncountable;

/// Why no value can be derived from files: what is wrong with one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDerivable(pub(super) String);

impl NotDerivable {
    /// A field that is not there, and has to be.
    pub(super) fn absent(field: &str) -> Self {
        NotDerivable(format!("{field} is absent"))
    }

    /// A field whose value leads past the end of what it counts in.
    pub(super) fn outside(field: &str, have: impl fmt::Display, bound: impl fmt::Display) -> Self {
        NotDerivable(format!("{field}: {have} is outside of {bound}"))
    }
}

impl fmt::Display for NotDerivable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotDerivable {}

impl From<Error> for NotDerivable {
    fn from(error: Error) -> Self {
        NotDerivable(error.to_string())
    }
}

impl From<Fault> for NotDerivable {
    fn from(fault: Fault) -> Self {
        Error::from(fault).into()
    }
}

impl From<Uncountable> for NotDerivable {
    fn from(why: Uncountable) -> Self {
        NotDerivable(why.to_string())
    }
}
