//! Why nothing can be derived from files.

use std::error::Error;
use std::fmt::Display;

/// What could be derived from files, or what is wrong with one of them.
pub type Derived<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A field that is absent, and must not be.
pub(super) fn absent(field: &str) -> Box<dyn Error + Send + Sync> {
    format!("{field} is absent").into()
}

/// A field whose value leads past the end of what it counts in.
pub(super) fn outside(field: &str, have: impl Display, bound: impl Display) -> Box<dyn Error + Send + Sync> {
    format!("{field}: {have} is outside of {bound}").into()
}
