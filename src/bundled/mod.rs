//! **The bundled program**, `.bpte`: a program, and what its methods give for what inputs.
//!
//! ```text
//!   0         4       8
//!   +---------+-------+-- … --+------------------------------+-- … --+
//!   | root u32| BP08  | tables| program: a whole .pte file   | tables|
//!   +---------+-------+-- … --+------------------------------+-- … --+
//! ```
//!
//! The file is one FlatBuffer, without a header and without segments of its own. The program stands in it as a vector of bytes,
//! at a multiple of 32; every offset in the program counts from its own first byte.
//!
//! * [`schema`] declares the tables.
//! * [`Bundled`] opens a file and gives the program in it.
#![cfg_attr(feature = "alloc", doc = "* [`plan`] makes a file.")]

mod read;
pub mod schema;
#[cfg(feature = "alloc")]
mod write;

pub use read::Bundled;
#[cfg(feature = "alloc")]
pub use write::plan;

/// The FlatBuffer identifier, bytes 4 to 7.
pub const IDENTIFIER: [u8; 4] = *b"BP08";
