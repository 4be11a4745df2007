//! Errors for files without a loaded form.

use std::error::Error;
use std::fmt::Display;

/// A value that is derived from files, or the error that prevents the derivation.
pub type DerivedResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Creates the error for an absent required field.
pub(super) fn absent(field: &str) -> Box<dyn Error + Send + Sync> {
    format!("`{field}` is absent").into()
}

/// Creates the error for a value outside its range.
pub(super) fn outside(field: &str, have: impl Display, bound: impl Display) -> Box<dyn Error + Send + Sync> {
    format!("`{field}`: found {have}, expected less than {bound}").into()
}
