//! A check of the adapter selftest and its result.

use torchproof::named;

use crate::reader::outcome::Outcome;
use crate::text::escape::plain_line;

/// The maximum number of characters in the message of a check.
const MESSAGE_KEPT: usize = 300;

/// A check and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The name of the check.
    pub check: &'static str,
    /// The result.
    pub result: CheckResult,
    /// The outcome, if the check runs the reader on a file.
    pub outcome: Option<&'static str>,
    /// The action and the result of the check, or the reason why the check did not run.
    pub message: String,
    /// The part of the adapter that probably has a fault.
    pub advice: Option<&'static str>,
}

named! {
    /// The result of a check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum CheckResult {
        /// As expected.
        Pass = "pass",
        /// Not as expected.
        Fail = "fail",
        /// The adapter reports a fault of the reader, so the selftest passes.
        Reader = "reader",
        /// Not run.
        NotTested = "not tested",
    }
}

impl Check {
    pub(super) fn new(check: &'static str, result: CheckResult, message: &str) -> Self {
        Check { check, result, outcome: None, message: plain_line(message, MESSAGE_KEPT), advice: None }
    }

    /// Creates the result of a check. If there is an error, the check failed; otherwise, the check passed.
    pub(super) fn from_error(check: &'static str, done: &str, wrong: Option<String>) -> Self {
        match wrong {
            None => Self::new(check, CheckResult::Pass, done),
            Some(wrong) => Self::new(check, CheckResult::Fail, &format!("{done}: {wrong}")),
        }
    }

    /// Creates a check of the outcome of running the reader on a file.
    pub(super) fn of_file(check: &'static str, result: CheckResult, given: &str, outcome: &Outcome) -> Self {
        Check { outcome: Some(outcome.name()), ..Self::new(check, result, &format!("{given} → {outcome}")) }
    }
}
