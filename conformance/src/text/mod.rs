//! **Text output**: escaping, sizes, tables, page layout and streamed JSON.

pub(crate) mod ascii;
pub(crate) mod escape;
pub(crate) mod hex;
pub(crate) mod json;
mod page;
pub(crate) mod size;
pub(crate) mod stream;
mod table;

use std::fmt::Display;

pub(crate) use page::Page;
pub(crate) use table::table;

/// Returns the count with its noun, such as `1 case` or `3 cases`.
pub(crate) fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    format!("{count} {noun}{}", if count == N::from(1) { "" } else { "s" })
}
