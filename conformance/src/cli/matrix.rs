//! `torchproof matrix`: shows how many cases of each area each reader passes.

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_harness::run::results::read_results;
use torchproof_harness::text::escape::plain_name;

use super::format::print_json;
use super::{COULD_NOT, CommandResult, complain, print};
use crate::report::ReaderMatrix;

/// Show how many cases of each area each reader passes
///
/// RESULTS are results files of `run --results`. Each reader of each file has a column with the reader's version.
///
/// A column of an interrupted run or an unusable reader is marked as incomplete, because its numbers of cases can be too small.
///
/// Exit code 0: the matrix was printed. Exit code 2: a column is incomplete (the matrix is printed anyway), or a file could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print a matrix in markdown:
    torchproof run --rule eh-length-min --results r; torchproof matrix r
  Write a page for a browser:
    torchproof run --rule eh-length-min --results r; torchproof matrix r --format html > m.html")]
pub(super) struct MatrixArgs {
    /// Results files
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = MatrixFormat::Markdown)]
    format: MatrixFormat,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum MatrixFormat {
    /// A table in markdown
    Markdown,
    /// A page for a browser
    Html,
    /// One JSON object, described by schema/matrix.schema.json
    Json,
}

pub(super) fn run(args: &MatrixArgs) -> CommandResult {
    let runs = args.results.iter().map(|path| read_results(path)).collect::<Result<Vec<_>, _>>()?;
    let matrix = ReaderMatrix::of(&runs);
    match args.format {
        MatrixFormat::Markdown => print(&matrix.markdown())?,
        MatrixFormat::Html => print(&matrix.html()?)?,
        MatrixFormat::Json => print_json(&matrix)?,
    }
    let mut exit_code = ExitCode::SUCCESS;
    for (path, run) in args.results.iter().zip(&runs) {
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
