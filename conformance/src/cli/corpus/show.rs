//! `torchproof corpus show`: one case.

use std::process::ExitCode;

use torchproof::rules;
use torchproof_cli::explain::{Explained, Subject};

use crate::cli::{Done, page, print};

use super::super::format::Format;

/// Show a case: what is wrong with its file, how it was made, and the bytes, with the defect in brackets.
///
/// As text, it is what `torchproof explain` says of it. The case is one that this program builds.
///
/// Exit code 0: shown; 2: there is no such case.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Id of the case: `pte/header/length-23`
    id: String,
    /// How to show it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show every part of the file, not only those around its defect
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &Args) -> Done {
    if let Some(rule) = rules::find(&args.id) {
        return Err(format!("{rule}: is a rule; `torchproof explain {rule}` tells of it, and of its cases").into());
    }
    let explained = Explained::of(std::slice::from_ref(&args.id))?;
    match args.format {
        Format::Text => print(&explained.text(page(), args.all))?,
        Format::Json => {
            for subject in &explained.explained {
                if let Subject::Case(entry) = subject {
                    print(&(serde_json::to_string_pretty(&entry.case)? + "\n"))?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
