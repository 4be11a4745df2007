//! **Checks an adapter, not its reader**: each outcome of the reader has to arrive as that outcome.
//!
//! Five inputs have to come back as five different outcomes: a valid file as accepted, one without identifier and root as rejected,
//! one of which half is missing as an error of the adapter, a crash as a crash, and a sleep as a hang. What half a file is given for
//! is known from its size in the request: to call it rejected would be to say of the reader what is true of a disk or a mount.
//! (A file that is short and said to be is the reader's to reject, and asked about besides.)
//!
//! A reader crashes and sleeps on demand if it has the capability [`selftest`](crate::reader::protocol); one that is a command (`once:`) has
//! no way to say so, and is simply given the files. It gets no sizes either, so the runner checks them.
//! A worker (`exec:`) also passes protocol checks: it repeats its hello, answers each request and prints nothing else, ignores
//! unknown members, takes a long line, does not accept what it cannot read, and exits on `bye`.

mod files;
mod inputs;
mod protocol;

use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;

use torchproof::Stage;

use crate::reader::outcome::Outcome;
use crate::reader::{Address, Settings};
use crate::run::record::NAME_KEPT;
use crate::text::escape::plain_line;
use torchproof_protocol::Hello;

use files::Files;

/// How much of a message is kept, in characters.
const MESSAGE_KEPT: usize = 300;

/// What came of a selftest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelfTest {
    /// What the reader calls itself.
    pub reader: String,
    /// Where it was reached.
    pub address: String,
    /// The checks, in order.
    pub checks: Vec<Check>,
}

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
    const fn name(self) -> &'static str {
        match self {
            CheckResult::Pass => "pass",
            CheckResult::Fail => "fail",
            CheckResult::NotTested => "not tested",
        }
    }
}

/// What the checks have in common.
struct AdapterUnderTest<'a> {
    address: &'a Address,
    settings: &'a Settings,
    hello: &'a Hello,
    files: &'a Files,
    time: Duration,
}

/// Judges the adapter at `address`; `time` is what it has for each file.
///
/// # Errors
/// It cannot be started, reads no format that there is a file of, or the files cannot be written.
pub fn selftest(address: &Address, settings: &Settings, time: Duration) -> Result<SelfTest, String> {
    let mut reader = address.open(settings);
    let hello = reader.hello().map_err(|message| format!("the reader could not be used: {message}"))?;
    let files = Files::of(&hello)?;
    let adapter = AdapterUnderTest { address, settings, hello: &hello, files: &files, time };
    let mut checks = inputs::checks(&adapter, reader.as_mut());
    checks.extend(protocol::checks(&adapter));
    let name = if hello.name.is_empty() { address.name() } else { &hello.name };
    Ok(SelfTest { reader: plain_line(name, NAME_KEPT), address: address.to_string(), checks })
}

impl SelfTest {
    /// Whether no check failed; what was not tested says nothing.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.checks.iter().all(|check| check.result != CheckResult::Fail)
    }

    /// For people: a line a check, and how many came to what.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut counts = std::collections::BTreeMap::new();
        for Check { check, result, message, advice, .. } in &self.checks {
            *counts.entry(*result).or_insert(0) += 1;
            // Writing to a String does not fail.
            let _ = writeln!(text, "{:<10}  {check:<20}  {message}", result.name());
            if let Some(advice) = advice {
                let _ = writeln!(text, "{:34}{advice}", "");
            }
        }
        let counts: Vec<String> = counts.iter().map(|(result, count)| format!("{count} {}", result.name())).collect();
        let _ = writeln!(text, "\n{}: {} checks: {}", self.reader, self.checks.len(), counts.join(", "));
        text
    }
}

impl Check {
    fn new(check: &'static str, result: CheckResult, message: &str) -> Self {
        Check { check, result, outcome: None, message: plain_line(message, MESSAGE_KEPT), advice: None }
    }

    /// Passes, or fails with what is wrong.
    fn held(check: &'static str, done: &str, wrong: Option<String>) -> Self {
        match wrong {
            None => Self::new(check, CheckResult::Pass, done),
            Some(wrong) => Self::new(check, CheckResult::Fail, &format!("{done}: {wrong}")),
        }
    }

    /// What came back of a file, which is as it must be if `result` says so.
    fn of_file(check: &'static str, result: CheckResult, given: &str, outcome: &Outcome) -> Self {
        let stage = outcome.stage().map(|stage: Stage| format!(" at {stage}")).unwrap_or_default();
        let message = outcome.message();
        let colon = if message.is_empty() { "" } else { ": " };
        let message = format!("{given} → {}{stage}{colon}{message}", outcome.name());
        Check { outcome: Some(outcome.name()), ..Self::new(check, result, &message) }
    }
}
