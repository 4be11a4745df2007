//! `torchproof corpus score`: measures the mutation score of the corpus.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_harness::corpus::Corpus;
use torchproof_harness::reader::Launcher;
use torchproof_harness::run::results_folder;
use torchproof_harness::run::score::measure;

use crate::cli::format::Format;
use crate::cli::{CommandResult, job_count, jobs};

/// Measure how often the corpus notices that a rule is disabled
///
/// Each must-rule in turn is disabled in the reference checker, which then runs on the corpus. The rule is caught if at
/// least one case fails, and missed otherwise. The output lists the missed rules, then the rules that no file can test,
/// each with a reason, and ends with the mutation score. To run the checker with one rule disabled, use `torchproof run
/// --reader builtin:reference,without=RULE`.
///
/// Exits with 0 if every rule was caught, 1 if one was missed, and 2 if the score could not be measured.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Measure the score of the corpus:
    torchproof corpus score
  Print the result for each rule as JSON:
    torchproof corpus score --format json")]
pub(in crate::cli) struct CorpusScoreArgs {
    /// The corpus folder [default: the nearest folder named `corpus` above the current folder or above this program]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Number of cases to run in parallel [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = job_count)]
    jobs: Option<NonZero<usize>>,
    /// Append each result to this file as soon as its case ends [default: torchproof-run/score.jsonl in cargo's target
    /// folder]
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &CorpusScoreArgs) -> CommandResult {
    let corpus = Corpus::open(args.corpus.as_deref())?;
    let jobs = jobs(args.jobs);
    let results = args.results.clone().unwrap_or_else(|| results_folder().join("score.jsonl"));
    let score = measure(&corpus, jobs, &results, &Launcher::current()?)?;
    args.format.print(&score, || score.text())?;
    Ok(ExitCode::from(u8::from(!score.is_complete())))
}
