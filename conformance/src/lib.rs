//! **Puts readers of ExecuTorch files through the torchproof corpus.**
#![deny(clippy::print_stderr, clippy::print_stdout)] // They panic where nobody listens.

pub mod adequacy;
pub mod attack;
pub mod byte_map;
pub mod catalogue;
pub mod compare;
pub mod corpus;
pub mod corpus_build;
pub mod corpus_copy;
pub mod delivery;
pub mod escape;
pub mod explain;
pub mod file;
pub mod findings;
pub mod generation;
pub mod grade;
pub mod hunt;
pub mod input;
pub mod io_error;
pub mod known;
pub mod loaded;
pub mod outcome;
pub mod protocol;
pub mod reader;
pub mod reader_session;
pub mod record;
pub mod report;
pub mod run;
mod sarif;
#[cfg(feature = "schema")]
pub mod schema;
mod scratch_dir;
pub mod selftest;
pub mod shrink;
pub mod signature;
pub mod size;
