//! `torchproof corpus`: builds the corpus from the case registry, and looks after copies of it.

mod check;
mod export;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use super::format::Format;
use super::{Done, folder, print, removed};
use crate::corpus::build::{self, Tree};
use crate::corpus::{self, Case, Corpus, FileFault};

/// Build the corpus, list its cases, see what they test, or check and export a copy of it.
#[derive(Debug, clap::Args)]
pub(super) struct CorpusArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(Build),
    Check(check::CorpusCheckArgs),
    List(List),
    /// Removed.
    #[command(hide = true)]
    Show(removed::RemovedArgs),
    Coverage(Coverage),
    Export(export::CorpusExportArgs),
}

/// Write every generated file of the corpus.
///
/// These are manifest.json, index.tsv, CHANGELOG.md and the folders files/, expect/ and dict/, in which whatever is not generated any more
/// is deleted; nothing else in the corpus folder is touched.
///
/// With --check, the folder is compared with the case functions of this program, as they are: that is for those who change them.
/// Whether a copy is a whole one of the release that it says it is, `torchproof corpus check` checks.
///
/// Exit code 0: done, or with --check nothing differs; 1: with --check something does; 2: it could not be done.
#[derive(Debug, clap::Args)]
struct Build {
    /// The corpus folder [default: `corpus` here, above, or above the program]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    out: Option<PathBuf>,
    /// Write nothing, and list what would be written or deleted
    #[arg(long)]
    check: bool,
}

/// List the cases that this program builds, by id.
#[derive(Debug, clap::Args)]
struct List {
    /// How to list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Show which rules the cases test.
///
/// One row a rule, with how many cases about it must be accepted, must be rejected or may be either. A must-rule of files has to
/// have one that must be rejected; where there is none, the row says so.
#[derive(Debug, clap::Args)]
struct Coverage {
    /// How to show it; JSON has the cases' ids too
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &CorpusArgs) -> Done {
    match &args.command {
        Command::Build(args) => build(args),
        Command::Check(args) => check::run(args),
        Command::List(args) => list(args),
        Command::Show(args) => removed::show(args),
        Command::Coverage(args) => coverage(args),
        Command::Export(args) => export::run(args),
    }
}

fn build(args: &Build) -> Done {
    let tree = build::build()?;
    // Where there is no corpus yet, one is begun here.
    let dir = args.out.clone().or_else(|| Corpus::find().ok()).unwrap_or_else(|| PathBuf::from("corpus"));
    let place = dir.display();
    if !args.check {
        let written = tree.write(&dir)?;
        let deleted = written.iter().filter(|difference| difference.fault == FileFault::Stray).count();
        let changed = written.len() - deleted;
        print(&format!("{place}: {}, of which {changed} were written; {deleted} others deleted\n", size(&tree)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let differences = tree.differences(&dir)?;
    let mut text: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
    text += &match differences.len() {
        0 => format!("{place}: {}, all as built\n", size(&tree)),
        count => format!("{place}: not as built in {count} files; `torchproof corpus build` makes it so\n"),
    };
    print(&text)?;
    Ok(ExitCode::from(u8::from(!differences.is_empty())))
}

fn size(tree: &Tree) -> String {
    let bytes: usize = tree.files.values().map(Vec::len).sum();
    format!("{} files, {} KiB", tree.files.len(), bytes.div_ceil(1024))
}

fn list(args: &List) -> Done {
    let manifest = build::build()?.manifest;
    args.format.print(&manifest, || manifest.cases.iter().map(line).collect())?;
    Ok(ExitCode::SUCCESS)
}

fn coverage(args: &Coverage) -> Done {
    let coverage = corpus::Coverage::new();
    args.format.print(&coverage, || coverage.text())?;
    Ok(ExitCode::SUCCESS)
}

fn line(case: &Case) -> String {
    let verdict = case.verdict.name();
    let rule = case.rule.as_deref().unwrap_or("-");
    format!("{:<44} {verdict}  {rule:<26} {}\n", case.id, case.title)
}
