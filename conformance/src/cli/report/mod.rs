//! `torchproof report`: makes reports from the results of earlier runs or from a campaign.

mod files;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof_harness::corpus::{Corpus, CorpusError};
use torchproof_harness::disk::named::OwnFolder;
use torchproof_harness::run::record::{CorpusReport, RunReport};
use torchproof_harness::run::results::read_results;
use torchproof_harness::text::escape::plain_name;

use super::hunt::{load, text};
use super::run::{exit_code, rerun_failed, settings};
use super::{COULD_NOT, CommandResult, complain};
use crate::report::campaign::CampaignReport;
use crate::report::{ReaderMatrix, RerunCommand};
pub(super) use files::{FormatAndPath, ReportFiles, check_reports, expect_checkout_file, write_reports};

/// Make reports from `run` results or a `hunt` campaign
///
/// INPUT is one or more files that `run --results` wrote, or a campaign folder.
///
/// For one file, you see the run's text report, even if the run was interrupted. --report writes other formats; only
/// HTML needs the run's corpus.
///
/// For several files, you see a matrix of how many cases each reader passes in each area. The column for an interrupted
/// run or an unusable reader is marked as incomplete, because its numbers can be too small. The formats are text, html,
/// markdown and json.
///
/// For a campaign, you see the clusters. The reports tell a reader's maintainers what happens in which of their
/// functions, and which rule the file breaks at which bytes. They include a script that repeats the failure without
/// torchproof. The formats are html and markdown.
///
/// For a run, the exit code is 0 if all results are as expected, and 1 if a result is unexpected or the run is
/// incomplete. For a matrix, it is 2 if a column is incomplete, and 0 otherwise; for a campaign, it is always 0. If an
/// input could not be read or a report could not be written, it is 2.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Run a reader, and make a page for a browser from the results:
    torchproof run --results r > t; torchproof report r --report html=h
  Compare the readers of two runs:
    torchproof run --rule eh-length-min --results r; torchproof report r r
  List the clusters of a campaign:
    torchproof hunt --reader once:ls --time 2s -o a; torchproof report a")]
pub(super) struct ReportArgs {
    /// The results files from one or more runs, or a campaign folder
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The corpus folder, for one run [default: the run's corpus folder if it is below INPUT's folder, else the default
    /// for `run`]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Print every failure, one row for each case, and skipped cases by name; for one run
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    files: ReportFiles,
}

pub(super) fn run(args: &ReportArgs) -> CommandResult {
    let used: Vec<_> = args.inputs.iter().map(|path| ("the input", path.as_path())).collect();
    args.files.check(&used)?;
    match &args.inputs[..] {
        [folder] if folder.is_dir() => of_campaign(args, folder),
        [results] => of_run(args, results),
        several => of_runs(args, several),
    }
}

fn of_campaign(args: &ReportArgs, folder: &Path) -> CommandResult {
    let (store, head) = load(folder)?;
    let report = CampaignReport::of(&store, &head)?;
    let formats = FormatAndPath(|format| CampaignReport::renderer(format).is_some());
    args.files.write_other(&text(&store), formats, |format| Some(CampaignReport::renderer(format)?(&report)))?;
    Ok(ExitCode::SUCCESS)
}

fn of_run(args: &ReportArgs, results: &Path) -> CommandResult {
    let mut report = read_results(results)?;
    report.again = rerun_failed(&report, results);
    let corpus = args.files.need_corpus().then(|| corpus_of(args, results, &report)).transpose()?;
    args.files.write(&report, corpus.as_ref(), &RerunCommand::new(settings(&report.options)), args.verbose)?;
    Ok(ExitCode::from(exit_code(&report)))
}

fn of_runs(args: &ReportArgs, paths: &[PathBuf]) -> CommandResult {
    let runs = paths.iter().map(|path| read_results(path)).collect::<Result<Vec<_>, _>>()?;
    let matrix = ReaderMatrix::of(&runs);
    let formats = FormatAndPath(|format| ReaderMatrix::renderer(format).is_some());
    args.files.write_other(&matrix.markdown(), formats, |format| Some(ReaderMatrix::renderer(format)?(&matrix)))?;
    let mut exit_code = ExitCode::SUCCESS;
    for (path, run) in paths.iter().zip(&runs) {
        let name = plain_name(&path.to_string_lossy());
        for reader in &run.readers {
            if let Some(error) = &reader.error {
                complain(&format!("{name}: the reader {} is unusable: {error}", reader.reader));
                exit_code = ExitCode::from(COULD_NOT);
            }
        }
        if let Some(interrupted) = run.interrupted {
            complain(&format!("{name}: the run is {interrupted}; repeat the run"));
            exit_code = ExitCode::from(COULD_NOT);
        }
    }
    Ok(exit_code)
}

/// Fails if the corpus has changed since the run. Someone else may have written the results, so a corpus named in them is
/// used only if it is below the results' folder.
fn corpus_of(args: &ReportArgs, results: &Path, report: &RunReport) -> Result<Corpus, CorpusError> {
    let of_run = report.options.get("corpus").and_then(|values| values.last()).map(PathBuf::from);
    let of_run = of_run.filter(|path| OwnFolder::of(results).is_ok_and(|own| own.resolve(path).is_some()));
    let corpus = Corpus::open(args.corpus.as_ref().or(of_run.as_ref()).map(PathBuf::as_path))?;
    let found = CorpusReport::of(corpus.manifest());
    if found.digest != report.corpus.digest {
        let named = |corpus: &CorpusReport| format!("{} ({:.12})", corpus.version, corpus.digest);
        return Err(CorpusError::Other { found: named(&found), expected: named(&report.corpus) });
    }
    Ok(corpus)
}
