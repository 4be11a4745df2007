//! `torchproof selftest`: checks an adapter.

use std::process::ExitCode;
use std::time::Duration;

use torchproof_harness::reader::{Address, Settings};
use torchproof_harness::run::selftest::selftest;

use super::format::Format;
use super::readers::StartOptions;
use super::{CommandResult, number};

/// Check the adapter of a reader, not the reader itself
///
/// Five files must have different outcomes: a valid file, an invalid file, a truncated file, a file that causes a crash,
/// and a file that causes a hang. A worker (exec:) must also pass the protocol checks. An adapter with the capability
/// `selftest` crashes and hangs on request. For an adapter without the capability, the report marks the crash and the
/// hang as not tested.
///
/// Exit code 0: no check failed. Exit code 1: a check failed. Exit code 2: the reader could not be used.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Check a program that runs once per file:
    torchproof selftest --reader 'once:grep -qa ET12'
  Print the report as JSON:
    torchproof selftest --reader 'once:grep -qa ET12' --format json")]
pub(super) struct SelftestArgs {
    /// Address of the reader, as for `run`
    #[arg(long, value_name = "ADDR")]
    reader: String,
    /// Time limit of the reader for one file, in milliseconds. The check for a hang takes at least this time
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = number)]
    time_ms: u64,
    #[command(flatten)]
    starting: StartOptions,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &SelftestArgs) -> CommandResult {
    let address: Address = args.reader.parse()?;
    let launcher = args.starting.launcher_of(std::slice::from_ref(&address))?;
    let settings = Settings::new(launcher, args.starting.time(), None);
    let report = selftest(&address, &settings, Duration::from_millis(args.time_ms))?;
    args.format.print(&report, || report.text())?;
    Ok(ExitCode::from(u8::from(!report.is_passed())))
}
