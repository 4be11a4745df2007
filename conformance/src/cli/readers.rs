//! What several subcommands ask about the readers that they start.

use std::io;
use std::time::Duration;

use torchproof_cli::reader::{Address, Launcher, Settings};

use super::complain;

/// How long readers are waited for.
#[derive(Debug, clap::Args)]
pub(super) struct Starting {
    /// How long a reader may take to say hello
    #[arg(long, value_name = "N", default_value_t = START_MS)]
    start_ms: u64,
}

/// How many milliseconds a reader may take to say hello where nothing says otherwise.
const START_MS: u64 = 10_000;

/// Whether readers are sandboxed.
#[derive(Debug, clap::Args)]
pub(super) struct Sandboxing {
    /// Start readers without a sandbox: they may write files, use the network and send signals, as this user may
    #[arg(long)]
    pub(super) no_sandbox: bool,
}

/// How many milliseconds a reader may take for a file where nothing says otherwise.
const FILE_MS: u64 = 5000;

/// How many MiB of memory a reader has where nothing says otherwise.
const MEMORY_MB: u64 = 1024;

/// What a reader may use of the machine, where no case has a budget.
#[derive(Debug, clap::Args)]
pub(super) struct Limited {
    /// How long a reader may take for a file
    #[arg(long, value_name = "N", default_value_t = FILE_MS)]
    file_ms: u64,
    /// A reader's memory in MiB; 0 for no limit, which sanitizers need
    #[arg(long, value_name = "N", default_value_t = MEMORY_MB)]
    memory_mb: u64,
    #[command(flatten)]
    starting: Starting,
    #[command(flatten)]
    sandboxing: Sandboxing,
}

impl Starting {
    /// How long a reader may take to say hello.
    pub(super) const fn time(&self) -> Duration {
        Duration::from_millis(self.start_ms)
    }

    /// The argument, where it is not what nobody has to say.
    pub(super) fn words(&self) -> Vec<String> {
        words_unless("--start-ms", self.start_ms, START_MS)
    }
}

impl Sandboxing {
    /// The argument, where it is given.
    pub(super) fn words(&self) -> Vec<String> {
        self.no_sandbox.then(|| "--no-sandbox".to_owned()).into_iter().collect()
    }

    /// What starts readers.
    pub(super) fn launcher(&self) -> io::Result<Launcher> {
        let launcher = Launcher::current()?;
        Ok(if self.no_sandbox { launcher.without_sandbox("--no-sandbox") } else { launcher })
    }

    /// The same, for who prints no report that could say what these readers are started in.
    pub(super) fn launcher_of(&self, readers: &[Address]) -> io::Result<Launcher> {
        let launcher = self.launcher()?;
        if let Some(lack) = launcher.sandbox().lack().filter(|_| readers.iter().any(Address::is_started)) {
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

    /// The arguments that are not what nobody has to say.
    pub(super) fn words(&self) -> Vec<String> {
        [
            words_unless("--file-ms", self.file_ms, FILE_MS),
            words_unless("--memory-mb", self.memory_mb, MEMORY_MB),
            self.starting.words(),
            self.sandboxing.words(),
        ]
        .concat()
    }

    /// What these readers are started with.
    pub(super) fn settings(&self, readers: &[Address]) -> io::Result<Settings> {
        Ok(Settings {
            launcher: self.sandboxing.launcher_of(readers)?,
            start: self.starting.time(),
            memory_mb: (self.memory_mb > 0).then_some(self.memory_mb),
        })
    }
}

/// A flag and its number, unless that is the usual one.
fn words_unless(flag: &str, number: u64, usual: u64) -> Vec<String> {
    if number == usual { Vec::new() } else { vec![flag.to_owned(), number.to_string()] }
}
