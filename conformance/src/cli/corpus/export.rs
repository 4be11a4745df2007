//! `torchproof corpus export`: writes the corpus or selected cases as a tar archive, or cases as source code.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof_harness::corpus::build::build;
use torchproof_harness::corpus::{Case, CaseSelection, Corpus, CorpusError, archive, audit, part};
use torchproof_harness::disk::io_error::{cannot_use_folder, cannot_write};
use torchproof_harness::disk::{AtomicFile, OverwritePolicy};
use torchproof_harness::text::escape::plain_name;

use crate::cli::{CommandResult, of_stdout};
use crate::explain::CaseEntry;
use crate::init::NewFile;
use crate::page::Page;
use crate::vectors::{VectorFormat, default_cases};

/// Export the corpus, or some of its cases, as a tar archive or as source code
///
/// The archive has one folder, whose manifest and digest cover only the exported cases: those that you select, and
/// their controls. Exports of the same files are identical byte for byte. The extracted folder works with
/// `torchproof corpus check` and `torchproof run --corpus`.
///
/// With --as, cases become vectors: source code with the bytes (long runs of zeros are folded), the verdict, the latest
/// stage of a rejection, the rule and the reason. The formats gtest, rust-test and pytest produce a folder with a
/// complete test that needs neither this program nor the corpus, and also contains the cases' controls. If you select
/// nothing, you get the fifty cases that test the most loader checks per byte.
///
/// Exits with 0 if the export was written, and 2 if it could not be written or the corpus is incomplete.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Write the corpus to a file:
    torchproof corpus export -o corpus.tar
  Extract the cases of one rule and their controls, with annotated bytes:
    torchproof corpus export --rule eh-length-min --annotated | tar -x
  Print a case as C++:
    torchproof corpus export --as cpp pte/header/length-23")]
pub(super) struct CorpusExportArgs {
    /// Select cases by id, or by a glob as for --cases
    #[arg(value_name = "CASE")]
    ids: Vec<String>,
    /// Write source code in this format
    #[arg(long = "as", value_name = "FORMAT", value_enum, conflicts_with = "annotated")]
    format: Option<VectorFormat>,
    /// The file, or the folder for a complete test; - means stdout
    #[arg(short, long, value_name = "PATH", default_value = "-")]
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
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &CorpusExportArgs) -> CommandResult {
    let stdout = args.output == Path::new("-");
    if stdout && args.format.is_none() && io::stdout().is_terminal() {
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
    let mut globs = [&args.ids[..], &args.cases].concat();
    let mut chosen = !args.rules.is_empty() || !globs.is_empty();
    let kind = args.format.map(VectorFormat::kind);
    if !chosen && matches!(kind, Some(Err(_))) {
        globs = default_cases();
        chosen = true;
    }
    let choice = chosen.then(|| CaseSelection::new(&globs, &args.rules, &[])).transpose()?;
    let part = |with_controls| match &choice {
        Some(choice) => part(&manifest, choice, with_controls),
        None => Ok(manifest.clone()),
    };
    let bytes = match kind {
        Some(Err(suite)) => {
            if stdout {
                return Err("found no folder for the test, expected one; pass -o DIR".into());
            }
            let files = suite.files(&Corpus::load(&dir)?, part(true)?)?;
            return write_files(&args.output, &files, args.existing());
        }
        Some(Ok(language)) if chosen => language.vectors(&Corpus::load(&dir)?, &part(false)?)?.into_bytes(),
        Some(Ok(_)) => return Err("found no case, expected at least one; pass an id, a glob or --rule".into()),
        None => {
            let annotate = |case: &Case, bytes, base| CaseEntry::of(case.clone(), bytes, base).text(Page::FILE, true);
            archive(&dir, &manifest, choice.as_ref(), if args.annotated { Some(&annotate) } else { None })?
        }
    };
    if stdout {
        let mut stdout = io::stdout().lock();
        return match stdout.write_all(&bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            done => Ok(done.map(|()| ExitCode::SUCCESS).map_err(|error| of_stdout(&error))?),
        };
    }
    write(&args.output, &bytes, args.existing())?;
    Ok(ExitCode::SUCCESS)
}

impl CorpusExportArgs {
    fn existing(&self) -> OverwritePolicy {
        if self.force { OverwritePolicy::Replace } else { OverwritePolicy::Keep }
    }
}

fn write_files(folder: &Path, files: &[NewFile], existing: OverwritePolicy) -> CommandResult {
    let exists = |file: &&NewFile| folder.join(&file.path).symlink_metadata().is_ok();
    if let Some(file) = files.iter().find(exists).filter(|_| existing == OverwritePolicy::Keep) {
        let path = folder.join(&file.path);
        return Err(
            format!("{}: already exists; pass --force to replace it", plain_name(&path.to_string_lossy())).into()
        );
    }
    fs::create_dir_all(folder).map_err(|error| cannot_use_folder(folder, &error))?;
    for file in files {
        write(&folder.join(&file.path), file.text.as_bytes(), existing)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, bytes: &[u8], existing: OverwritePolicy) -> Result<(), String> {
    let written = AtomicFile::create(path, existing).and_then(|mut new| {
        new.file().write_all(bytes)?;
        new.persist()
    });
    written.map_err(|error| cannot_write(path, &error))
}
