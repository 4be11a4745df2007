//! `torchproof inspect`: shows what is in a file.

mod annotate;
mod screen;
mod sections;

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::FileKind;
use torchproof::prediction::EffectTable;
use torchproof_model::check::Verdict;
use torchproof_model::html;
use torchproof_model::inspect::{Digests, InspectOutput, brief, inspect};
use torchproof_model::needs::NeedsOutput;

use super::check::{Companions, Opened};
use super::format::print_json;
use super::{COULD_NOT, CommandResult, print};
use crate::cli::complain;
use crate::cli::format::Format;
use crate::findings::check_hint;
use crate::paths::pairing::Pairing;
use sections::Section;

/// Show what is in a file
///
/// The first screen says what the file is, what it needs, where its bytes are (the largest first), what runs outside delegates,
/// and which rules it breaks. Pass --section for the details, or --format html for a page with pictures that works offline.
///
/// To find weights that the file stores twice, `inspect` reads at most 1 MiB of them; pass --digest to read all of
/// them. As in `check`, the data files next to a program are used.
///
/// --annotate shows every byte instead, and the structure that it belongs to: a header or table field, a vtable, a
/// vector's count or elements, a segment, or padding. Bytes that belong to none of these are `unowned`. For a broken
/// file, it shows what can be decoded, and describes the fault in a line on stderr.
///
/// Exits with 0 if the file is accepted or of a kind that no rule covers, 1 if it is rejected (the output shows what
/// can be read), and 2 if it could not be read or exceeds a limit.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Show what is in a program:
    torchproof inspect corpus/real/linear.pte
  List where all bytes are, with digests:
    torchproof inspect --section bytes --digest --all corpus/real/conv.pte
  Write a page with pictures:
    torchproof inspect --format html corpus/real/mlp_xnnpack.pte > page.html")]
pub(super) struct InspectArgs {
    /// The .pte, .ptd, .bpte or .ptn file
    file: PathBuf,
    /// Data file for the program; repeatable [default: those next to it]
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Print only this section; repeatable
    #[arg(long, value_enum, value_name = "SECTION")]
    section: Vec<Section>,
    /// Print all rows of each table, instead of the first ten
    #[arg(long)]
    all: bool,
    /// Read all weights, to compute their digests and find those that are stored twice
    #[arg(long)]
    digest: bool,
    /// Print every byte of the file with the structure that it belongs to
    #[arg(long, conflicts_with_all = ["all", "digest", "section", "with"])]
    annotate: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    format: InspectFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum InspectFormat {
    /// Text that fits on one screen, or the selected sections
    Text,
    /// One JSON object, described by schema/inspect.schema.json
    Json,
    /// A self-contained page with pictures
    Html,
}

pub(super) fn run(args: &InspectArgs) -> CommandResult {
    if args.annotate {
        let format = match args.format {
            InspectFormat::Text => Format::Text,
            InspectFormat::Json => Format::Json,
            InspectFormat::Html => return Err("--annotate: found --format html, expected text or json".into()),
        };
        let complete = annotate::annotate(&args.file, format)?;
        return Ok(ExitCode::from(u8::from(!complete)));
    }
    let opened = open(&args.file, &args.with)?;
    let digests = if args.digest { Digests::All } else { Digests::Few };
    let releases = match args.format {
        InspectFormat::Text => NeedsOutput::newest().into_iter().collect(),
        InspectFormat::Json | InspectFormat::Html => EffectTable::get().releases(),
    };
    let is_brief = args.format == InspectFormat::Text && args.section.is_empty();
    let show = if is_brief { brief } else { inspect };
    let output = opened.with(|file, data| show(file, data, &releases, digests))?;
    match args.format {
        InspectFormat::Text if is_brief => print(&screen::text(&output))?,
        InspectFormat::Text => {
            let most = if args.all { sections::ALL } else { sections::FIRST };
            for section in &args.section {
                print(&sections::text(*section, &output, &opened.input, most))?;
            }
        }
        InspectFormat::Json => print_json(&output)?,
        InspectFormat::Html => print(&html::inspect_page(&output)?)?,
    }
    Ok(exit_code(&output, &args.file))
}

/// Opens a file with the data files that the arguments name, or those next to it.
pub(super) fn open(file: &std::path::Path, with: &[PathBuf]) -> Result<Opened, String> {
    let companions = Companions { pairs: with.is_empty().then(Pairing::by_name), with: with.to_vec(), own: None };
    companions.open(file)
}

fn exit_code(output: &InspectOutput, path: &std::path::Path) -> ExitCode {
    match (output.check.verdict, output.file.kind) {
        (Verdict::Accept, _) | (Verdict::Unexamined, FileKind::Ptn) => ExitCode::SUCCESS,
        (Verdict::Reject, _) => ExitCode::FAILURE,
        (Verdict::Unexamined, _) => {
            let reason = output.check.error.as_deref().unwrap_or("the check did not finish");
            complain(&format!("{reason}; {}", check_hint(path)));
            ExitCode::from(COULD_NOT)
        }
    }
}
