//! **The fields of a file** as text and lists, including absent and broken fields.

pub mod operators;
pub mod vector;
pub mod words;
