//! **The FlatBuffer layer**: bounds-checked, zero-copy tables, vectors, strings and unions over `&[u8]`.
//!
//! Nothing here trusts a byte: every access checks that what it reads lies inside the buffer, and an access that would not
//! returns a [`Fault`] saying where and why. No access reads more than it returns, so opening a file costs nothing until a
//! field is asked for.
//!
//! ```text
//!  0        4        8
//!  +--------+--------+---- … ----+----------------------+
//!  | root u | ident. |           | tables, vectors, …   |
//!  +--------+--------+---- … ----+----------------------+
//!      |                              ^
//!      +------------------------------+  root: u32, from byte 0
//!
//!  table:  i32 back to its vtable, then inline fields       vtable: u16 own length, u16 object length, u16 per slot
//!  vector: u32 count, then elements                         string: vector of bytes, then one zero byte
//!  reference: u32, forward from where it is stored, never 0
//! ```
//!
//! * [`schema`] describes tables, enums and unions; the [`pte`](crate::pte) and [`ptd`](crate::ptd) schemas are written in it.
//! * [`walk`] is the verification pass: it visits every table once per reference and tells a [`walk::Visitor`] what it finds.

#[cfg(feature = "alloc")]
pub mod build;
mod bytes;
mod fault;
pub mod schema;
mod table;
#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
#[cfg(feature = "alloc")]
pub mod tree;
pub mod walk;

pub use bytes::{i32_at, u16_at, u32_at, u64_at};
pub use fault::{Code, Fault};
pub use table::{Str, Table, Vector};

use crate::Span;

/// Bytes before the root table: the root offset and the file identifier.
pub const PREFIX_LEN: usize = 8;

/// The four identifier bytes, if the buffer holds them.
#[must_use]
pub fn identifier(buffer: &[u8]) -> Option<[u8; 4]> {
    buffer.get(4..)?.first_chunk().copied()
}

/// The table that the root offset leads to.
///
/// # Errors
///
/// [`Code::RootOutOfBounds`] when the root offset points into the prefix or past the end, else what [`Table::at`] returns.
pub fn root(buffer: &[u8]) -> Result<Table<'_>, Fault> {
    Table::at(buffer, root_position(buffer)?)
}

/// Where the root offset leads, checked to leave room for a table's first word.
pub(crate) fn root_position(buffer: &[u8]) -> Result<usize, Fault> {
    let span = Span::of(0, 4);
    let Some(offset) = u32_at(buffer, 0) else {
        return Err(Fault::new(Code::RootOutOfBounds, span, 0, buffer.len() as u64));
    };
    let position = offset as usize;
    if position < PREFIX_LEN || position.checked_add(4).is_none_or(|end| end > buffer.len()) {
        return Err(Fault::new(Code::RootOutOfBounds, span, u64::from(offset), buffer.len() as u64));
    }
    Ok(position)
}
