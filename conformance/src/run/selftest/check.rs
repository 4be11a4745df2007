//! One check of an adapter and its result.

use serde::Serialize;

use crate::reader::outcome::Outcome;
use crate::text::escape::plain_line;

/// How much of a message is kept, in characters.
const MESSAGE_KEPT: usize = 300;

/// One check and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// Its name.
    pub check: &'static str,
    /// What it came to.
    pub result: CheckResult,
    /// What came back, of a check that gives the reader a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["accept", "reject", "unsupported", "crash", "hang", "out-of-memory", "adapter-error"])))]
    pub outcome: Option<&'static str>,
    /// What was done, and what came of it or why not.
    pub message: String,
    /// What to look for in the adapter, of a file that did not come back as what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<&'static str>,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CheckResult {
    /// As it must be.
    Pass,
    /// Not as it must be.
    Fail,
    /// Not run.
    NotTested,
}

impl CheckResult {
    /// For people.
    pub(super) const fn name(self) -> &'static str {
        match self {
            CheckResult::Pass => "pass",
            CheckResult::Fail => "fail",
            CheckResult::NotTested => "not tested",
        }
    }
}

impl Check {
    pub(super) fn new(check: &'static str, result: CheckResult, message: &str) -> Self {
        Check { check, result, outcome: None, message: plain_line(message, MESSAGE_KEPT), advice: None }
    }

    /// Passes, or fails with what is wrong.
    pub(super) fn held(check: &'static str, done: &str, wrong: Option<String>) -> Self {
        match wrong {
            None => Self::new(check, CheckResult::Pass, done),
            Some(wrong) => Self::new(check, CheckResult::Fail, &format!("{done}: {wrong}")),
        }
    }

    /// What came back of a file, which is as it must be if `result` says so.
    pub(super) fn of_file(check: &'static str, result: CheckResult, given: &str, outcome: &Outcome) -> Self {
        Check { outcome: Some(outcome.name()), ..Self::new(check, result, &format!("{given} → {outcome}")) }
    }
}
