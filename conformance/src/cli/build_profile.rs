//! `torchproof build-profile`: asks a reader what its runtime contains.

use std::process::ExitCode;

use torchproof::prediction::{BuildProfile, Release};
use torchproof_harness::reader::Address;
use torchproof_harness::text::ascii;
use torchproof_harness::text::escape::plain_line;

use super::readers::LimitOptions;
use super::{CommandResult, print};

/// Print the profile of a build, for `check --build`
///
/// The profile is JSON that lists the release, the operators and the backends of the runtime that a reader uses, as its `hello`
/// reports them. The readers for ExecuTorch in conformance/readers do that. For the build inside your own program, compile
/// packaging/build-profile/build_profile.hpp into it, which prints the same JSON.
///
/// Exit code 0: the profile was printed. Exit code 2: the reader does not start, or does not report its registry.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Save the profile of a reader's build, and check a program against it:
    torchproof build-profile --reader 'exec:./worker' > build.json
    torchproof check --build build.json model.pte")]
pub(super) struct BuildProfileArgs {
    /// Address of the reader, as for `torchproof run`
    #[arg(long, value_name = "ADDR")]
    reader: Address,
    #[command(flatten)]
    limits: LimitOptions,
}

pub(super) fn run(args: &BuildProfileArgs) -> CommandResult {
    let settings = args.limits.settings(std::slice::from_ref(&args.reader))?;
    let registry = args.reader.open(&settings).hello()?.registry;
    let registry =
        registry.ok_or("--reader: found no `registry` in the reader's hello, expected its operators and backends")?;
    let release = registry.runtime.parse::<Release>();
    let release = release.map_err(|error| format!("--reader: {}: {error}", plain_line(&registry.runtime, 60)))?;
    let mut profile = BuildProfile::new(release);
    profile.operators.extend(registry.operators);
    profile.backends.extend(registry.backends);
    let mut text = Vec::new();
    ascii::write_pretty(&mut text, &profile)?;
    print(&String::from_utf8(text)?)?;
    Ok(ExitCode::SUCCESS)
}
