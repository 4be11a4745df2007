//! **The fields of a file** as text and lists, including absent and broken fields.

pub(crate) mod operators;
pub(crate) mod vector;
pub(crate) mod words;
