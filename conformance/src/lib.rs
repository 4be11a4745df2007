//! **The `torchproof` command.**
//!
//! This library is internal to the command and its tests; every release can change any item. To use torchproof from
//! Rust, depend on the package `torchproof`.
#![allow(missing_docs, reason = "only the command and its tests use this library")]
#![deny(clippy::print_stderr, clippy::print_stdout)] // These macros panic if the stream is closed.

pub mod byte_map;
pub mod catalogue;
mod cli;
pub mod document;
mod explain;
pub mod findings;
pub mod gate;
mod generation;
mod init;
mod page;
mod parallel;
mod paths;
mod render;
pub mod report;
#[cfg(feature = "schema")]
pub mod schema;
pub mod settings;
mod vectors;

use torchproof_model::fields;

pub use cli::{main, run_command};
pub use findings::predicted::build_profile;

/// Returns what `torchproof explain` prints for these arguments.
///
/// # Errors
/// Fails if an id is unknown, or a file cannot be read.
pub fn explanation(arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    Ok(explain::ExplainOutput::of(arguments)?.text(page::Page::FILE, false))
}
