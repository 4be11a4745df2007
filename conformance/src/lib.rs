//! **The `torchproof` command.**
//!
//! This library is internal to the command and its tests; every release can change any item. To use torchproof from
//! Rust, depend on the package `torchproof`.
#![allow(missing_docs, reason = "only the command and its tests use this library")]
#![deny(clippy::print_stderr, clippy::print_stdout)] // These macros panic if the stream is closed.

mod attack;
pub mod byte_map;
pub mod catalogue;
mod cli;
pub mod corpus;
mod corpus_copy;
pub mod disk;
mod explain;
pub mod file;
pub mod findings;
pub mod gate;
mod generation;
pub mod hunt;
mod init;
mod parallel;
mod paths;
pub mod reader;
mod render;
pub mod report;
pub mod run;
pub mod runtime;
#[cfg(feature = "schema")]
pub mod schema;
pub mod settings;
mod text;

pub use cli::main;

/// The address of the published book; empty until the book is published. If the address is empty, output contains no
/// links to the book.
pub const DOCS_URL: &str = "";
