//! `torchproof matrix`: shows how many cases of each area each reader passes.

use std::path::PathBuf;
use std::process::ExitCode;

use super::format::print_json;
use super::{Done, print};
use crate::report::ReaderMatrix;
use crate::run::results::read_results;

/// Show how many cases of each area each reader passes
///
/// RESULTS are results files of `run --results`. Each reader of each file has a column with the reader's version.
///
/// Exit code 0: the matrix was written. Exit code 2: a file could not be read.
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

pub(super) fn run(args: &MatrixArgs) -> Done {
    let runs = args.results.iter().map(|path| read_results(path)).collect::<Result<Vec<_>, _>>()?;
    let matrix = ReaderMatrix::of(&runs);
    match args.format {
        MatrixFormat::Markdown => print(&matrix.markdown())?,
        MatrixFormat::Html => print(&matrix.html())?,
        MatrixFormat::Json => print_json(&matrix)?,
    }
    Ok(ExitCode::SUCCESS)
}
