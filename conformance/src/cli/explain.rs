//! `torchproof explain`: explains rules, cases and malformed patterns.

use std::process::ExitCode;

use super::format::Format;
use super::{CommandResult, page};
use crate::explain::ExplainOutput;

/// Explain rules, cases and malformed patterns
///
/// For a rule, `explain` prints its statement, rationale, reader behavior, source and cases. For a case, `explain` prints the
/// defect, the edits that made the file, and the bytes around the defect. Brackets mark the defective bytes. For a malformed
/// pattern, `explain` prints the description and the rules that files with this pattern break. `torchproof rules` lists the ids
/// of rules. `torchproof corpus list` lists the ids of cases.
///
/// Exit code 0: every id was explained. Exit code 2: an id is unknown.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Explain a rule:
    torchproof explain eh-length-min
  Print every byte of a case:
    torchproof explain --all pte/header/length-23
  Explain a rule and a malformed pattern as JSON:
    torchproof explain eh-length-min H-04 --format json")]
pub(super) struct ExplainArgs {
    /// Ids: `eh-length-min`, `pte/header/length-23`, `H-04`
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print every byte of a case's file, instead of only the bytes near the defect
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &ExplainArgs) -> CommandResult {
    let explained = ExplainOutput::of(&args.ids)?;
    args.format.print(&explained, || explained.text(page(), args.all))?;
    Ok(ExitCode::SUCCESS)
}
