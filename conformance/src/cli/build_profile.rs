//! `torchproof build-profile`: prints what a build of the runtime contains.

use std::error::Error;
use std::process::ExitCode;

use torchproof::prediction::{BuildProfile, Release};
use torchproof_harness::reader::Address;
use torchproof_harness::text::ascii;
use torchproof_harness::text::escape::plain_line;
use torchproof_model::check::NamedBuild;

use super::readers::LimitOptions;
use super::{CommandResult, print};
use crate::findings::predicted::build_profile;

/// Describe a runtime build, for `check --build`
///
/// The profile is JSON that lists a runtime's release, operators and backends. Get it from a released wheel, or from a
/// reader whose `hello` reports them, such as the ExecuTorch readers in conformance/readers. To describe the build inside
/// your own program, compile packaging/build-profile/build_profile.hpp into it; its function prints the same JSON.
///
/// Exits with 0 if the profile was printed, and 2 if it is invalid or the reader does not report its operators and backends.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print the profile of a wheel, and remove from it what your build lacks:
    torchproof build-profile wheel:1.5.1 > build.json
  Check that a profile is valid:
    torchproof build-profile wheel:1.5.1 > a; torchproof build-profile a")]
pub(super) struct BuildProfileArgs {
    /// Profile to print: `wheel:1.5.1` for a released Python wheel, or a file to check
    #[arg(value_name = "PROFILE", value_parser = build_profile, required_unless_present = "reader", conflicts_with = "reader")]
    profile: Option<NamedBuild>,
    /// Address of a reader that reports its operators and backends, as for `torchproof run`
    #[arg(long, value_name = "ADDR")]
    reader: Option<Address>,
    #[command(flatten)]
    limits: LimitOptions,
}

pub(super) fn run(args: &BuildProfileArgs) -> CommandResult {
    let of_reader = || args.reader.as_ref().map(|reader| registered(reader, &args.limits)).transpose();
    let profile = match &args.profile {
        Some(named) => Some(named.profile.clone()),
        None => of_reader()?,
    };
    let mut text = Vec::new();
    ascii::write_pretty(&mut text, &profile)?;
    print(&String::from_utf8(text)?)?;
    Ok(ExitCode::SUCCESS)
}

fn registered(reader: &Address, limits: &LimitOptions) -> Result<BuildProfile, Box<dyn Error>> {
    let settings = limits.settings(std::slice::from_ref(reader))?;
    let registry = reader.open(&settings).hello()?.registry;
    let absent = "--reader: found no `registry` in the reader's hello, expected its operators and backends";
    let registry = registry.ok_or(absent)?;
    let release = registry.runtime.parse::<Release>();
    let release = release.map_err(|error| format!("--reader: {}: {error}", plain_line(&registry.runtime, 60)))?;
    let mut profile = BuildProfile::new(release);
    profile.operators.extend(registry.operators);
    profile.backends.extend(registry.backends);
    Ok(profile)
}
