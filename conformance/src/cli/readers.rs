//! What several subcommands ask about the readers that they start.

use std::io;
use std::time::Duration;

use super::complain;
use crate::reader::{Address, Launcher, Settings};

/// How readers are started.
#[derive(Debug, clap::Args)]
pub(super) struct Starting {
    /// How long a reader may take to say hello
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    start_ms: u64,
    /// Start readers without a sandbox: they may write files, use the network and send signals, as this user may
    #[arg(long)]
    no_sandbox: bool,
}

/// What a reader may use of the machine, where no case has a budget.
#[derive(Debug, clap::Args)]
pub(super) struct Limited {
    /// How long a reader may take for a file
    #[arg(long, value_name = "N", default_value_t = 5000)]
    file_ms: u64,
    /// A reader's memory in MiB; 0 for no limit, which sanitizers need
    #[arg(long, value_name = "N", default_value_t = 1024)]
    memory_mb: u64,
    #[command(flatten)]
    starting: Starting,
}

impl Starting {
    /// How long a reader may take to say hello.
    pub(super) const fn time(&self) -> Duration {
        Duration::from_millis(self.start_ms)
    }

    /// What starts readers.
    pub(super) fn launcher(&self) -> io::Result<Launcher> {
        let launcher = Launcher::current()?;
        Ok(if self.no_sandbox { launcher.without_sandbox("--no-sandbox") } else { launcher })
    }

    /// The same, for who prints no report that could say what these readers are started in.
    pub(super) fn launcher_of(&self, readers: &[Address]) -> io::Result<Launcher> {
        let launcher = self.launcher()?;
        if let Some(lack) = launcher.sandbox().warning().filter(|_| readers.iter().any(Address::is_started)) {
            complain(&format!("note: {lack}"));
        }
        Ok(launcher)
    }
}

impl Limited {
    /// How long a reader may take for a file.
    pub(super) const fn file_time(&self) -> Duration {
        Duration::from_millis(self.file_ms)
    }

    /// What these readers are started with.
    pub(super) fn settings(&self, readers: &[Address]) -> io::Result<Settings> {
        Ok(Settings {
            launcher: self.starting.launcher_of(readers)?,
            start: self.starting.time(),
            memory_mb: (self.memory_mb > 0).then_some(self.memory_mb),
        })
    }
}
