//! `torchproof selftest`: judges an adapter.

use std::process::ExitCode;
use std::time::Duration;

use super::Done;
use super::format::Format;
use super::readers::Starting;
use crate::reader::{Address, Settings};
use crate::run::selftest::selftest;

/// Check the adapter around a reader, not the reader.
///
/// Five inputs have to come back as five different outcomes: an accepted file, a rejected file, half a file, a crash and a hang. A
/// worker (exec:) also has to pass the protocol checks. The reader crashes and sleeps on demand if its adapter has the capability
/// `selftest`; otherwise these two are reported as not tested.
///
/// Exit code 0: no check failed; 1: one did; 2: the reader could not be used.
#[derive(Debug, clap::Args)]
pub(super) struct SelftestArgs {
    /// The reader, as for `run`
    #[arg(long, value_name = "ADDR")]
    reader: String,
    /// How long the reader may take for a file, and how long one that sleeps is waited for
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    time_ms: u64,
    #[command(flatten)]
    starting: Starting,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &SelftestArgs) -> Done {
    let address: Address = args.reader.parse()?;
    let launcher = args.starting.launcher_of(std::slice::from_ref(&address))?;
    let settings = Settings { launcher, start: args.starting.time(), memory_mb: None };
    let report = selftest(&address, &settings, Duration::from_millis(args.time_ms))?;
    args.format.print(&report, || report.text())?;
    Ok(ExitCode::from(u8::from(!report.is_passed())))
}
