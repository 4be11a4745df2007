//! `torchproof __library`: the host process of a `lib:` reader.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::reader::{CANNOT_START, host};

/// Loads a shared library, and calls its reader for each request on stdin. Only the runner starts this subcommand.
#[derive(Debug, clap::Args)]
pub(super) struct LibraryArgs {
    /// The library
    path: PathBuf,
}

pub(super) fn run(args: &LibraryArgs) -> ExitCode {
    host(&args.path).map_or_else(|complaint| cannot_start(&complaint), |()| ExitCode::SUCCESS)
}

/// Prints `complaint` to stderr, and returns the exit code for a reader that could not start.
pub(super) fn cannot_start(complaint: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{complaint}");
    ExitCode::from(CANNOT_START)
}
