//! The arguments of `torchproof run`.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::ValueEnum;
use torchproof::Stage;
use torchproof_protocol::Delivery;

use super::super::arguments::{GivenOptions, job_count, one_of};
use super::super::readers::Starting;
use crate::run::grade::Panics;

/// Run readers on the corpus
///
/// The address of a reader is one of:
///
/// builtin:NAME, a reader in this program: reference, flatbuffers, accept-all or reject-all.
///
/// once:CMD, a program that runs for each case with the files as last arguments. Exit code 0 accepts, 1 rejects, 2 is unsupported.
///
/// exec:CMD, a worker that speaks the JSON-lines protocol.
///
/// lib:PATH, a shared library with two functions. Each case runs in a forked child.
///
/// CMD is split into words like a shell command. The last line of text output is the command that repeats the failed cases.
///
/// Exit code 0: no unexpected result; 1: an unexpected result, or a reader without a tested case; 2: the run could not start, or no
/// reader could be started.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Run the built-in reference reader:
    torchproof run
  Run a program on the cases about identifiers:
    torchproof run --reader 'once:grep -qa ET12' --cases 'pte/identifier/*'
  Write the report as a page for a browser:
    torchproof run --reader builtin:flatbuffers --format html --out run.html")]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    pub(super) given: GivenOptions,
    /// Address of a reader; repeatable
    #[arg(long = "reader", value_name = "ADDR", default_value = "builtin:reference")]
    pub(super) readers: Vec<String>,
    /// The corpus folder [default: the nearest `corpus` folder above the current folder or the program]
    #[arg(long, value_name = "DIR")]
    pub(super) corpus: Option<PathBuf>,
    /// Select cases by a glob for the whole id: `pte/header/*`, `pte/**`; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(super) cases: Vec<String>,
    /// Select cases by rule; repeatable
    #[arg(long = "rule", value_name = "RULE")]
    pub(super) rules: Vec<String>,
    /// Select reject cases by the latest stage of rejection; repeatable
    #[arg(long = "stage", value_name = "S", value_parser = one_of(Stage::ALL.map(|stage| (stage.name(), stage))))]
    pub(super) stages: Vec<Stage>,
    /// Run every case with each of these deliveries, separated by commas: buffer, unaligned, file, file-at-offset, mmap, guard
    /// (memory that ends at an unreadable page) [default: the default delivery of each reader]
    #[arg(long = "delivery", value_name = "LIST", value_delimiter = ',')]
    pub(super) deliveries: Vec<Delivery>,
    /// File of known failures, each with a reason. A listed failure is `known` and does not fail the run. A listed case that
    /// passes is `fixed`, and an entry without a result is stale; both fail the run
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// Rewrite the known-failures file from this run; the exit code still reflects the old file
    #[arg(long, requires = "known")]
    pub(super) update_known: bool,
    /// Grade cases of should-rules like cases of must-rules, as `check --strict` does
    #[arg(long)]
    pub(super) strict: bool,
    /// Grade of a reader's panic: as a crash, as a rejection, or reported without a grade
    #[arg(long, value_name = "AS", default_value = "fail", value_parser = one_of(PANICS))]
    pub(super) panic: Panics,
    /// Number of cases to run, and of readers to start, in parallel [default: number of processors]
    #[arg(long, value_name = "N", value_parser = job_count)]
    pub(super) jobs: Option<NonZero<usize>>,
    /// Output format
    #[arg(long, value_enum, default_value_t = RunFormat::Text)]
    pub(super) format: RunFormat,
    /// Write the report to this file, and the summary to stdout
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// File for the results, appended as they arrive. Readers get their files in a folder beside it [default:
    /// torchproof-run/results.jsonl under cargo's target folder]
    #[arg(long, value_name = "FILE")]
    pub(super) results: Option<PathBuf>,
    /// Memory limit of a reader in MiB, instead of the case's budget; 0 lifts the limit, which sanitizers need
    #[arg(long, value_name = "N")]
    pub(super) memory_mb: Option<u64>,
    /// Factor for each case's time budget, for slow machines and instrumented readers
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub(super) time_scale: f64,
    #[arg(long, hide = true)]
    pub(super) copies: Option<OsString>,
    #[command(flatten)]
    pub(super) starting: Starting,
    /// Print one row per case, and list skipped cases by name
    #[arg(long, short)]
    pub(super) verbose: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum RunFormat {
    /// Text for a terminal
    Text,
    /// One JSON object, described by schema/run.schema.json
    Json,
    /// JUnit XML for CI sites, described by schema/junit.xsd
    Junit,
    /// SARIF 2.1.0 with the unexpected results, for code scanning
    Sarif,
    /// Removed: `junit` replaces it
    #[value(hide = true)]
    Tap,
    /// Markdown for the summary page of a CI site
    Markdown,
    /// One HTML page with the bytes, the control and the rule of each case
    Html,
}

const PANICS: [(&str, Panics); 3] = [("fail", Panics::Fail), ("reject", Panics::Reject), ("report", Panics::Report)];
