//! `torchproof __library`: the host process of a `lib:` reader.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::reader::{CANNOT_START, host};

/// Loads a library and runs it on the requests on stdin. Only the runner starts this.
#[derive(Debug, clap::Args)]
pub(super) struct LibraryArgs {
    /// The library
    path: PathBuf,
}

pub(super) fn run(args: &LibraryArgs) -> ExitCode {
    host(&args.path).map_or_else(|complaint| cannot_start(&complaint), |()| ExitCode::SUCCESS)
}

/// Returns the exit code that tells the runner that a reader could not start.
pub(super) fn cannot_start(complaint: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{complaint}");
    ExitCode::from(CANNOT_START)
}
