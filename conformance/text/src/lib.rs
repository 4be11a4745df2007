//! **Text from files and readers**: escaping, JSON, and counts.

pub mod ascii;
pub mod escape;
pub mod json;

use std::fmt::Display;

/// Returns the count with its noun, such as `1 case` or `3 cases`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    format!("{count} {noun}{}", if count == N::from(1) { "" } else { "s" })
}
