//! The options in the printed commands that repeat a run or its failed cases.

use std::path::Path;

use clap::{Command, FromArgMatches};
use torchproof_harness::run::record::{GivenValues, RunReport};
use torchproof_harness::run::results::FailedResults;
use torchproof_harness::text::escape::shell_line;

use super::super::program;
use super::args::RunArgs;

/// Options that a results file omits, because they apply only to one run.
#[rustfmt::skip]
const OF_ONE_RUN: [&str; 10] = [
    "in-order", "seed", "report", "sarif-location", "results", "rerun-failed", "update-known", "reason", "selftest",
    "verbose",
];

const SELECTION: [&str; 6] = ["reader", "cases", "rule", "stage", "basis", "delivery"];

/// Options that are repeated in the command for one case. The command for all failed cases also repeats `--jobs`.
#[rustfmt::skip]
const SETTINGS: [&str; 11] = [
    "corpus", "deny-should", "env", "exit-code", "known-failures", "memory-mb", "no-sandbox", "panic", "sanitized",
    "start-timeout", "time-scale",
];

pub(super) fn given(args: &RunArgs) -> GivenValues {
    let mut given = args.given.values::<RunArgs>();
    given.retain(|name, _| !OF_ONE_RUN.contains(&name.as_str()));
    given
}

/// The arguments for a command that repeats a case, without those that select readers and cases.
pub(in crate::cli) fn settings(given: &GivenValues) -> Vec<String> {
    let settings = given.iter().filter(|(name, _)| SETTINGS.contains(&name.as_str()));
    let separate = |word: String| match word.split_once('=') {
        Some((option, value)) if !value.starts_with('-') => vec![option.to_owned(), value.to_owned()],
        _ => vec![word],
    };
    settings.flat_map(|(name, values)| words(name, values)).flat_map(separate).collect()
}

/// The command that re-runs the failed cases in the results file. `None` if the only failures are readers that did not
/// start, because they would fail again.
pub(in crate::cli) fn rerun_failed(report: &RunReport, path: &Path) -> Option<String> {
    let failed = FailedResults::of(report, true);
    let mut started = report.readers.iter().filter(|reader| reader.error.is_none());
    let command = || shell_line([&program(), "run", "--rerun-failed", &path.to_string_lossy()]);
    started.any(|reader| failed.has_reader(&reader.reader)).then(command)
}

/// Adds the earlier run's options that `args` does not have. Fails if one of their values is invalid.
pub(super) fn merged(args: &RunArgs, earlier: &GivenValues) -> Result<RunArgs, clap::Error> {
    let command = <RunArgs as clap::Args>::augment_args(Command::new("run").no_binary_name(true));
    let now = args.given.values::<RunArgs>();
    let is_usable = |name: &str| {
        let argument = command.get_arguments().find(|argument| argument.get_long() == Some(name));
        // The new run repeats the failed cases, so keep only these two of the options that select cases.
        let is_kept = name == "delivery" || name == "reader" || !SELECTION.contains(&name);
        let excludes = |other: &clap::Arg| other.get_long().is_some_and(|other| now.contains_key(other));
        is_kept
            && !OF_ONE_RUN.contains(&name)
            && !now.contains_key(name)
            && argument.is_some_and(|argument| !command.get_arg_conflicts_with(argument).into_iter().any(excludes))
    };
    let kept = earlier.iter().filter(|(name, _)| is_usable(name));
    let all: Vec<String> = kept.chain(&now).flat_map(|(name, values)| words(name, values)).collect();
    RunArgs::from_arg_matches(&command.clone().try_get_matches_from(all)?)
}

fn words(name: &str, values: &[String]) -> Vec<String> {
    if values.is_empty() {
        return vec![format!("--{name}")];
    }
    values.iter().map(|value| format!("--{name}={value}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_in_one_list() {
        let command = <RunArgs as clap::Args>::augment_args(Command::new("run"));
        for option in command.get_arguments().filter_map(clap::Arg::get_long) {
            let lists = [&OF_ONE_RUN[..], &SELECTION, &SETTINGS, &["jobs"]];
            let count = lists.iter().filter(|list| list.contains(&option)).count();
            assert_eq!(count, 1, "name --{option} in one list of conformance/src/cli/run/rerun.rs");
        }
    }
}
