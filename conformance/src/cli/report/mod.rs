//! `torchproof report`: makes reports from the results of an earlier run.

mod files;

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_harness::corpus::{Corpus, CorpusError};
use torchproof_harness::disk::named::OwnFolder;
use torchproof_harness::run::record::{CorpusReport, RunReport};
use torchproof_harness::run::results::read_results;

use super::CommandResult;
use super::run::{exit_code, failed_of, settings};
use crate::report::RerunCommand;
pub(super) use files::{FormatAndPath, ReportFiles, check_reports, expect_checkout_file, write_reports};

/// Report on the results of an earlier run
///
/// `report` reads the file that `run --results` wrote, and prints the text report. The file can be incomplete if the run
/// was interrupted. An HTML report needs the corpus of the run. All other reports need only the results.
///
/// Exit code 0: all results are as expected. Exit code 1: a result is unexpected, or the run is incomplete. Exit code 2: the
/// results could not be read, or a report could not be written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Run a reader, and print the report again:
    torchproof run --rule eh-length-min --results r.jsonl && torchproof report r.jsonl
  Run a reader, and make a page for a browser from the results:
    torchproof run --rule eh-length-min --results r && torchproof report r --report html=r.html")]
pub(super) struct ReportArgs {
    /// The results file
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    #[command(flatten)]
    files: ReportFiles,
    /// The corpus folder [default: the corpus folder of the run if it is below the folder of RESULTS, else the default of `run`]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Print every failure, one row for each case, and skipped cases by name
    #[arg(long, short)]
    verbose: bool,
}

pub(super) fn run(args: &ReportArgs) -> CommandResult {
    args.files.check(&[("the results", &args.results)])?;
    let mut report = read_results(&args.results)?;
    report.again = failed_of(&report, &args.results);
    let corpus = args.files.need_corpus().then(|| corpus_of(args, &report)).transpose()?;
    args.files.write(&report, corpus.as_ref(), &RerunCommand::new(settings(&report.options)), args.verbose)?;
    Ok(ExitCode::from(exit_code(&report)))
}

/// Fails if the corpus has changed since the run. The results can be from someone else, so a corpus that they name counts only
/// below their folder.
fn corpus_of(args: &ReportArgs, report: &RunReport) -> Result<Corpus, CorpusError> {
    let of_run = report.options.get("corpus").and_then(|values| values.last()).map(PathBuf::from);
    let of_run = of_run.filter(|path| OwnFolder::of(&args.results).is_ok_and(|own| own.resolve(path).is_some()));
    let corpus = Corpus::open(args.corpus.as_ref().or(of_run.as_ref()).map(PathBuf::as_path))?;
    let found = CorpusReport::of(corpus.manifest());
    if found.digest != report.corpus.digest {
        let named = |corpus: &CorpusReport| format!("{} ({:.12})", corpus.version, corpus.digest);
        return Err(CorpusError::Other { found: named(&found), expected: named(&report.corpus) });
    }
    Ok(corpus)
}
