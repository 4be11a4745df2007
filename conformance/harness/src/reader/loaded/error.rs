//! Errors for files without a loaded form.

use std::error::Error;
use std::fmt::Display;

/// What was derived from files, or the reason why it could not be derived.
pub type DerivedResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

pub(super) fn absent(field: &str) -> Box<dyn Error + Send + Sync> {
    format!("`{field}` is absent").into()
}

pub(super) fn outside(field: &str, have: impl Display, bound: impl Display) -> Box<dyn Error + Send + Sync> {
    format!("`{field}`: found {have}, expected less than {bound}").into()
}
