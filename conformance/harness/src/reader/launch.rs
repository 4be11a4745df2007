//! **The launch** of a reader: restricts its own process, then executes the reader.
//!
//! The command line is `torchproof __launch [--memory-mb N] [--cpu-s N] [--parent PID] [--scratch DIR] [--cgroup DIR]
//! [--sandbox MODE] -- CMD…`. On Linux, the launcher first forks. The parent becomes the supervisor, which later ends
//! the reader's process tree. The child joins the control group, sets resource limits, enters the policy of the
//! [sandbox](super::Sandbox), where only the scratch folder is writable, and execs CMD.
//!
//! In the mode `bwrap`, the child first execs bubblewrap, which starts the launcher again inside its namespaces with
//! `--streams IN,OUT`; the second launcher enters the policy. The reader's stdin and stdout are the descriptors IN and
//! OUT: bubblewrap keeps its own standard streams open, but the runner must notice when the reader closes its stdout.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::process::Stdio;

use clap::Parser;
use rlimit::Resource;

#[cfg(target_os = "linux")]
use super::SandboxMode;
use super::launcher::COMPLAINT;
#[cfg(target_os = "linux")]
use super::launcher::SUBCOMMAND;
#[cfg(target_os = "linux")]
use super::own_command::own_command;
use super::program::cannot_start;
#[cfg(target_os = "linux")]
use super::sandbox::NOWHERE;

/// The maximum number of processes that an unprivileged user may have in bubblewrap's user namespace.
#[cfg(target_os = "linux")]
const MAX_PROCESSES: u64 = 4096;

/// The maximum size of a file that a reader writes.
const MAX_FILE: u64 = 256 << 20;

/// Limit this process and exec the reader; internal to the runner
#[derive(Debug, Parser)]
pub struct Launch {
    /// Limit private writable memory in MiB
    ///
    /// Read-only file mappings do not count, and neither does reserved but unused address space, because JavaScript engines
    /// reserve a lot of it. A sanitizer's shadow memory does count, so run a sanitized reader without this limit.
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
    /// The control group of the reader
    #[arg(long, value_name = "DIR")]
    cgroup: Option<PathBuf>,
    /// Enter the sandbox, where only the folder for temporary files is writable
    #[arg(long, value_name = "MODE", value_parser = ["bwrap", "landlock"])]
    sandbox: Option<String>,
    /// Use these descriptors as stdin and stdout; the launcher already is in the sandbox
    #[arg(long, value_name = "IN,OUT", value_delimiter = ',')]
    streams: Vec<i32>,
    /// The reader's command
    #[arg(last = true, required = true, value_name = "CMD")]
    argv: Vec<OsString>,
}

impl Launch {
    /// Parses the arguments, without the program's name. If they come from another version of the runner, the error is
    /// the launcher's error line.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        Self::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let found = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            format!("{COMPLAINT} {found}; expected arguments of this version; run again with one version of torchproof")
        })
    }

    /// Forks the supervisor, applies the limits and the sandbox, and execs the reader; returns only if there is an
    /// error. Because of the fork, the calling process must have only one thread.
    pub fn run(&self) -> String {
        let Err(why) = self.become_reader();
        format!("{COMPLAINT} {why}")
    }

    fn become_reader(&self) -> Result<Infallible, String> {
        let (program, rest) = self.argv.split_first().ok_or("found no command; expected one after `--`")?;
        let failed = |error: io::Error| cannot_start(&program.to_string_lossy(), &error);
        #[cfg(target_os = "linux")]
        if let [stdin, stdout] = self.streams[..] {
            super::supervisor::attach(stdin, stdout).map_err(failed)?;
            lower(Resource::NPROC, MAX_PROCESSES, MAX_PROCESSES).map_err(failed)?;
            self.enter_policy(SandboxMode::Bwrap)?;
            return Err(failed(Command::new(program).args(rest).exec()));
        }
        let unlimited = |error: io::Error| format!("cannot set limits: {error}");
        // Disable core files before the fork, because the supervisor dies of the same signal as the reader.
        lower(Resource::CORE, 0, 0).map_err(unlimited)?;
        #[cfg(target_os = "linux")]
        super::supervisor::split(self.parent, self.scratch.as_deref(), self.cgroup.as_deref()).map_err(|error| {
            // Once the runner has ended, no other process removes the empty folders.
            for folder in [&self.scratch, &self.cgroup].into_iter().flatten() {
                let _ = std::fs::remove_dir(folder);
            }
            format!("cannot start the supervisor: {error}")
        })?;
        if let Some(cgroup) = &self.cgroup {
            super::sandbox::join_cgroup(cgroup).map_err(|error| format!("cannot join the control group: {error}"))?;
        }
        self.limit_this_process().map_err(unlimited)?;
        #[cfg(target_os = "linux")]
        if self.sandbox.is_some() {
            super::sandbox::close_inherited();
        }
        #[cfg(target_os = "linux")]
        match self.sandbox.as_deref() {
            Some("bwrap") => return Err(format!("cannot enter the sandbox: {}", self.exec_in_bwrap())),
            Some(_) => self.enter_policy(SandboxMode::Landlock)?,
            None => {}
        }
        Err(failed(Command::new(program).args(rest).exec()))
    }

    /// Enters the policy of the sandbox. The runner reports that the reader is sandboxed, so if this fails, the reader
    /// must not start.
    #[cfg(target_os = "linux")]
    fn enter_policy(&self, mode: SandboxMode) -> Result<(), String> {
        super::sandbox::enter(mode, self.scratch.as_deref().unwrap_or(Path::new(NOWHERE)))
            .map_err(|why| format!("cannot enter the sandbox: {why}; pass --no-sandbox to run without it"))
    }

    /// Execs bubblewrap; returns only if there is an error.
    #[cfg(target_os = "linux")]
    fn exec_in_bwrap(&self) -> io::Error {
        use std::os::fd::AsRawFd;
        let exec = || -> io::Result<Infallible> {
            let streams = [rustix::io::dup(rustix::stdio::stdin())?, rustix::io::dup(rustix::stdio::stdout())?];
            let [stdin, stdout] = streams.each_ref().map(AsRawFd::as_raw_fd);
            let mut command = super::sandbox::bwrap_command(self.scratch.as_deref());
            command.args(own_command()?).arg(SUBCOMMAND).arg(format!("--streams={stdin},{stdout}"));
            if let Some(scratch) = &self.scratch {
                command.arg("--scratch").arg(scratch);
            }
            command.arg("--").args(&self.argv).stdin(Stdio::null()).stdout(Stdio::null());
            Err(command.exec())
        };
        match exec() {
            Err(error) => error,
        }
    }

    fn limit_this_process(&self) -> io::Result<()> {
        lower(Resource::FSIZE, MAX_FILE, MAX_FILE)?;
        if let Some(seconds) = self.cpu_s {
            // The soft limit sends SIGXCPU; the hard limit kills a reader that ignores it.
            lower(Resource::CPU, seconds, seconds.saturating_add(1))?;
        }
        if let Some(megabytes) = self.memory_mb {
            let bytes = megabytes.saturating_mul(1 << 20);
            lower(MEMORY, bytes, bytes)?;
        }
        Ok(())
    }
}

// On Linux, RLIMIT_AS also counts mapped files, such as a sparse 10 GiB file, and V8 reserves so much address space
// that it cannot start under a useful limit.
#[cfg(target_os = "linux")]
const MEMORY: Resource = Resource::DATA;
// Elsewhere, RLIMIT_DATA misses what malloc allocates with mmap.
#[cfg(not(target_os = "linux"))]
const MEMORY: Resource = Resource::AS;

/// Lowers the soft and the hard limit of a resource, unless they are already lower.
fn lower(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let (old_soft, old_hard) = rlimit::getrlimit(resource)?;
    rlimit::setrlimit(resource, soft.min(old_soft), hard.min(old_hard))
}
