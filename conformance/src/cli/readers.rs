//! The options of every subcommand that starts readers.

use std::error::Error;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches};
use torchproof_harness::reader::{Address, ExitCodes, Launcher, Settings};

use super::{complain, duration, number};
use crate::gate;

/// Options for starting readers.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Start of readers")]
pub(super) struct StartOptions {
    /// Time limit for a reader's handshake. Later starts may take up to ten times as long as the first
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    start_timeout: Duration,
    /// Start readers without the sandbox, so that they can write files, use the network and send signals with your
    /// permissions
    #[arg(long)]
    no_sandbox: bool,
    /// Pass this environment variable to the readers; repeatable. By default, they get only PATH, LANG, sanitizer
    /// options, and their own HOME and TMPDIR, because variables can contain secrets. The `env` list in
    /// torchproof.toml's `[run]` table has the same effect
    #[arg(long, value_name = "NAME", value_parser = variable)]
    env: Vec<String>,
    /// Run the readers without a memory limit, as readers built with a sanitizer require. Programs built with
    /// AddressSanitizer are detected automatically
    #[arg(long)]
    sanitized: bool,
    /// Meaning of exit codes from `once:` readers; separate several codes with `+`, or write `none`. Codes 129 to 192
    /// always mean a crash
    #[arg(long, value_name = "LIST", default_value = "accept=0,reject=1,unsupported=2")]
    exit_code: ExitCodes,
}

/// Reader limits for files outside the corpus. Corpus cases have their own time and memory budgets.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitOptions {
    /// A reader's time limit per file
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    case_timeout: Duration,
    /// A reader's memory limit in MiB; 0 removes the limit
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = number)]
    memory_mb: u64,
    #[command(flatten)]
    starting: StartOptions,
}

fn variable(text: &str) -> Result<String, &'static str> {
    let is_name = !text.is_empty() && !text.contains(['=', '\0']);
    is_name.then(|| text.to_owned()).ok_or("expected only the name of a variable; set its value before the command")
}

impl StartOptions {
    pub(super) const fn time(&self) -> Duration {
        self.start_timeout
    }

    pub(super) fn launcher(&self) -> Result<Launcher, Box<dyn Error>> {
        let project = gate::settings(None)?.run.env;
        let launcher = Launcher::current()?.with_exit_codes(self.exit_code.clone());
        let launcher = launcher.with_env(project.into_iter().chain(self.env.iter().cloned()));
        let launcher = if self.sanitized { launcher.without_memory_limit() } else { launcher };
        Ok(if self.no_sandbox { launcher.without_sandbox("--no-sandbox") } else { launcher })
    }

    /// Prints a note about the sandbox, for a subcommand whose report does not describe it.
    pub(super) fn launcher_of(&self, readers: &[Address]) -> Result<Launcher, Box<dyn Error>> {
        let launcher = self.launcher()?;
        if readers.iter().any(Address::is_started) {
            complain(&format!("note: {}", launcher.sandbox()));
        }
        Ok(launcher)
    }
}

impl LimitOptions {
    /// If an option occurs twice, the last value wins.
    pub(super) fn of_words(words: impl IntoIterator<Item = String>) -> Result<Self, clap::Error> {
        let command = Self::augment_args(Command::new("limits").args_override_self(true).no_binary_name(true));
        Self::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    pub(super) const fn file_time(&self) -> Duration {
        self.case_timeout
    }

    pub(super) fn settings(&self, readers: &[Address]) -> Result<Settings, Box<dyn Error>> {
        Ok(Settings::new(
            self.starting.launcher_of(readers)?,
            self.starting.time(),
            (self.memory_mb > 0).then_some(self.memory_mb),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_an_option_counts_and_every_variable() {
        let words = ["--env=A", "--case-timeout=1ms", "--env=B", "--case-timeout=2ms"].map(str::to_owned);
        let limited = LimitOptions::of_words(words).unwrap();
        assert_eq!((limited.case_timeout.as_millis(), limited.starting.env), (2, vec!["A".into(), "B".into()]));
    }
}
