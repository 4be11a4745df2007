//! `torchproof explain`: what a rule or a case is about.

use std::process::ExitCode;

use super::format::Format;
use super::{Done, page};
use crate::explain::Explained;

/// Explain a rule or a case.
///
/// Of a rule: what holds, why, what readers do about it, where it comes from, and the cases about it. Of a case: what is wrong
/// with its file, how it was made, and the bytes, with the defect in brackets. `torchproof rules` and `torchproof corpus list`
/// list what there is.
///
/// Exit code 0: explained; 2: there is no such rule or case.
#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Ids of rules and cases: `eh-length-min`, `pte/header/length-23`
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// How to explain
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show every part of a case's file, not only those around its defect
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &ExplainArgs) -> Done {
    let explained = Explained::of(&args.ids)?;
    args.format.print(&explained, || explained.text(page(), args.all))?;
    Ok(ExitCode::SUCCESS)
}
