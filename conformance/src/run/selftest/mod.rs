//! **Adapter selftest**: checks that an adapter reports each result of its reader as the right outcome.
//!
//! Five inputs must give five different outcomes: a valid file accept, a file without identifier and root reject, half a file
//! adapter-error, a crash crash, and a sleep hang. The adapter detects half a file by the size in the request. A rejection
//! would blame the reader for a fault of the disk or mount. A short file with the right size in the request must be rejected
//! by the reader; further checks cover that.
//!
//! A reader with the capability [`selftest`](crate::reader::protocol) crashes and sleeps on demand. A command (`once:`) cannot
//! declare the capability, so a command just receives the files. A command receives no sizes either, so the runner checks the
//! sizes. A worker (`exec:`) also passes protocol checks: it answers a second `hello` alike, replies to each request and
//! prints nothing else, ignores unknown members, reads a long line, does not accept a role that it cannot read, and exits on
//! `bye`.

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

/// The report of an adapter selftest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelfTest {
    /// The name of the reader.
    pub reader: String,
    /// The address of the reader.
    pub address: String,
    /// The checks, in order.
    pub checks: Vec<Check>,
}

/// Checks the adapter at `address`; `time` is the limit for each file.
///
/// # Errors
/// Fails if the adapter does not start, if the adapter supports no known format, or if the files cannot be written.
pub fn selftest(address: &Address, settings: &Settings, time: Duration) -> Result<SelfTest, String> {
    let mut reader = address.open(settings);
    let hello = reader.hello().map_err(|message| format!("cannot use the reader: {message}"))?;
    let files = Files::of(&hello)?;
    let adapter = AdapterUnderTest { address, settings, hello: &hello, files: &files, time };
    let mut checks = inputs::checks(&adapter, reader.as_mut());
    checks.extend(protocol::checks(&adapter));
    Ok(SelfTest { reader: plain_line(&hello.name, NAME_KEPT), address: address.to_string(), checks })
}

impl SelfTest {
    /// Returns whether no check failed; checks that did not run count as passed.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.checks.iter().all(|check| check.result != CheckResult::Fail)
    }

    /// Returns the report as text: a line per check, and the number of checks with each result.
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
