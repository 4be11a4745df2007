//! **The launcher**: restricts its own process, then execs the reader.
//!
//! The command line of the launcher is `torchproof __launch [--memory-mb N] [--cpu-s N] [--parent PID] [--scratch DIR]
//! [--sandbox] -- CMD…`. On Linux, the launcher first forks. The parent becomes the supervisor, which later ends the
//! reader's process tree. The child then sets resource limits, enters the [sandbox](Sandbox) with DIR as the only
//! writable folder, and execs CMD.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rlimit::Resource;
use tempfile::TempDir;

use super::sandbox::NOWHERE;
use super::{ExitCodes, Sandbox};
use crate::disk::io_error::in_words;

/// The name of the hidden subcommand.
pub const SUBCOMMAND: &str = "__launch";

/// The exit code of a launcher that could not exec the reader, as in a shell.
pub const CANNOT_START: u8 = 127;

/// The prefix of the launcher's error line on stderr.
pub(super) const COMPLAINT: &str = "torchproof-launch:";

/// The limit on the size of files that a reader writes.
const MAX_FILE: u64 = 256 << 20;

/// Creates commands that start readers with resource limits and in the sandbox.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    sandbox: Sandbox,
    exit_codes: ExitCodes,
    /// Whether all readers run without a memory limit.
    sanitized: bool,
}

/// Limit this process and exec the reader; internal to the runner
#[derive(Debug, clap::Parser)]
pub struct Launch {
    /// Limit private writable memory in MiB
    ///
    /// Read-only file mappings do not count. Address space that a reader only reserves does not count either, because
    /// JavaScript engines reserve much address space. The shadow memory of a sanitizer counts, so run a sanitized
    /// reader without this limit.
    #[arg(long, value_name = "N")]
    memory_mb: Option<u64>,
    /// Limit processor time in seconds
    #[arg(long, value_name = "N")]
    cpu_s: Option<u64>,
    /// End when the process with this id ends
    #[arg(long, value_name = "PID")]
    parent: Option<u32>,
    /// The folder for temporary files; removed if the parent process ends first
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Enter the sandbox, in which only the folder for temporary files is writable
    #[arg(long)]
    sandbox: bool,
    /// The command of the reader
    #[arg(last = true, required = true, value_name = "CMD")]
    argv: Vec<OsString>,
}

/// The message for a program that cannot be started.
pub(super) fn cannot_start(program: &str, error: &io::Error) -> String {
    let fault = match error.kind() {
        io::ErrorKind::NotFound => "no such program; check the path or install it".to_owned(),
        _ => in_words(error),
    };
    format!("cannot start {program}: {fault}")
}

/// Returns the path of a program. A name without a slash is searched for in the folders of `PATH`.
pub(super) fn find_program(program: &str) -> Option<PathBuf> {
    let executable = |path: &PathBuf| path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(executable);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(executable)
}

impl Launcher {
    /// Returns a launcher that uses the running program. The running program must be `torchproof`.
    ///
    /// # Errors
    /// Fails if the path of the running program is not available.
    pub fn current() -> io::Result<Self> {
        std::env::current_exe().map(Self::at)
    }

    /// Returns a launcher that uses the `torchproof` program at this path.
    #[must_use]
    pub fn at(program: impl Into<PathBuf>) -> Self {
        let (sandbox, exit_codes) = (Sandbox::available(), ExitCodes::default());
        Launcher { program: program.into(), sandbox, exit_codes, sanitized: false }
    }

    /// The path of the `torchproof` program.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Disables the sandbox; every report states the reason `why`.
    #[must_use]
    pub fn without_sandbox(self, why: &str) -> Self {
        Launcher { sandbox: Sandbox::Off { why: why.to_owned() }, ..self }
    }

    /// Sets the exit codes of `once:` readers.
    #[must_use]
    pub fn with_exit_codes(self, exit_codes: ExitCodes) -> Self {
        Launcher { exit_codes, ..self }
    }

    /// Runs all readers without a memory limit, as sanitized readers need.
    #[must_use]
    pub fn without_memory_limit(self) -> Self {
        Launcher { sanitized: true, ..self }
    }

    /// The exit codes of `once:` readers.
    pub(super) const fn exit_codes(&self) -> &ExitCodes {
        &self.exit_codes
    }

    /// Returns whether all readers run without a memory limit.
    pub(super) const fn is_without_memory_limit(&self) -> bool {
        self.sanitized
    }

    /// The sandbox in which readers run.
    #[must_use]
    pub const fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Returns the command that starts `argv` with limits, and the folder for temporary files of the process.
    ///
    /// The caller must start the command as a child of this process, and keep the folder until the child has ended.
    pub(super) fn command<S: AsRef<OsStr>>(
        &self,
        argv: impl IntoIterator<Item = S>,
        memory_mb: Option<u64>,
        cpu_s: Option<u64>,
    ) -> io::Result<(Command, TempDir)> {
        let memory_mb = memory_mb.filter(|_| !self.sanitized);
        let mut command = Command::new(&self.program);
        command.arg(SUBCOMMAND);
        let parent = Some(std::process::id().into());
        for (flag, limit) in [("--memory-mb", memory_mb), ("--cpu-s", cpu_s), ("--parent", parent)] {
            if let Some(limit) = limit {
                command.arg(flag).arg(limit.to_string());
            }
        }
        let scratch = tempfile::Builder::new().prefix("torchproof-reader-").tempdir()?;
        command.env("TMPDIR", scratch.path()).arg("--scratch").arg(scratch.path());
        if self.sandbox.is_active() {
            command.arg("--sandbox");
        }
        command.arg("--").args(argv);
        Ok((command, scratch))
    }
}

impl Launch {
    /// Forks the supervisor, applies limits and sandbox, and execs the reader; if this fails, returns the error.
    ///
    /// The calling process must have only one thread, because the function forks.
    #[must_use]
    pub fn run(&self) -> String {
        let Err(why) = self.become_reader();
        format!("{COMPLAINT} {why}")
    }

    fn become_reader(&self) -> Result<Infallible, String> {
        let (program, rest) = self.argv.split_first().ok_or("found no command; expected one after `--`")?;
        let scratch = self.scratch.as_deref();
        let unlimited = |error: io::Error| format!("cannot set limits: {error}");
        // Disable core files before the fork, because the supervisor ends itself with the reader's signal and neither
        // process may write a core file.
        lower(Resource::CORE, 0, 0).map_err(unlimited)?;
        #[cfg(target_os = "linux")]
        super::supervisor::split(self.parent, scratch).map_err(|error| {
            // If the runner has ended, no other process removes the folder, so remove the empty folder here.
            let _ = scratch.map(std::fs::remove_dir);
            format!("cannot start the supervisor: {error}")
        })?;
        self.limit_this_process().map_err(unlimited)?;
        // The runner reports that the reader is sandboxed, so the reader must not start without the sandbox.
        if self.sandbox
            && let Sandbox::Off { why } = Sandbox::enter(scratch.unwrap_or(Path::new(NOWHERE)))
        {
            return Err(format!("cannot enter the sandbox: {why}; pass --no-sandbox to run without it"));
        }
        let error = Command::new(program).args(rest).exec();
        Err(cannot_start(&program.to_string_lossy(), &error))
    }

    fn limit_this_process(&self) -> io::Result<()> {
        lower(Resource::FSIZE, MAX_FILE, MAX_FILE)?;
        if let Some(seconds) = self.cpu_s {
            // The soft limit sends SIGXCPU; the hard limit kills a reader that ignores this signal.
            lower(Resource::CPU, seconds, seconds.saturating_add(1))?;
        }
        if let Some(megabytes) = self.memory_mb {
            let bytes = megabytes.saturating_mul(1 << 20);
            lower(MEMORY, bytes, bytes)?;
        }
        Ok(())
    }
}

// Do not use RLIMIT_AS on Linux. RLIMIT_AS also counts mapped files, such as a sparse file of 10 GiB. V8 reserves so
// much address space that V8 does not start under a useful RLIMIT_AS.
#[cfg(target_os = "linux")]
const MEMORY: Resource = Resource::DATA;
// On other systems, RLIMIT_DATA does not count memory that malloc allocates with mmap.
#[cfg(not(target_os = "linux"))]
const MEMORY: Resource = Resource::AS;

/// Lowers the soft and the hard limit of a resource; does not raise a limit that is already lower.
fn lower(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let (old_soft, old_hard) = rlimit::getrlimit(resource)?;
    rlimit::setrlimit(resource, soft.min(old_soft), hard.min(old_hard))
}
