//! **The adapter selftest** checks that an adapter turns each of its reader's results into the right outcome.
//!
//! Five inputs must have different outcomes:
//!
//! | input | outcome |
//! |---|---|
//! | a valid file | accept |
//! | an invalid identifier and root offset | reject |
//! | half of a file, with its full size in the request | adapter-error, because the reader is not the cause |
//! | a file on which the reader crashes | crash |
//! | a file on which the reader sleeps | hang |
//!
//! If the request gives the actual size of a truncated or empty file, the reader must reject the file. Other checks are
//! about missing files, new bytes at the path of an earlier file, and the values of different files.
//!
//! A reader with the capability [`selftest`](torchproof_protocol) crashes and sleeps on request. A command (`once:`)
//! cannot declare this capability, so it runs on all files. The runner checks their sizes, because a command is not
//! told them. A worker (`exec:`) must also follow the protocol: reply to each request, give the same reply to a second
//! `hello`, print nothing else, ignore unknown members, read long lines, exit on `bye`, and accept no file in a role
//! that it does not support.

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTest {
    pub reader: String,
    pub address: String,
    pub checks: Vec<Check>,
}

/// Checks the adapter at `address`; `time` is the limit for each file.
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
    pub fn is_passed(&self) -> bool {
        self.checks.iter().all(|check| check.result != CheckResult::Fail)
    }

    /// Returns a line for each check, then the number of checks with each result.
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
