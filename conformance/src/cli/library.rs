//! `torchproof __library`: the host of a library that is a reader.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::reader::{CANNOT_START, host};

/// Loads a library and puts to it what comes on stdin; the runner's own means of reaching one.
#[derive(Debug, clap::Args)]
pub(super) struct LibraryArgs {
    /// The library
    path: PathBuf,
}

pub(super) fn run(args: &LibraryArgs) -> ExitCode {
    host(&args.path).map_or_else(|complaint| cannot_start(&complaint), |()| ExitCode::SUCCESS)
}

/// What the runner takes for a reader that never began.
pub(super) fn cannot_start(complaint: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{complaint}");
    ExitCode::from(CANNOT_START)
}
