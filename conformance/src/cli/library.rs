//! `torchproof __library`: the host process of a `lib:` reader.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::reader::{CANNOT_START, host};

/// Loads a shared library, and calls its reader for each request on stdin. Only the runner starts this subcommand.
pub(super) fn run(library: Option<&OsStr>) -> ExitCode {
    let hosted =
        library.ok_or_else(|| "found no library; expected a path".to_owned()).and_then(|path| host(path.as_ref()));
    hosted.map_or_else(|complaint| cannot_start(&complaint), |()| ExitCode::SUCCESS)
}

/// Prints `complaint` to stderr, and returns the exit code for a reader that could not start.
pub(super) fn cannot_start(complaint: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{complaint}");
    ExitCode::from(CANNOT_START)
}
