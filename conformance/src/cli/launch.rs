//! `torchproof __launch`: leaves a supervisor behind, limits itself, then becomes a reader.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::reader::{CANNOT_START, Limits, launch};

/// Limits this process and becomes a reader; the runner's own means of starting one.
#[derive(Debug, clap::Parser)]
pub(super) struct LaunchArgs {
    /// Limit private writable memory
    #[arg(long, value_name = "N")]
    memory_mb: Option<u64>,
    /// Limit processor time
    #[arg(long, value_name = "N")]
    cpu_s: Option<u64>,
    /// Die with this process
    #[arg(long, value_name = "PID")]
    parent: Option<u32>,
    /// The folder for its temporary files, which goes when this process finds its parent gone
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Enter the sandbox, in which only the folder for temporary files can be written
    #[arg(long)]
    sandbox: bool,
    /// The reader
    #[arg(last = true, required = true, value_name = "CMD")]
    argv: Vec<OsString>,
}

pub(super) fn run(args: &LaunchArgs) -> ExitCode {
    let limits = Limits { memory_mb: args.memory_mb, cpu_s: args.cpu_s, parent: args.parent };
    let complaint = launch(&args.argv, limits, args.scratch.as_deref(), args.sandbox);
    let _ = writeln!(io::stderr(), "{complaint}");
    ExitCode::from(CANNOT_START)
}
