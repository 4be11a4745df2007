//! **The launcher**: restricts its own process, then execs the reader.
//!
//! `torchproof __launch [--memory-mb N] [--cpu-s N] [--parent PID] [--scratch DIR] [--sandbox] -- CMD…` does four things:
//! it forks a supervisor where the system supports one, sets its resource limits, enters the [sandbox](Sandbox), in which
//! only DIR is writable, and execs CMD. The supervisor ends the reader and its whole process tree.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rlimit::Resource;
use tempfile::TempDir;

use super::Sandbox;
use super::sandbox::NOWHERE;

/// The name of the hidden subcommand.
pub const SUBCOMMAND: &str = "__launch";

/// The exit code of a launcher that could not exec the reader; a shell uses the same.
pub const CANNOT_START: u8 = 127;

/// The prefix of the launcher's error line on stderr.
pub(super) const COMPLAINT: &str = "torchproof-launch:";

/// The largest file that a reader may write.
const MAX_FILE: u64 = 256 << 20;

/// Creates commands that start readers under resource limits and in the available sandbox.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    sandbox: Sandbox,
}

/// Limit this process and exec the reader; internal to the runner
#[derive(Debug, clap::Parser)]
pub struct Launch {
    /// Limit private writable memory in MiB
    ///
    /// Read-only file mappings do not count, nor does reserved address space that is not used (JavaScript engines reserve
    /// much of it). The shadow memory of a sanitizer counts, so run a sanitized reader without this limit.
    #[arg(long, value_name = "N")]
    memory_mb: Option<u64>,
    /// Limit processor time in seconds
    #[arg(long, value_name = "N")]
    cpu_s: Option<u64>,
    /// End when this process ends
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

impl Launcher {
    /// Returns the launcher of the running program, which must be `torchproof`.
    ///
    /// # Errors
    /// Fails if the path of the running program is not available.
    pub fn current() -> io::Result<Self> {
        std::env::current_exe().map(Self::at)
    }

    /// Returns the launcher of the `torchproof` program at this path.
    #[must_use]
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Launcher { program: program.into(), sandbox: Sandbox::available() }
    }

    /// The path of its `torchproof` program.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Disables the sandbox; every report states `why`.
    #[must_use]
    pub fn without_sandbox(self, why: &str) -> Self {
        Launcher { sandbox: Sandbox::Off { why: why.to_owned() }, ..self }
    }

    /// The sandbox in which readers run.
    #[must_use]
    pub const fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Returns a command that starts `argv` under limits, and its folder for temporary files.
    ///
    /// The folder must outlive the process, which is a child of this one.
    pub(super) fn command<S: AsRef<OsStr>>(
        &self,
        argv: impl IntoIterator<Item = S>,
        memory_mb: Option<u64>,
        cpu_s: Option<u64>,
    ) -> io::Result<(Command, TempDir)> {
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
    /// Forks the supervisor, applies limits and sandbox, and execs the reader; returns only on failure, with the error.
    ///
    /// The calling program must have one thread.
    #[must_use]
    pub fn run(&self) -> String {
        let Err(why) = self.become_reader();
        format!("{COMPLAINT} {why}")
    }

    fn become_reader(&self) -> Result<Infallible, String> {
        let (program, rest) = self.argv.split_first().ok_or("found no command; expected one after `--`")?;
        let scratch = self.scratch.as_deref();
        let unlimited = |error: io::Error| format!("cannot set limits: {error}");
        // The supervisor ends with the same signal as the reader, so the supervisor must not write a core file either.
        lower(Resource::CORE, 0, 0).map_err(unlimited)?;
        #[cfg(target_os = "linux")]
        super::supervisor::split(self.parent, scratch).map_err(|error| {
            // If the runner has ended, nobody else removes the folder, which is still empty.
            let _ = scratch.map(std::fs::remove_dir);
            format!("cannot start the supervisor: {error}")
        })?;
        self.limit_this_process().map_err(unlimited)?;
        // The runner found the sandbox available and reports it, so the reader must not start without it.
        if self.sandbox
            && let Sandbox::Off { why } = Sandbox::enter(scratch.unwrap_or(Path::new(NOWHERE)))
        {
            return Err(format!("cannot enter the sandbox: {why}; pass --no-sandbox to run without it"));
        }
        let error = Command::new(program).args(rest).exec();
        Err(format!("cannot start {}: {error}", program.display()))
    }

    fn limit_this_process(&self) -> io::Result<()> {
        lower(Resource::FSIZE, MAX_FILE, MAX_FILE)?;
        if let Some(seconds) = self.cpu_s {
            // SIGXCPU at the soft limit, SIGKILL at the hard limit for a reader that ignores the signal.
            lower(Resource::CPU, seconds, seconds.saturating_add(1))?;
        }
        if let Some(megabytes) = self.memory_mb {
            let bytes = megabytes.saturating_mul(1 << 20);
            lower(MEMORY, bytes, bytes)?;
        }
        Ok(())
    }
}

// RLIMIT_AS would count a mapped 10 GiB sparse file, and V8 does not start under any useful value of it.
#[cfg(target_os = "linux")]
const MEMORY: Resource = Resource::DATA;
// On other systems RLIMIT_DATA does not count memory that malloc maps.
#[cfg(not(target_os = "linux"))]
const MEMORY: Resource = Resource::AS;

/// Lowers both limits; keeps existing limits that are lower.
fn lower(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let (old_soft, old_hard) = rlimit::getrlimit(resource)?;
    rlimit::setrlimit(resource, soft.min(old_soft), hard.min(old_hard))
}
