//! The arguments of `torchproof run`.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::ValueEnum;
use torchproof::Stage;
use torchproof_protocol::Delivery;

use super::super::arguments::{GivenOptions, one_of};
use super::super::readers::Starting;
use crate::run::grade::Panics;

/// Run readers on the corpus.
///
/// A reader's address is builtin:NAME (reference, flatbuffers, accept-all, reject-all), once:CMD (run for each case with
/// the files as its last arguments: exit 0 accepts, 1 rejects, 2 is unsupported), exec:CMD (a worker that speaks JSON
/// lines) or lib:PATH (a shared library with two functions, each case in a forked child). CMD is split into words as a shell
/// does.
///
/// Exit code 0: nothing unexpected; 1: something was, or a reader was not tested by any case; 2: it could not run, or no reader
/// could be started. The last line of text is the command that runs again what failed.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    pub(super) given: GivenOptions,
    /// A reader; may be given many times
    #[arg(long = "reader", value_name = "ADDR", default_value = "builtin:reference")]
    pub(super) readers: Vec<String>,
    /// The corpus folder [default: `corpus` here, above, or above the program]
    #[arg(long, value_name = "DIR")]
    pub(super) corpus: Option<PathBuf>,
    /// Only cases whose whole id matches: `pte/header/*`, `pte/**`; may be given many times
    #[arg(long, value_name = "GLOB")]
    pub(super) cases: Vec<String>,
    /// Only cases of this rule; may be given many times
    #[arg(long = "rule", value_name = "R")]
    pub(super) rules: Vec<String>,
    /// Only cases that must be rejected by this stage; may be given many times
    #[arg(long = "stage", value_name = "S", value_parser = one_of(Stage::ALL.map(|stage| (stage.name(), stage))))]
    pub(super) stages: Vec<Stage>,
    /// Run every case by each of these deliveries, separated by commas: buffer, unaligned, file, file-at-offset, mmap, guard
    /// (in memory that ends at an unreadable page) [default: each reader's usual one]
    #[arg(long = "delivery", value_name = "LIST", value_delimiter = ',')]
    pub(super) deliveries: Vec<Delivery>,
    /// A list of known failures, each with a reason: a listed failure is `known` and passes the run; one that passes is
    /// `fixed`, one that matches no result is stale, and both fail it
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// Rewrite the known-failures file from this run; the exit code still reflects the old file
    #[arg(long, requires = "known")]
    pub(super) update_known: bool,
    /// Grade cases of should-rules as those of must-rules, as `check --strict` does
    #[arg(long)]
    pub(super) strict: bool,
    /// How to grade a panic of a reader: as a crash, as a rejection, or not at all
    #[arg(long, value_name = "AS", default_value = "fail", value_parser = one_of(PANICS))]
    pub(super) panic: Panics,
    /// Cases under way, and readers starting, at once [default: one a processor]
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<NonZero<usize>>,
    /// How to report
    #[arg(long, value_enum, default_value_t = RunFormat::Text)]
    pub(super) format: RunFormat,
    /// Write the report to a file and the summary to stdout
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Where to append each result when it is known; readers get their files in a folder beside it [default:
    /// torchproof-run/results.jsonl under cargo's target folder]
    #[arg(long, value_name = "FILE")]
    pub(super) results: Option<PathBuf>,
    /// Limit a reader's memory to N MiB whatever the case's budget is; 0 lifts the limit, which sanitizers need
    #[arg(long, value_name = "N")]
    pub(super) memory_mb: Option<u64>,
    /// Multiply each case's time budget, for slow machines and instrumented readers
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub(super) time_scale: f64,
    #[arg(long, hide = true)]
    pub(super) copies: Option<OsString>,
    #[command(flatten)]
    pub(super) starting: Starting,
    /// One row a case, and every skipped one by name
    #[arg(long, short)]
    pub(super) verbose: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum RunFormat {
    /// For people, in a terminal
    Text,
    /// For programs, as schema/run.schema.json describes it
    Json,
    /// For what shows the results of tests, as schema/junit.xsd describes it
    Junit,
    /// What is unexpected, at the bytes of the cases' files, for code-scanning sites
    Sarif,
    /// Removed: `junit` replaces it
    #[value(hide = true)]
    Tap,
    /// For the summary page of a CI site
    Markdown,
    /// One page for a browser, with each case's bytes, its control's and its rule
    Html,
}

const PANICS: [(&str, Panics); 3] = [("fail", Panics::Fail), ("reject", Panics::Reject), ("report", Panics::Report)];
