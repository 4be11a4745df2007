//! **Puts readers of ExecuTorch files through the torchproof corpus.**
#![deny(clippy::print_stderr, clippy::print_stdout)] // They panic where nobody listens.

pub mod attack;
pub mod byte_map;
pub mod corpus;
pub mod corpus_copy;
pub mod disk;
pub mod explain;
pub mod file;
pub mod findings;
pub mod generation;
pub mod hunt;
pub mod reader;
pub mod report;
pub mod run;
mod sarif;
#[cfg(feature = "schema")]
pub mod schema;
pub mod text;
