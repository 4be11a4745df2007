//! `torchproof corpus`: builds, lists, checks, exports and scores the corpus, and imports new cases.

mod check;
mod export;
mod import;
mod score;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use torchproof_harness::corpus::build::{self, Tree};
use torchproof_harness::corpus::{Case, Corpus, FileFault};
use torchproof_harness::text::escape::plain_name;

use super::format::Format;
use super::{CommandResult, folder, page, print};
use crate::catalogue;

/// List, verify, export, build and score the corpus
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  List the cases:
    torchproof corpus list
  Check that a copy of the corpus is complete:
    torchproof corpus check --corpus corpus")]
pub(super) struct CorpusArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(Build),
    Check(check::CorpusCheckArgs),
    List(List),
    Coverage(Coverage),
    Export(export::CorpusExportArgs),
    Import(import::CorpusImportArgs),
    Score(score::CorpusScoreArgs),
}

/// Write the corpus's generated files
///
/// The generated files are manifest.json, index.tsv, CHANGELOG.md and everything in the `files`, `expect` and `dict`
/// folders. Any other file in these folders is deleted; the rest of the corpus folder stays as it is.
///
/// For case authors: --check compares the folder with the corpus that this program generates. To verify a copy of a
/// released corpus, use `torchproof corpus check`.
///
/// Exits with 0 if the corpus was written or --check found no difference, 1 if --check found one, and 2 if the corpus could
/// not be built or written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Build the corpus in a new folder:
    torchproof corpus build --output new-corpus
  List the generated files that differ from the build:
    torchproof corpus build --check --output corpus")]
struct Build {
    /// The corpus folder [default: the nearest folder named `corpus` above the current folder or above this program]
    #[arg(long, short, value_name = "DIR", value_parser = folder())]
    output: Option<PathBuf>,
    /// List the files that `build` would write or delete, and change nothing
    #[arg(long)]
    check: bool,
}

/// List the cases by id
///
/// The list shows the cases in this program, whatever the corpus folder contains.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  List the cases about program headers:
    torchproof corpus list | grep -A 1 '^pte/header/'
  Print the manifest as JSON:
    torchproof corpus list --format json")]
struct List {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Count the cases for each rule
///
/// Each row shows a rule and how many of its cases have the verdicts accept, reject and either. The last column marks the
/// gaps: rules without a case, and must-rules about files that no reject case breaks. The reasons for the gaps come last.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print the totals:
    torchproof corpus coverage | tail -n 3
  List the rules without a case:
    torchproof corpus coverage | grep 'no case'")]
struct Coverage {
    /// Output format; JSON also contains the ids of the cases
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &CorpusArgs) -> CommandResult {
    match &args.command {
        Command::Build(args) => build(args),
        Command::Check(args) => check::run(args),
        Command::List(args) => list(args),
        Command::Coverage(args) => coverage(args),
        Command::Export(args) => export::run(args),
        Command::Import(args) => import::run(args),
        Command::Score(args) => score::run(args),
    }
}

fn build(args: &Build) -> CommandResult {
    let tree = build::build()?;
    // If there is no corpus yet, build one in the current folder.
    let dir = args.output.clone().or_else(|| Corpus::find().ok()).unwrap_or_else(|| PathBuf::from("corpus"));
    let place = plain_name(&dir.to_string_lossy());
    if !args.check {
        let written = tree.write(&dir)?;
        let deleted = written.iter().filter(|difference| difference.fault == FileFault::Stray).count();
        let changed = written.len() - deleted;
        print(&format!("{place}: {}; {changed} written, {deleted} deleted\n", size(&tree)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let differences = tree.differences(&dir)?;
    let mut text: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
    text += &match differences.len() {
        0 => format!("{place}: {}; identical to the build\n", size(&tree)),
        count => {
            format!("{place}: {} from the build; run `torchproof corpus build`\n", counted_differences(count))
        }
    };
    print(&text)?;
    Ok(ExitCode::from(u8::from(!differences.is_empty())))
}

fn counted_differences(count: usize) -> String {
    if count == 1 { "1 file differs".to_owned() } else { format!("{count} files differ") }
}

fn size(tree: &Tree) -> String {
    let bytes: usize = tree.files.values().map(Vec::len).sum();
    format!("{} files, {} KiB", tree.files.len(), bytes.div_ceil(1024))
}

fn list(args: &List) -> CommandResult {
    let manifest = build::build()?.manifest;
    args.format.print(&manifest, || manifest.cases.iter().map(entry).collect())?;
    Ok(ExitCode::SUCCESS)
}

fn coverage(args: &Coverage) -> CommandResult {
    let coverage = catalogue::Coverage::new();
    args.format.print(&coverage, || coverage.text(page().of_list()))?;
    Ok(ExitCode::SUCCESS)
}

fn entry(case: &Case) -> String {
    let (verdict, rule) = (case.verdict.name(), case.rule.as_deref().unwrap_or("-"));
    format!("{}  {verdict}  {rule}\n", case.id) + &page().of_list().paragraph("    ", &case.title)
}
