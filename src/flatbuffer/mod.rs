//! **The FlatBuffer layer**: bounds-checked, zero-copy tables, vectors, strings and unions over `&[u8]`.
//!
//! An access that fails returns a [`Fault`], which says where and why. Opening a table reads no fields, and each access
//! reads only the requested value.
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
//!  vector: u32 count, then elements                         string: vector of bytes, then a NUL terminator
//!  uoffset: u32, forward from its own position, never 0
//! ```
//!
//! * [`schema`] describes tables, enums and unions, and has the macros that declare the schemas in [`pte`](crate::pte)
//!   and [`ptd`](crate::ptd).
//! * [`verify`] checks every table, vector and string of a FlatBuffer.

#[cfg(feature = "alloc")]
pub(crate) mod build;
mod bytes;
mod fault;
mod root;
pub mod schema;
mod table;
#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
#[cfg(feature = "alloc")]
pub mod tree;
mod vector;
mod verify;
pub(crate) mod walk;

#[cfg(feature = "alloc")]
pub use build::encode;
#[cfg(any(feature = "attack", feature = "corpus"))]
pub(crate) use bytes::i32_at;
pub(crate) use bytes::{u16_at, u32_at, u64_at};
pub(crate) use fault::Broken;
pub use fault::{Code, Fault};
#[cfg(feature = "alloc")]
pub(crate) use root::PREFIX_LEN;
pub use root::identifier;
#[cfg(all(test, feature = "std"))]
pub(crate) use table::OPENED;
pub use table::{Str, Table};
pub use vector::Vector;
pub use verify::{VerifyStats, verify};
