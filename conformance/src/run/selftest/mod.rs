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

mod check;
mod files;
mod inputs;
mod protocol;

use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;

use crate::reader::{Address, Settings};
use crate::run::record::NAME_KEPT;
use crate::text::escape::plain_line;

use files::{AdapterUnderTest, Files};

pub use check::{Check, CheckResult};

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
    Ok(SelfTest { reader: plain_line(&hello.name, NAME_KEPT), address: address.to_string(), checks })
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
