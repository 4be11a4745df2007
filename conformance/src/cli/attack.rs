//! `torchproof attack`: mutates files into labeled adversarial inputs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::TypedValueParser;
use torchproof::attack::{Family, Selection, families};
use torchproof::rules::{self, Rule};
use torchproof_harness::disk::OverwritePolicy;
use torchproof_harness::labeled::{Campaign, Source, write};

use super::format::Format;
use super::{CommandResult, folder, number, one_of, page, whole_number};
use crate::catalogue::AttackListing;

/// Make adversarial files, each labeled with what it breaks
///
/// Each FILE is a program, a data file or a bundled program. The mutants go into DIR, next to `labels.jsonl`, which has
/// a line of JSON for each mutant: its name, base file, attack and family, the changed field and bytes, and the effect.
/// The effect is `breaks` (a rule), `preserves` (it breaks no must-rule) or `unknown`.
///
/// A mutant depends only on the seed, the FILEs, the selected attacks and its number, so a higher --count adds files
/// without changing the others. If you name no FILE, base files are generated: for example, `generated/pte-17.pte` is
/// the output of `torchproof generate --swarm --kind pte --seed 17`.
///
/// Exits with 0 if all files were written, and 2 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Write 100 mutated files and their labels:
    torchproof attack corpus/real/linear.pte --count 100 --output attacked
  Attack generated files, with attacks of one family:
    torchproof attack --seed 7 --family offsets --count 20 --output attacked
  List the attacks:
    torchproof attack --list")]
pub(super) struct AttackArgs {
    /// The files to attack [default: generated base files]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The output folder, which must be empty
    #[arg(long, short, value_name = "DIR", value_parser = folder(), required_unless_present = "list")]
    output: Option<PathBuf>,
    /// Number of files to write
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number)]
    count: u64,
    /// Seed for the random choices
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = number)]
    seed: u64,
    /// Use only attacks from this family
    #[arg(help_heading = "Selection", long, value_name = "F", value_parser = family())]
    family: Option<&'static Family>,
    /// Use only attacks that break this rule
    #[arg(help_heading = "Selection", long, value_name = "RULE", value_parser = rule)]
    rule: Option<&'static Rule>,
    /// Number of attacks per file, from 1 to 64; --family and --rule restrict only the first attack
    #[arg(help_heading = "Selection", long, value_name = "D", default_value_t = 1, value_parser = |text: &str| whole_number(text, 1..=64))]
    depth: u32,
    /// Use the attacks from this edition and earlier ones. A released edition never changes; edition 1 came with the
    /// first release
    #[arg(help_heading = "Selection", long, value_name = "N", default_value_t = 1, value_parser = |text: &str| whole_number(text, 1..=Selection::NEWEST))]
    edition: u32,
    /// Accept an output folder that is not empty, and replace existing files
    #[arg(long, short)]
    force: bool,
    /// List the families and their attacks, and write no files
    #[arg(long, conflicts_with_all = ["files", "output"])]
    list: bool,
    /// Format for the list
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "list")]
    format: Format,
}

pub(super) fn run(args: &AttackArgs) -> CommandResult {
    let Some(output) = args.output.as_ref().filter(|_| !args.list) else {
        let listing = AttackListing::new();
        args.format.print(&listing, || listing.text(page()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let sources = args.files.iter().map(|path| Source::read(path)).collect::<Result<_, _>>()?;
    let mut selection = Selection::default();
    selection.family = args.family.map(|family| family.name);
    (selection.rule, selection.depth, selection.edition) = (args.rule, args.depth, args.edition);
    let campaign = Campaign::new(sources, selection, args.seed)?;
    write(&campaign, args.count, output, if args.force { OverwritePolicy::Replace } else { OverwritePolicy::Keep })?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn family() -> impl TypedValueParser<Value = &'static Family> {
    one_of(families().iter().map(|family| (family.name, family)))
}

pub(super) fn rule(text: &str) -> Result<&'static Rule, String> {
    rules::get(text).ok_or_else(|| "no rule has this id; `torchproof explain` lists the ids".to_owned())
}
