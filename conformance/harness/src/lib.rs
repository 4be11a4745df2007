//! **The harness**: runs readers in a sandbox, grades them on the corpus, and fuzzes them.
//!
//! This library is internal to the `torchproof` command and its tests; every release can change any item. It prints
//! nothing and renders no report.
#![allow(missing_docs, reason = "most field and method names speak for themselves; docs cover the rest")]
#![deny(clippy::print_stderr, clippy::print_stdout)] // The command owns the standard streams.

pub mod corpus;
pub mod disk;
pub mod hunt;
pub mod labeled;
pub mod reader;
pub mod run;

pub use torchproof_text as text;
