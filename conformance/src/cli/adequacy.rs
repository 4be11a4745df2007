//! `torchproof adequacy`: how good the corpus is.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use super::format::Format;
use super::{Done, jobs};
use crate::corpus::Corpus;
use crate::reader::Launcher;
use crate::run::adequacy::measure;
use crate::run::results_folder;

/// Measure the mutation score of the corpus: disable each must-rule in turn and check that a case fails.
///
/// The reference checker runs on the corpus without one must-rule at a time. A rule is caught if a case fails the checker. Missed
/// rules are listed, and rules that no file can test, with the reason; the last line is the score. To run one: `torchproof run --reader builtin:reference,without=RULE`.
///
/// Exit code 0: every rule is caught; 1: one is missed; 2: it could not be measured.
#[derive(Debug, clap::Args)]
pub(super) struct AdequacyArgs {
    /// The corpus folder [default: `corpus` here, above, or above the program]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Cases under way at once [default: one a processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Where results are written as they come [default: torchproof-run/adequacy.jsonl under cargo's target folder]
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &AdequacyArgs) -> Done {
    let corpus = Corpus::load(&args.corpus.clone().map_or_else(Corpus::find, Ok)?)?;
    let jobs = jobs(args.jobs);
    let results = args.results.clone().unwrap_or_else(|| results_folder().join("adequacy.jsonl"));
    let adequacy = measure(&corpus, jobs, &results, &Launcher::current()?)?;
    args.format.print(&adequacy, || adequacy.text())?;
    Ok(ExitCode::from(u8::from(!adequacy.is_complete())))
}
