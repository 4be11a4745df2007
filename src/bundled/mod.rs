//! **The bundled program**, `.bpte`: a program with inputs and expected outputs for its methods.
//!
//! ```text
//!   0         4       8
//!   +---------+-------+-- … --+------------------------------+-- … --+
//!   | root u32| BP08  | tables| program: a whole .pte file   | tables|
//!   +---------+-------+-- … --+------------------------------+-- … --+
//! ```
//!
//! The file is one FlatBuffer, without a header or segments of its own. It contains the program as a byte vector whose
//! position is a multiple of 32. Offsets in the program are relative to its first byte.
//!
//! * [`schema`] declares the tables.
//! * [`Bundled`] opens a file and its program.
#![cfg_attr(feature = "alloc", doc = "* [`plan`] plans a file.")]

mod read;
pub mod schema;
#[cfg(feature = "alloc")]
mod write;

pub use read::Bundled;
#[cfg(feature = "alloc")]
pub use write::plan;

/// The FlatBuffer identifier of a bundled program, in bytes 4 to 7 of the file.
pub const IDENTIFIER: [u8; 4] = *b"BP08";
