//! `torchproof __library`: the host process of a `lib:` reader.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::ExitCode;

use torchproof_harness::reader::{CANNOT_START, host};

/// Only the runner starts this subcommand, which calls a library's reader for each request on stdin.
pub(super) fn run(library: Option<&OsStr>, batch: Option<&OsStr>) -> ExitCode {
    let batch = batch.and_then(OsStr::to_str).and_then(|batch| batch.parse().ok()).unwrap_or(1);
    let library = library.ok_or_else(|| "found no library; expected a path".to_owned());
    let hosted = library.and_then(|path| host(path.as_ref(), batch));
    hosted.map_or_else(|complaint| cannot_start(&complaint), |()| ExitCode::SUCCESS)
}

pub(super) fn cannot_start(complaint: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{complaint}");
    ExitCode::from(CANNOT_START)
}
