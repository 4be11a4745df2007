//! **The launcher**: limits a process from within, then becomes the reader.
//!
//! `torchproof __launch [--memory-mb N] [--cpu-s N] [--parent PID] [--scratch DIR] [--sandbox] -- CMD…` leaves a supervisor behind
//! where the system can have one, sets resource limits on itself, enters the [sandbox](Sandbox), in which only DIR can be written,
//! and execs CMD. So what a reader is cannot outlive its supervisor, and what it starts cannot outlive either.

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

/// What a process may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Its heap, stacks and other private writable memory, in MiB; unlimited without.
    ///
    /// Mappings of files for reading are free, and so is address space reserved and not used (JavaScript engines reserve
    /// much). A sanitizer's shadow memory is neither, so a sanitized reader needs this limit off.
    pub memory_mb: Option<u64>,
    /// Processor time in seconds; unlimited without.
    pub cpu_s: Option<u64>,
    /// The process that starts it, whose death is also its own, where the system can do that.
    pub parent: Option<u32>,
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

/// Leaves a supervisor behind, limits this process, enters the sandbox if `sandboxed`, in which only the folder `scratch` can be
/// written, and becomes `argv`; returns only to say why it could not. The calling program has one thread.
#[must_use]
pub fn launch(argv: &[OsString], limits: Limits, scratch: Option<&Path>, sandboxed: bool) -> String {
    let Some((program, rest)) = argv.split_first() else { return format!("{COMPLAINT} no command") };
    // The supervisor, which ends as the reader ended, leaves no core either.
    if let Err(error) = lower(Resource::CORE, 0, 0) {
        return format!("{COMPLAINT} cannot set limits: {error}");
    }
    #[cfg(target_os = "linux")]
    if let Err(error) = super::supervisor::split(limits.parent, scratch) {
        // If it is because the runner is gone, nobody else removes it; nothing is in it.
        let _ = scratch.map(std::fs::remove_dir);
        return format!("{COMPLAINT} cannot be supervised: {error}");
    }
    if let Err(error) = limit_this_process(limits) {
        return format!("{COMPLAINT} cannot set limits: {error}");
    }
    // The runner has found that there is one, and tells everybody that the reader is in it.
    if sandboxed && let Sandbox::Off { why } = Sandbox::enter(scratch.unwrap_or(Path::new(NOWHERE))) {
        return format!("{COMPLAINT} cannot enter the sandbox, without which --no-sandbox starts it: {why}");
    }
    let error = Command::new(program).args(rest).exec();
    format!("{COMPLAINT} cannot start {}: {error}", program.display())
}

fn limit_this_process(limits: Limits) -> io::Result<()> {
    lower(Resource::FSIZE, MAX_FILE, MAX_FILE)?;
    if let Some(seconds) = limits.cpu_s {
        // SIGXCPU at the first, SIGKILL for a reader that ignores it.
        lower(Resource::CPU, seconds, seconds.saturating_add(1))?;
    }
    if let Some(megabytes) = limits.memory_mb {
        let bytes = megabytes.saturating_mul(1 << 20);
        lower(MEMORY, bytes, bytes)?;
    }
    Ok(())
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
