//! `torchproof corpus export`: writes the corpus or selected cases as a tar archive.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof_harness::corpus::build::build;
use torchproof_harness::corpus::{Case, CaseSelection, Corpus, CorpusError, archive, audit};
use torchproof_harness::disk::io_error::cannot_write;
use torchproof_harness::disk::{AtomicFile, OverwritePolicy};

use crate::cli::{CommandResult, of_stdout};
use crate::explain::CaseEntry;
use crate::page::Page;

/// Export the corpus, or some of its cases, as a tar archive
///
/// The archive has one folder, whose manifest and digest cover only the exported cases, including the controls of those
/// that you select. Exports of the same files are identical byte for byte. The extracted folder works with
/// `torchproof corpus check` and `torchproof run --corpus`.
///
/// Exits with 0 if the archive was written, and 2 if it could not be, or the corpus is not complete.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Write the corpus to a file:
    torchproof corpus export -o corpus.tar
  Extract the cases of one rule and their controls:
    torchproof corpus export --rule eh-length-min | tar -x
  Add the annotated bytes of each case:
    torchproof corpus export --cases 'ptd/header/*' --annotated -o headers.tar")]
pub(super) struct CorpusExportArgs {
    /// The archive file; - means stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Select cases by rule; repeatable
    #[arg(long = "rule", value_name = "RULE")]
    rules: Vec<String>,
    /// Select cases by a glob that matches the whole id: `pte/header/*`, `pte/**`; repeatable
    #[arg(long, value_name = "GLOB")]
    cases: Vec<String>,
    /// Add a file annotated/ID.txt for each case, with the output of `torchproof explain --all ID`
    #[arg(long)]
    annotated: bool,
    /// The corpus folder [default: the nearest folder named `corpus` above the current folder or above this program, otherwise
    /// the cases in this program]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &CorpusExportArgs) -> CommandResult {
    let stdout = args.output == Path::new("-");
    if stdout && io::stdout().is_terminal() {
        return Err("stdout: is a terminal; pass -o FILE for the archive".into());
    }
    let built = tempfile::tempdir()?;
    let dir = match args.corpus.clone().map_or_else(Corpus::find, Ok) {
        Err(CorpusError::NoCorpus) => {
            build()?.write(built.path())?;
            built.path().to_owned()
        }
        dir => dir?,
    };
    let audit = audit(&dir)?;
    let manifest = match (audit.manifest, audit.problems.first()) {
        (Some(manifest), None) => manifest,
        (_, problem) => {
            let first = problem.map(|problem| format!(": {problem}")).unwrap_or_default();
            let name = dir.display();
            return Err(format!("{name}: not complete{first}; `torchproof corpus check` lists all problems").into());
        }
    };
    let chosen = !args.rules.is_empty() || !args.cases.is_empty();
    let choice = chosen.then(|| CaseSelection::new(&args.cases, &args.rules, &[])).transpose()?;
    let annotate = |case: &Case, bytes, base| CaseEntry::of(case.clone(), bytes, base).text(Page::FILE, true);
    let bytes = archive(&dir, &manifest, choice.as_ref(), if args.annotated { Some(&annotate) } else { None })?;
    if stdout {
        let mut stdout = io::stdout().lock();
        return match stdout.write_all(&bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            done => Ok(done.map(|()| ExitCode::SUCCESS).map_err(|error| of_stdout(&error))?),
        };
    }
    let existing = if args.force { OverwritePolicy::Replace } else { OverwritePolicy::Keep };
    let written = AtomicFile::create(&args.output, existing).and_then(|mut new| {
        new.file().write_all(&bytes)?;
        new.persist()
    });
    written.map_err(|error| cannot_write(&args.output, &error))?;
    Ok(ExitCode::SUCCESS)
}
