//! **Answers about a model**: whether it is valid, what a build needs to load it, what is in it, and what changed.
//!
//! Everything here takes bytes, or a source that reads ranges, and returns values that serialize to the JSON that the
//! command prints. This library is internal to the `torchproof` command, the Python package and the web page; every release
//! can change any item. It uses no files, processes or standard streams.
#![allow(missing_docs, reason = "only the command and the bindings use this library")]
#![deny(clippy::print_stderr, clippy::print_stdout)] // The callers own the standard streams.

pub mod check;
pub mod diff;
pub mod fields;
mod file;
pub mod html;
pub mod inspect;
pub mod needs;
pub mod size;

pub use check::check;
pub use diff::diff;
pub use file::ModelFile;
pub use inspect::{brief, inspect};
pub use needs::needs;
