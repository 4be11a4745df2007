//! A check of the adapter selftest.

use torchproof::named;

use crate::reader::outcome::Outcome;
use crate::text::escape::plain_line;

const MESSAGE_KEPT: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub check: &'static str,
    pub result: CheckResult,
    /// The outcome, if the check runs the reader on a file.
    pub outcome: Option<&'static str>,
    /// What the check did and found, or why it did not run.
    pub message: String,
    /// What is probably wrong with the adapter.
    pub advice: Option<&'static str>,
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum CheckResult {
        /// The result is as expected.
        Pass = "pass",
        /// The result is not as expected.
        Fail = "fail",
        /// The adapter reports a fault of the reader, so the selftest passes.
        Reader = "reader",
        /// The check did not run.
        NotTested = "not tested",
    }
}

impl Check {
    pub(super) fn new(check: &'static str, result: CheckResult, message: &str) -> Self {
        Check { check, result, outcome: None, message: plain_line(message, MESSAGE_KEPT), advice: None }
    }

    /// Creates the result of a check, which failed if there is an error.
    pub(super) fn from_error(check: &'static str, done: &str, wrong: Option<String>) -> Self {
        match wrong {
            None => Self::new(check, CheckResult::Pass, done),
            Some(wrong) => Self::new(check, CheckResult::Fail, &format!("{done}: {wrong}")),
        }
    }

    /// Creates a check of the reader's outcome on a file.
    pub(super) fn of_file(check: &'static str, result: CheckResult, given: &str, outcome: &Outcome) -> Self {
        Check { outcome: Some(outcome.name()), ..Self::new(check, result, &format!("{given} → {outcome}")) }
    }
}
