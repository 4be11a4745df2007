//! **The command that runs a case again.**

use crate::run::record::ReaderReport;
use crate::text::escape::{for_shell, plain};

/// How to run one reader on one case again, as in a run.
///
/// ```
/// use torchproof_cli::report::Again;
/// let again = Again::new(["--memory-mb", "0"].map(str::to_owned));
/// let command = again.command("exec:python3 worker.py", "pte/header/length-23");
/// assert_eq!(command, "torchproof run --memory-mb 0 --reader 'exec:python3 worker.py' --cases pte/header/length-23");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Again {
    settings: String,
}

impl Again {
    /// With these arguments of `torchproof run` besides reader and case.
    #[must_use]
    pub fn new(settings: impl IntoIterator<Item = String>) -> Self {
        let quoted = settings.into_iter().map(|argument| format!(" {}", for_shell(&argument)));
        Self { settings: quoted.collect() }
    }

    /// The command, in one printable line for a shell.
    #[must_use]
    pub fn command(&self, address: &str, case: &str) -> String {
        self.before(address) + &word(case)
    }

    /// All of it that stands before the case.
    fn before(&self, address: &str) -> String {
        plain(&format!("torchproof run{} --reader {} --cases ", self.settings, for_shell(address)))
    }

    pub(super) fn of(&self, reader: &ReaderReport, case: &str) -> String {
        let [before, behind] = self.around(reader);
        before + &word(case) + &behind
    }

    /// The command for this reader, before and after the [`word`] for the case.
    pub(super) fn around(&self, reader: &ReaderReport) -> [String; 2] {
        let delivery = if reader.asked { format!(" --delivery {}", reader.delivery) } else { String::new() };
        [self.before(&reader.address), delivery]
    }
}

/// A case as it stands in a command.
pub(super) fn word(case: &str) -> String {
    plain(&for_shell(case))
}
