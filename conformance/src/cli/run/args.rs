//! The arguments of `torchproof run`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use torchproof::Stage;
use torchproof::rules::Basis;
use torchproof_harness::run::grade::Panics;
use torchproof_protocol::Delivery;

use super::super::arguments::{GivenOptions, factor, job_count, number, one_of};
use super::super::readers::StartOptions;
use super::super::report::ReportFiles;

/// Run a reader on the corpus, and grade what it does
///
/// A reader's address has one of these forms, after an optional name, as in mine=once:./reader:
///
/// once:CMD, a program that runs once per case, with the paths of the case's files as its last arguments. It exits with
/// 0 to accept, 1 to reject, and 2 if it does not support the file.
///
/// exec:CMD, a worker process that speaks the torchproof reader protocol.
///
/// lib:PATH, a shared library with the two functions in torchproof.h. Each case runs in a forked child process.
///
/// builtin:NAME, a reader in this program: reference, flatbuffers, accept-all or reject-all. On systems other than
/// Linux and macOS, only built-in readers are supported.
///
/// CMD is split into words as in a shell. If a case fails, the last line of the text report is a command that re-runs
/// the failures. A signal stops the run after the current cases, and the report is partial.
///
/// Exits with 0 if all results are as expected, 1 if a result is unexpected, a reader was not tested, or a check of
/// --selftest failed, 2 if the run could not start, or no reader could be started, and 130 if SIGINT or SIGTERM ended it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Run the built-in reference reader:
    torchproof run
  Run a program on the cases about identifiers:
    torchproof run --reader 'once:grep -qa ET12' --cases 'pte/identifier/*'
  Write the report as a page for a browser:
    torchproof run --reader builtin:flatbuffers --report html=run.html")]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    pub(super) given: GivenOptions,
    /// Address of a reader; repeatable
    #[arg(long = "reader", value_name = "ADDR", default_value = "builtin:reference")]
    pub(super) readers: Vec<String>,
    /// The corpus folder [default: the nearest folder named `corpus` above the current folder or above this program, otherwise
    /// the cases in this program]
    #[arg(long, value_name = "DIR")]
    pub(super) corpus: Option<PathBuf>,
    /// Run only the cases that failed in an earlier run, with that run's readers, deliveries and options. FILE is its
    /// results file; the commands in FILE are executed, so pass only files that you trust. With --reader, every reader
    /// runs on all failed cases
    #[arg(long, value_name = "FILE", conflicts_with = "update_known")]
    pub(super) rerun_failed: Option<PathBuf>,
    /// Check each reader's adapter first, and stop if a check fails; with `=only`, do not run the cases. Each file may
    /// take 2 s times --time-scale, and the check for a hang takes at least that long
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "first", value_parser = one_of([("first", SelftestMode::First), ("only", SelftestMode::Only)]))]
    pub(super) selftest: Option<SelftestMode>,
    /// Select cases by a glob that matches the whole id: `pte/header/*`, `pte/**`; repeatable
    #[arg(help_heading = "Selection", long, value_name = "GLOB")]
    pub(super) cases: Vec<String>,
    /// Select cases by rule; repeatable
    #[arg(help_heading = "Selection", long = "rule", value_name = "RULE")]
    pub(super) rules: Vec<String>,
    /// Select reject cases by stage: the latest one at which a reader may reject the file; repeatable
    #[arg(help_heading = "Selection", long = "stage", value_name = "S", value_parser = one_of(Stage::ALL.map(|stage| (stage.name(), stage))))]
    pub(super) stages: Vec<Stage>,
    /// Select cases by the basis of their rule, separated by commas: text (an official page or schema states the rule), loader
    /// (released readers enforce it), writer (official writers always keep it) or policy (this project chose it)
    #[arg(help_heading = "Selection", long = "basis", value_name = "LIST", value_delimiter = ',', value_parser = one_of(Basis::ALL.map(|basis| (basis.name(), basis))))]
    pub(super) bases: Vec<Basis>,
    /// Run every case with each of these deliveries, separated by commas: buffer, unaligned, file, file-at-offset, mmap
    /// or guard (memory that ends at an unreadable page) [default: each reader's default deliveries]
    #[arg(help_heading = "Selection", long = "delivery", value_name = "LIST", value_delimiter = ',')]
    pub(super) deliveries: Vec<Delivery>,
    /// File that lists known failures, each with a reason. These failures are `known` and do not fail the run. A listed
    /// case that passes (`fixed`) fails the run, and so does an entry that matches no result (`stale`)
    #[arg(help_heading = "Grading", long, value_name = "FILE")]
    pub(super) known_failures: Option<PathBuf>,
    /// Update the known-failures file from this run's results; the exit code still reflects the old file
    #[arg(help_heading = "Grading", long, requires = "known_failures")]
    pub(super) update_known: bool,
    /// Reason for the entries that --update-known adds. With a reason, an area whose graded cases all fail in the same
    /// way gets a single entry
    #[arg(help_heading = "Grading", long, value_name = "TEXT", requires = "update_known", value_parser = NonEmptyStringValueParser::new())]
    pub(super) reason: Option<String>,
    /// Grade cases for should-rules like those for must-rules
    #[arg(help_heading = "Grading", long)]
    pub(super) deny_should: bool,
    /// How to grade a reader's panic: as a crash (`fail`), as a rejection (`reject`), or not at all (`report`)
    #[arg(help_heading = "Grading", long, value_name = "AS", default_value = "fail", value_parser = one_of(PANICS))]
    pub(super) panic: Panics,
    /// Number of cases to run and readers to start in parallel [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = job_count)]
    pub(super) jobs: Option<NonZero<usize>>,
    /// Run the cases in corpus order instead of a random order
    #[arg(long, conflicts_with = "seed")]
    pub(super) in_order: bool,
    /// Seed for the random case order [default: a random seed, which the JSON report and the results file contain]
    #[arg(long, value_name = "S", value_parser = number)]
    pub(super) seed: Option<u64>,
    /// Append each result to this file as soon as its case ends. The readers' input files are written to the same
    /// folder [default: torchproof-run/results.jsonl in cargo's target folder; with --rerun-failed,
    /// torchproof-run/failed.jsonl]
    #[arg(help_heading = "Reports", long, value_name = "FILE")]
    pub(super) results: Option<PathBuf>,
    /// Memory limit for a reader in MiB, instead of each case's budget; 0 removes the limit
    #[arg(help_heading = "Limits", long, value_name = "N", value_parser = number)]
    pub(super) memory_mb: Option<u64>,
    /// Multiply each case's time budget by this factor, for slow machines and instrumented readers
    #[arg(help_heading = "Limits", long, value_name = "X", default_value_t = 1.0, value_parser = factor)]
    pub(super) time_scale: f64,
    /// Print every failure, one row for each case, and skipped cases by name
    #[arg(long, short)]
    pub(super) verbose: bool,
    #[command(flatten)]
    pub(super) files: ReportFiles,
    #[command(flatten)]
    pub(super) starting: StartOptions,
}

/// When the adapter selftest runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelftestMode {
    First,
    Only,
}

const PANICS: [(&str, Panics); 3] = [("fail", Panics::Fail), ("reject", Panics::Reject), ("report", Panics::Report)];
