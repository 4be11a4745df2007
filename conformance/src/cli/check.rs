//! `torchproof check`: which rules a file breaks.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::check::Options;
use torchproof_conformance::findings::{self, json, text};

use super::{COULD_NOT, Done, complain, print};

/// Check files against the rules.
///
/// A file is read by range: its header, its FlatBuffer and the gaps between its segments, so that its size in weights costs
/// nothing.
///
/// Exit code 0: no must-rule is broken; 1: one is; 2: a file could not be examined.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// .pte and .ptd files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Let should-rules fail a file as well
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people: each finding with its bytes
    Text,
    /// One object for all files
    Json,
}

pub(super) fn run(args: &Args) -> Done {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut report = json::Report::default();
    let (mut rejected, mut unexamined) = (false, false);
    for path in &args.files {
        let name = path.display().to_string();
        match findings::examine(path, &Options::default()) {
            Ok((input, examined)) => {
                rejected |= examined.rejects(args.strict);
                unexamined |= examined.incomplete.is_some();
                match args.format {
                    Format::Text => print(&text::render(&name, &input, &examined, args.strict, colour))?,
                    Format::Json => report.files.push(json::File::examined(name, examined, args.strict)),
                }
            }
            Err(error) => {
                unexamined = true;
                complain(&error.to_string());
                report.files.push(json::File::unreadable(name, error.to_string()));
            }
        }
    }
    if args.format == Format::Json {
        print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    }
    Ok(match (unexamined, rejected) {
        (true, _) => ExitCode::from(COULD_NOT),
        (false, true) => ExitCode::from(1),
        (false, false) => ExitCode::SUCCESS,
    })
}
