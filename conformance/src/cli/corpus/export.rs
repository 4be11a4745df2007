//! `torchproof corpus export`: the corpus, or a part of it, as a tar.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::{Done, of_stdout, unwritten};
use crate::corpus::{CaseSelection, Corpus};
use crate::corpus_copy::{archive, audit};
use crate::disk::{AtomicFile, Existing};

/// Write the corpus, or the cases of some rules, as a tar.
///
/// Everything is in one folder, with a manifest. Of a part there are the chosen cases and their controls, without which a
/// rejection shows nothing; its manifest and its digest are of these. The same files always make the same bytes. The folder that
/// comes out of it is one that `torchproof corpus check` and `torchproof run --corpus` take.
///
/// Exit code 0: written; 2: it could not be, or the corpus is not whole.
#[derive(Debug, clap::Args)]
pub(super) struct CorpusExportArgs {
    /// The file to write; `-` is stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Only cases of this rule; may be given many times
    #[arg(long = "rule", value_name = "R")]
    rules: Vec<String>,
    /// Only cases whose whole id matches: `pte/header/*`, `pte/**`; may be given many times
    #[arg(long, value_name = "GLOB")]
    cases: Vec<String>,
    /// Add annotated/ID.txt for each case: what `torchproof explain --all ID` prints
    #[arg(long)]
    annotated: bool,
    /// The corpus folder [default: `corpus` here, above, or above the program]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Replace FILE if it is there
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &CorpusExportArgs) -> Done {
    let stdout = args.output == Path::new("-");
    if stdout && io::stdout().is_terminal() {
        return Err("a tar is not for a terminal: name a file with -o".into());
    }
    let dir = args.corpus.clone().map_or_else(Corpus::find, Ok)?;
    let audit = audit(&dir)?;
    let manifest = match (audit.manifest, audit.problems.first()) {
        (Some(manifest), None) => manifest,
        (_, problem) => {
            let first = problem.map(|problem| format!("{problem}; ")).unwrap_or_default();
            return Err(format!("{first}`torchproof corpus check` lists what is not as {} says", dir.display()).into());
        }
    };
    let chosen = !args.rules.is_empty() || !args.cases.is_empty();
    let choice = chosen.then(|| CaseSelection::new(&args.cases, &args.rules, &[])).transpose()?;
    let bytes = archive(&dir, &manifest, choice.as_ref(), args.annotated)?;
    if stdout {
        let mut stdout = io::stdout().lock();
        return match stdout.write_all(&bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            done => Ok(done.map(|()| ExitCode::SUCCESS).map_err(|error| of_stdout(&error))?),
        };
    }
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let written = AtomicFile::create(&args.output, existing).and_then(|mut new| {
        new.file().write_all(&bytes)?;
        new.persist()
    });
    written.map_err(|error| unwritten(&args.output, &error))?;
    Ok(ExitCode::SUCCESS)
}
