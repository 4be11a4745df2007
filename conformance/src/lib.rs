//! **The `torchproof` command.**
//!
//! This library is internal: the command and its tests use it, and any release may change any item. The package `torchproof` is
//! the library to use from Rust.
#![deny(clippy::print_stderr, clippy::print_stdout)] // These macros panic if the stream is closed.

mod attack;
pub mod byte_map;
mod cli;
pub mod corpus;
mod corpus_copy;
pub mod disk;
mod explain;
pub mod file;
pub mod findings;
mod generation;
pub mod hunt;
pub mod reader;
pub mod report;
pub mod run;
mod sarif;
#[cfg(feature = "schema")]
pub mod schema;
mod text;

pub use cli::main;

/// The address of the published book; empty while it is not published. Output has links to the book only if this is set.
pub const DOCS_URL: &str = "";
