//! `torchproof diff`: shows what changed between two files.

mod markdown;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::prediction::EffectTable;
use torchproof_model::check::Verdict;
use torchproof_model::diff::Compared;
use torchproof_model::inspect::{Digests, InspectOutput, inspect};
use torchproof_model::{diff, html};

use super::format::print_json;
use super::inspect::open;
use super::{COULD_NOT, CommandResult, complain, print};
use crate::findings::check_hint;

/// Show what changed between two files
///
/// `diff` compares what the files mean: methods, shapes, operators, instructions, constants, delegates, memory plans,
/// metadata, data, and what a build needs. Constants, including tensors in data files, are paired by name, by digest,
/// or by shape in file order; if both have the same type and shape, you also see their numeric distance. The largest
/// changes come first. Both files are read completely.
///
/// As in `check`, the data files next to each program are used.
///
/// Exits with 0 if a reader sees no difference, 1 if the files differ, and 2 if a file could not be compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Show what an export changes:
    torchproof diff corpus/real/linear_v0.6.0.pte corpus/real/linear.pte
  Write a comment for a pull request:
    torchproof diff --format markdown corpus/real/conv.pte corpus/real/add.pte")]
pub(super) struct DiffArgs {
    /// The file before the change
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The file after the change
    #[arg(value_name = "B")]
    after: PathBuf,
    /// Print all changes instead of the 20 largest
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    format: DiffFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum DiffFormat {
    /// Text
    Text,
    /// One JSON object, described by schema/diff.schema.json
    Json,
    /// A comment of at most 40 lines for a pull request
    Markdown,
    /// A self-contained page with both files and the changes
    Html,
}

pub(super) fn run(args: &DiffArgs) -> CommandResult {
    let (one, other) = (open(&args.before, &[])?, open(&args.after, &[])?);
    let releases = EffectTable::get().releases();
    let read = one.with(|a, a_data| {
        other.with(|b, b_data| {
            let before = inspect(a, a_data, &releases, Digests::All);
            let after = inspect(b, b_data, &releases, Digests::All);
            let (old, new) = (
                Compared { file: a, output: &before, data: a_data },
                Compared { file: b, output: &after, data: b_data },
            );
            (diff(old, new), before, after)
        })
    });
    let (found, before, after) = read??;
    for (output, path) in [(&before, &args.before), (&after, &args.after)] {
        if let Some(reason) = unfinished(output) {
            complain(&format!("{reason}; {}", check_hint(path)));
            return Ok(ExitCode::from(COULD_NOT));
        }
    }
    match args.format {
        DiffFormat::Text => print(&text::text(&found, args.all))?,
        DiffFormat::Json => print_json(&found)?,
        DiffFormat::Markdown => print(&markdown::markdown(&found))?,
        DiffFormat::Html => print(&html::diff_page(&found, &before, &after)?)?,
    }
    Ok(ExitCode::from(u8::from(!found.same)))
}

/// Why the tables can be incomplete, if the file is broken.
fn unfinished(output: &InspectOutput) -> Option<&str> {
    let is_package = output.file.kind == torchproof::FileKind::Ptn;
    let is_unfinished = output.check.verdict == Verdict::Unexamined && !is_package;
    is_unfinished.then(|| output.check.error.as_deref().unwrap_or("the check did not finish"))
}
