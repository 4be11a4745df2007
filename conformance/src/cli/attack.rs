//! `torchproof attack`: adversarial files of any file, each with a label.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::TypedValueParser;
use torchproof::attack::{Family, Selection, families};
use torchproof::rules::{self, Rule};

use super::format::Format;
use super::{Done, folder, one_of, page};
use crate::attack::{Campaign, Listing, Source, write};
use crate::disk::Existing;

/// Make adversarial files of files, each with a label.
///
/// Programs, data files and bundled programs are attacked, whoever made them. What is made goes into DIR, and with it
/// `labels.jsonl`: one object a line with the file's name, the file that was attacked, the attack and its family, the rule that is
/// broken, the field and the bytes, and whether the file breaks the rule, preserves what the formats ask, or nobody knows.
///
/// A file depends on the seed, its number, the FILEs and the selection: with a higher --count, the first ones stay what they are.
/// Without FILEs, each attack is on a file of its own: `generated/pte-17.pte` in a label is what
/// `torchproof generate --swarm --kind pte --seed 17` makes.
///
/// Exit code 0: done; 2: it could not be done, and one line on stderr says why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof attack model.pte --count 1000 --out attacked
  torchproof attack --seed 7 --family offsets --out attacked
  torchproof attack --list")]
pub(super) struct AttackArgs {
    /// The files to attack; without any, each attack is on a file that is generated for it
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder for what is made, which must be empty
    #[arg(long, value_name = "DIR", value_parser = folder(), required_unless_present = "list")]
    out: Option<PathBuf>,
    /// How many files to make
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: u64,
    /// What the choices are made from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Only attacks of this family
    #[arg(long, value_name = "F", value_parser = family())]
    family: Option<&'static Family>,
    /// Only attacks that break this rule
    #[arg(long, value_name = "R", value_parser = rule)]
    rule: Option<&'static Rule>,
    /// Attacks on one file, one after the other; --family and --rule are about the first
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    /// Use the attacks of this edition and earlier ones; an edition never changes, and 1 is that of the first release
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    edition: u32,
    /// Put the files into a folder that is not empty, replacing those of the same names
    #[arg(long, short)]
    force: bool,
    /// List the families and their attacks, and make nothing
    #[arg(long, conflicts_with_all = ["files", "out"])]
    list: bool,
    /// How to list
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "list")]
    format: Format,
}

pub(super) fn run(args: &AttackArgs) -> Done {
    let Some(out) = args.out.as_ref().filter(|_| !args.list) else {
        let listing = Listing::new();
        args.format.print(&listing, || listing.text(page()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let sources = args.files.iter().map(|path| Source::read(path)).collect::<Result<_, _>>()?;
    let mut selection = Selection::default();
    selection.family = args.family.map(|family| family.name);
    (selection.rule, selection.depth, selection.edition) = (args.rule, args.depth, args.edition);
    let campaign = Campaign::new(sources, selection, args.seed)?;
    write(&campaign, args.count, out, if args.force { Existing::Replace } else { Existing::Keep })?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn family() -> impl TypedValueParser<Value = &'static Family> {
    one_of(families().iter().map(|family| (family.name, family)))
}

pub(super) fn rule(text: &str) -> Result<&'static Rule, String> {
    rules::get(text).ok_or_else(|| "no rule; `torchproof rules` lists them".to_owned())
}
