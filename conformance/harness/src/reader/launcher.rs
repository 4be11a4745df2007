//! **The launcher** creates the commands that start readers: `torchproof __launch … -- CMD…`. [`Launch`](super::Launch)
//! is the other side.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::crash::symbols::Naming;
use super::own_command::own_command;
use super::sandbox::Cgroup;
use super::{ExitCodes, Sandbox};
use crate::text::escape::plain_name;

pub const SUBCOMMAND: &str = "__launch";

/// The exit code of a launcher that could not exec the reader, as in a shell.
pub const CANNOT_START: u8 = 127;

pub(super) const COMPLAINT: &str = "torchproof-launch:";

/// Creates commands that start readers with resource limits and in the sandbox.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The words of the command that starts `torchproof`; see [`set_own_command`](super::set_own_command).
    own: Vec<OsString>,
    sandbox: Sandbox,
    exit_codes: ExitCodes,
    /// `true` if all readers run without a memory limit.
    sanitized: bool,
    /// Environment variables to pass to readers, besides the usual ones.
    env: BTreeSet<String>,
    naming: Naming,
}

/// The variables with sanitizer options. If a program has both sanitizers, the UBSan runtime reads both.
const SANITIZER_OPTIONS: [&str; 2] = ["ASAN_OPTIONS", "UBSAN_OPTIONS"];

/// The resources of a reader process. They are removed after the process has ended.
#[derive(Debug)]
pub(super) struct Resources {
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has modes that prevent the removal by `TempDir`"))]
    scratch: TempDir,
    cgroup: Option<Cgroup>,
}

#[cfg(unix)]
impl Drop for Resources {
    fn drop(&mut self) {
        super::scratch::remove(self.scratch.path());
    }
}

#[cfg(unix)]
impl Resources {
    /// Returns whether the memory limit ended a process of the reader.
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.cgroup.as_ref().is_some_and(Cgroup::is_out_of_memory)
    }
}

/// Returns whether the user decides how reports name functions.
fn is_naming_chosen() -> bool {
    let mut options = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().ends_with("SAN_OPTIONS"));
    options.any(|(_, options)| Naming::is_chosen(&options.to_string_lossy()))
}

impl Launcher {
    /// Returns a launcher that uses the running program, which must be `torchproof`, or the words of
    /// [`set_own_command`](super::set_own_command).
    pub fn current() -> io::Result<Self> {
        own_command().map(Self::of)
    }

    pub fn at(program: impl Into<PathBuf>) -> Self {
        Self::of(vec![program.into().into()])
    }

    fn of(own: Vec<OsString>) -> Self {
        let (sandbox, exit_codes) = (Sandbox::available(), ExitCodes::default());
        Launcher { own, sandbox, exit_codes, sanitized: false, env: BTreeSet::new(), naming: Naming::Usual }
    }

    /// Returns the words of the command that starts `torchproof`.
    pub(super) fn own(&self) -> &[OsString] {
        &self.own
    }

    /// Disables the sandbox; every report gives the reason.
    pub fn without_sandbox(self, why: &str) -> Self {
        Launcher { sandbox: Sandbox::off(why), ..self }
    }

    pub fn with_exit_codes(self, exit_codes: ExitCodes) -> Self {
        Launcher { exit_codes, ..self }
    }

    pub fn without_memory_limit(self) -> Self {
        Launcher { sanitized: true, ..self }
    }

    /// Passes these environment variables to all readers, if they are set.
    pub fn with_env(self, names: impl IntoIterator<Item = String>) -> Self {
        Launcher { env: names.into_iter().collect(), ..self }
    }

    /// Sets whether the reports of sanitized readers name functions.
    pub(super) fn naming(&self, naming: Naming) -> Self {
        Launcher { naming, ..self.clone() }
    }

    /// Returns whether a reader gets this environment variable. Other variables can contain secrets.
    fn passes(&self, name: &OsStr) -> bool {
        let name = name.to_string_lossy();
        let is_usual = ["PATH", "LANG"].contains(&&*name);
        is_usual || name.ends_with("SAN_OPTIONS") || name.ends_with("_SYMBOLIZER_PATH") || self.env.contains(&*name)
    }

    /// Returns the last part of an error about a failed start, which names the environment variables withheld from the reader.
    pub(super) fn withheld(&self) -> String {
        let withheld = std::env::vars_os().map(|(name, _)| name).filter(|name| !self.passes(name));
        let names: BTreeSet<_> = withheld.map(|name| plain_name(&name.to_string_lossy())).collect();
        if names.is_empty() {
            return String::new();
        }
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        format!("; the variables {names} were withheld from the reader; if it needs one, pass --env NAME")
    }

    pub(super) const fn exit_codes(&self) -> &ExitCodes {
        &self.exit_codes
    }

    pub(super) const fn is_without_memory_limit(&self) -> bool {
        self.sanitized
    }

    pub const fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Returns a command that starts a program with limits, and the resources of its process. The caller must start the
    /// program as a child of this process, and keep the resources until the child has ended.
    pub(super) fn command<S: AsRef<OsStr>>(
        &self,
        argv: impl IntoIterator<Item = S>,
        memory_mb: Option<u64>,
        cpu_s: Option<u64>,
    ) -> io::Result<(Command, Resources)> {
        let memory_mb = memory_mb.filter(|_| !self.sanitized);
        let (program, arguments) = self.own.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command.args(arguments).arg(SUBCOMMAND);
        let parent = Some(std::process::id().into());
        for (flag, limit) in [("--memory-mb", memory_mb), ("--cpu-s", cpu_s), ("--parent", parent)] {
            if let Some(limit) = limit {
                command.arg(flag).arg(limit.to_string());
            }
        }
        let scratch = tempfile::Builder::new().prefix("torchproof-reader-").tempdir()?;
        // Give the launcher and bubblewrap the same environment, because a reader can see theirs.
        command.env_clear().env("HOME", scratch.path()).env("TMPDIR", scratch.path());
        command.envs(std::env::vars_os().filter(|(name, _)| self.passes(name)));
        if let Some(option) = self.naming.option().filter(|_| self.sanitized && !is_naming_chosen()) {
            for name in SANITIZER_OPTIONS {
                let given = std::env::var(name).map(|given| format!("{given}:")).unwrap_or_default();
                command.env(name, given + option);
            }
        }
        command.arg("--scratch").arg(scratch.path());
        let mut resources = Resources { scratch, cgroup: None };
        if self.sandbox.is_active() {
            command.args(["--sandbox", self.sandbox.mode.name()]);
            resources.cgroup = Cgroup::new(memory_mb)
                .map_err(|error| io::Error::new(error.kind(), format!("cannot create a control group: {error}")))?;
        }
        if let Some(cgroup) = &resources.cgroup {
            command.arg("--cgroup").arg(cgroup.folder());
        }
        command.arg("--").args(argv);
        Ok((command, resources))
    }
}
