//! **The launcher**: limits a process from within, then becomes the reader.
//!
//! `torchproof __launch [--memory-mb N] [--cpu-s N] [--parent PID] [--scratch DIR] [--sandbox] -- CMD…` leaves a supervisor behind
//! where the system can have one, sets resource limits on itself, enters the [sandbox](Sandbox), in which only DIR can be written,
//! and execs CMD. So what a reader is cannot outlive its supervisor, and what it starts cannot outlive either.

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

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "__launch";

/// The exit code of a launcher that could not become the reader, as in a shell.
pub const CANNOT_START: u8 = 127;

/// What begins the launcher's stderr line when it could not become the reader.
pub(super) const COMPLAINT: &str = "torchproof-launch:";

/// The largest file a reader may write.
const MAX_FILE: u64 = 256 << 20;

/// Makes commands that start readers under limits, and in the sandbox as far as the system has one.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
    sandbox: Sandbox,
}

/// Limits this process and becomes a reader; the runner's own means of starting one.
#[derive(Debug, clap::Parser)]
pub struct Launch {
    /// Limit private writable memory in MiB
    ///
    /// Mappings of files for reading are free, and so is address space reserved and not used (JavaScript engines reserve
    /// much). A sanitizer's shadow memory is neither, so a sanitized reader needs this limit off.
    #[arg(long, value_name = "N")]
    memory_mb: Option<u64>,
    /// Limit processor time in seconds
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

impl Launcher {
    /// The launcher in the running program, which must be `torchproof`.
    ///
    /// # Errors
    /// The system does not tell where the running program is.
    pub fn current() -> io::Result<Self> {
        std::env::current_exe().map(Self::at)
    }

    /// The launcher in the `torchproof` at `program`.
    #[must_use]
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Launcher { program: program.into(), sandbox: Sandbox::offered() }
    }

    /// The `torchproof` that it is in.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The same, of readers that may do what this process may; every report gives `why`.
    #[must_use]
    pub fn without_sandbox(self, why: &str) -> Self {
        Launcher { sandbox: Sandbox::Off { why: why.to_owned() }, ..self }
    }

    /// What readers are started in.
    #[must_use]
    pub const fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// A command that starts `argv` under limits as a child of this process, and the folder for its temporary files, which has
    /// to outlive it.
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
        if self.sandbox.is_any() {
            command.arg("--sandbox");
        }
        command.arg("--").args(argv);
        Ok((command, scratch))
    }
}

impl Launch {
    /// Leaves a supervisor behind, limits this process, enters the sandbox, and becomes the reader; returns only to say why it
    /// could not. The calling program has one thread.
    #[must_use]
    pub fn run(&self) -> String {
        let Err(why) = self.become_reader();
        format!("{COMPLAINT} {why}")
    }

    fn become_reader(&self) -> Result<Infallible, String> {
        let (program, rest) = self.argv.split_first().ok_or("no command")?;
        let scratch = self.scratch.as_deref();
        let unlimited = |error: io::Error| format!("cannot set limits: {error}");
        // The supervisor, which ends as the reader ended, leaves no core either.
        lower(Resource::CORE, 0, 0).map_err(unlimited)?;
        #[cfg(target_os = "linux")]
        super::supervisor::split(self.parent, scratch).map_err(|error| {
            // If it is because the runner is gone, nobody else removes it; nothing is in it.
            let _ = scratch.map(std::fs::remove_dir);
            format!("cannot be supervised: {error}")
        })?;
        self.limit_this_process().map_err(unlimited)?;
        // The runner has found that there is one, and tells everybody that the reader is in it.
        if self.sandbox
            && let Sandbox::Off { why } = Sandbox::enter(scratch.unwrap_or(Path::new(NOWHERE)))
        {
            return Err(format!("cannot enter the sandbox, without which --no-sandbox starts it: {why}"));
        }
        let error = Command::new(program).args(rest).exec();
        Err(format!("cannot start {}: {error}", program.display()))
    }

    fn limit_this_process(&self) -> io::Result<()> {
        lower(Resource::FSIZE, MAX_FILE, MAX_FILE)?;
        if let Some(seconds) = self.cpu_s {
            // SIGXCPU at the first, SIGKILL for a reader that ignores it.
            lower(Resource::CPU, seconds, seconds.saturating_add(1))?;
        }
        if let Some(megabytes) = self.memory_mb {
            let bytes = megabytes.saturating_mul(1 << 20);
            lower(MEMORY, bytes, bytes)?;
        }
        Ok(())
    }
}

// RLIMIT_AS would count a 10 GiB sparse file that is only mapped, and V8 does not start under any useful value of it.
#[cfg(target_os = "linux")]
const MEMORY: Resource = Resource::DATA;
// Elsewhere RLIMIT_DATA does not count what malloc maps.
#[cfg(not(target_os = "linux"))]
const MEMORY: Resource = Resource::AS;

/// Sets both limits, or keeps those in force where they are tighter.
fn lower(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let (old_soft, old_hard) = rlimit::getrlimit(resource)?;
    rlimit::setrlimit(resource, soft.min(old_soft), hard.min(old_hard))
}
