//! **The shell command that repeats a case.**

use torchproof_harness::run::record::ReaderReport;
use torchproof_harness::text::escape::{for_shell, plain};

/// Builds commands that run one reader on one case with a run's settings.
///
/// ```
/// use torchproof_cli::report::RerunCommand;
/// let rerun = RerunCommand::new(["--memory-mb", "0"].map(str::to_owned));
/// let command = rerun.command("exec:python3 worker.py", "pte/header/length-23");
/// assert_eq!(command, "torchproof run --memory-mb 0 --reader 'exec:python3 worker.py' --cases pte/header/length-23");
/// ```
#[derive(Clone, Debug, Default)]
pub struct RerunCommand {
    settings: String,
}

impl RerunCommand {
    /// `settings` are the arguments of `torchproof run`, except those for readers and cases.
    pub fn new(settings: impl IntoIterator<Item = String>) -> Self {
        let quoted = settings.into_iter().map(|argument| format!(" {}", for_shell(&argument)));
        Self { settings: quoted.collect() }
    }

    pub fn command(&self, address: &str, case: &str) -> String {
        self.before(address) + &word(case)
    }

    fn before(&self, address: &str) -> String {
        plain(&format!("torchproof run{} --reader {} --cases ", self.settings, for_shell(address)))
    }

    pub(super) fn of(&self, reader: &ReaderReport, case: &str) -> String {
        let [before, after] = self.around(reader);
        before + &word(case) + &after
    }

    pub(super) fn around(&self, reader: &ReaderReport) -> [String; 2] {
        let delivery = if reader.requested { format!(" --delivery {}", reader.delivery) } else { String::new() };
        [self.before(&reader.address), delivery]
    }
}

pub(super) fn word(case: &str) -> String {
    plain(&for_shell(case))
}
