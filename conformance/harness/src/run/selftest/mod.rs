//! **The adapter selftest** checks that an adapter converts each result of its reader to the correct outcome.
//!
//! Each of five inputs must have a different outcome:
//!
//! * A valid file has the outcome accept.
//! * A file with an invalid identifier and root offset has the outcome reject.
//! * If half of a file is missing, the outcome is adapter-error. The adapter detects the missing half because the
//!   request states the full size. The adapter must not report a rejection, because the disk and not the reader is the
//!   cause of the missing half.
//! * A file on which the reader crashes has the outcome crash.
//! * A file on which the reader sleeps has the outcome hang.
//!
//! In further checks, the request states the actual size of a truncated or empty file. The reader must reject these
//! files. Other checks cover missing files, new bytes at the path of an earlier file, and the values of different
//! files.
//!
//! A reader with the capability [`selftest`](torchproof_protocol) crashes and sleeps on request. A command
//! (`once:`) cannot declare this capability, so the selftest runs a command on all files. A command does not receive
//! the sizes of the files, so the runner checks the sizes. For a worker (`exec:`), the selftest also checks whether the
//! worker follows the protocol. A worker must reply to a second `hello` with the same values, reply to each request,
//! and print nothing else. A worker must ignore unknown members of requests, read long lines, and exit on `bye`. A
//! worker must not accept a file in a role that the worker does not support.

mod check;
mod files;
mod inputs;
mod protocol;

use std::fmt::Write;
use std::time::Duration;

use crate::reader::{Address, Settings};
use crate::run::record::NAME_KEPT;
use crate::text::escape::plain_line;

use files::{AdapterUnderTest, Files};

pub use check::{Check, CheckResult};

/// The report of an adapter selftest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTest {
    /// The name of the reader.
    pub reader: String,
    /// The address of the reader.
    pub address: String,
    /// The checks, in order.
    pub checks: Vec<Check>,
}

/// Checks the adapter at `address`; `time` is the time limit for each file.
pub fn selftest(address: &Address, settings: &Settings, time: Duration) -> Result<SelfTest, String> {
    let mut reader = address.open(settings);
    let hello =
        reader.hello().map_err(|message| format!("{}: {message}", plain_line(&address.to_string(), usize::MAX)))?;
    let files = Files::of(&hello)?;
    let adapter = AdapterUnderTest { address, settings, hello: &hello, files: &files, time };
    let mut checks = inputs::checks(&adapter, reader.as_mut());
    checks.extend(protocol::checks(&adapter));
    Ok(SelfTest { reader: plain_line(&hello.name, NAME_KEPT), address: address.to_string(), checks })
}

impl SelfTest {
    /// Returns whether all checks that ran have passed.
    pub fn is_passed(&self) -> bool {
        self.checks.iter().all(|check| check.result != CheckResult::Fail)
    }

    /// Returns the report as text: a line for each check, then the number of checks with each result.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut counts = std::collections::BTreeMap::new();
        for Check { check, result, message, advice, .. } in &self.checks {
            *counts.entry(*result).or_insert(0) += 1;
            // Writing to a String cannot fail.
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
