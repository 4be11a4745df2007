//! `torchproof gate`: compares two versions of a schema or of model files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use torchproof_harness::disk::named::OwnFolder;
use torchproof_harness::run::results::read_results;

use super::report::{FormatAndPath, check_reports, expect_checkout_file, write_reports};
use super::{COULD_NOT, CommandResult, complain, print};
use crate::gate::schema::{Schema, SchemaComparison};
use crate::gate::{self, Comparison};
use crate::render::ReportFormat;
use crate::settings::{ProjectSettings, SETTINGS_FILE};

/// Tell whether a change breaks existing files or readers
///
/// Exits with 0 if the change is safe, 1 if it breaks readers, and 2 if the versions could not be compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Show how to compare schemas:
    torchproof gate schema --help
  Compare two versions of a schema:
    echo 'table A {}' > a; cp a b; torchproof gate schema a b")]
pub(super) struct GateArgs {
    #[command(subcommand)]
    command: GateCommand,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    Files(FilesArgs),
    Results(ResultsArgs),
    Schema(SchemaArgs),
}

/// Compare two versions of a FlatBuffers schema
///
/// All tables reachable from the root type are compared. Fields are paired by slot, because files contain slots instead
/// of field names. Each difference is shown with what it breaks and why, an example, and its line in the schema. It
/// breaks old readers if they misread or reject files with the new schema; it breaks new readers if they misread or
/// reject files with the old schema.
///
/// Exits with 0 if readers for each schema can read the other schema's files, 1 if they cannot, and 2 if a schema could
/// not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Compare two versions of a schema:
    echo 'table A {}' > a; cp a b; torchproof gate schema a b
  Also reject differences that break only source code:
    echo 'table A {}' > a; torchproof gate schema --deny-source-breaks a a")]
struct SchemaArgs {
    /// The old schema
    old: PathBuf,
    /// The new schema
    new: PathBuf,
    /// Folder to search for included schemas, after the including file's folder; repeatable. Files outside these
    /// folders and each schema's own folder are not opened
    #[arg(long, value_name = "DIR")]
    include: Vec<PathBuf>,
    #[command(flatten)]
    options: GateOptions,
    /// Exit with 1 even if a difference breaks only source code
    #[arg(long)]
    deny_source_breaks: bool,
}

/// Compare the model files of two exporter versions
///
/// OLD and NEW are two files, or two folders in which files with the same relative path are compared. The comparison covers
/// header, version, alignment, inputs and outputs, where constants are stored, operators, backends, planned memory, named
/// data, external tensors, segments and sizes, and says how each difference affects a reader or an application.
///
/// Exits with 0 if readers and applications that use the old files can use the new files, 1 if a difference can break a
/// reader or an application, and 2 if a file or folder could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Compare two programs:
    torchproof gate files corpus/real/linear.pte corpus/real/linear_external.pte
  Compare two folders:
    torchproof gate files corpus/real corpus/real")]
struct FilesArgs {
    /// The old file or folder
    old: PathBuf,
    /// The new file or folder
    new: PathBuf,
    #[command(flatten)]
    options: GateOptions,
}

/// Compare the results of two runs
///
/// BASE and NEW are results files from `run --results`. Shows the results that changed: new failures, new passes, and
/// other changed outcomes. Results that changed in the same way for the same reason are shown as one block, which gives
/// their rules and first cases; JSON, SARIF and --verbose list every result.
///
/// A failure that is new or more severe is a regression, even if it is in the list of known failures. Failures that the
/// corpus caused, because the case is new or its files differ, do not count as regressions.
///
/// If both runs used the same corpus, a case that is only in the base run is listed as `not run`, and the new run is
/// incomplete.
///
/// Exits with 0 if no reader regressed, 1 if one did, and 2 if a run was interrupted, the new run lacks a case from the
/// same corpus or a reader from the base run, the runs have no common result, or a file could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Compare two runs of one reader:
    torchproof run --rule eh-length-min --results r; torchproof gate results r r
  Write a JSON report:
    torchproof run --results r > t; torchproof gate results r r --report json=j")]
struct ResultsArgs {
    /// The results of the base run
    base: PathBuf,
    /// The results of the new run
    new: PathBuf,
    /// Repository file that SARIF reports attach every change to [default: the new run's known-failures file, else a
    /// source file named in the reader's address, else a file such as Cargo.toml or pyproject.toml]
    #[arg(long, value_name = "FILE")]
    sarif_location: Option<PathBuf>,
    /// Print every changed result, instead of one block for all results that changed in the same way
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    options: GateOptions,
}

/// Options for every comparison.
#[derive(Debug, clap::Args)]
struct GateOptions {
    /// Write a report to FILE, or to stdout if FILE is -; repeatable
    #[arg(long, value_name = "FORMAT=FILE", value_parser = FormatAndPath(|format| SchemaComparison::renderer(format).is_some()))]
    report: Vec<(ReportFormat, PathBuf)>,
    /// The settings file [default: the nearest torchproof.toml above the current folder]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(super) fn run(args: &GateArgs) -> CommandResult {
    match &args.command {
        GateCommand::Files(args) => files(args),
        GateCommand::Results(args) => results(args),
        GateCommand::Schema(args) => schema(args),
    }
}

fn schema(args: &SchemaArgs) -> CommandResult {
    let settings = args.options.settings(&[("the old schema", &args.old), ("the new schema", &args.new)])?;
    let own: Vec<_> = settings.gate.include.iter().map(|folder| settings.folder().join(folder)).collect();
    // Someone else may have written the settings.
    if !own.iter().all(|path| OwnFolder::new(settings.folder()).is_ok_and(|folder| folder.resolve(path).is_some())) {
        return Err(format!(
            "{SETTINGS_FILE}: `include` leads outside the folder of this file; pass --include instead"
        )
        .into());
    }
    let include = [args.include.as_slice(), &own].concat();
    let (old, new) = (Schema::load(&args.old, &include)?, Schema::load(&args.new, &include)?);
    old.files.iter().chain(&new.files).for_each(|path| settings.record(path));
    let deny_source_breaks = args.deny_source_breaks || settings.gate.deny_source_breaks;
    args.options.finish(SchemaComparison::new(&old, &new), &settings, true, |comparison| {
        let [breaking, source, _] = comparison.counts();
        u8::from(breaking > 0 || deny_source_breaks && source > 0)
    })
}

fn files(args: &FilesArgs) -> CommandResult {
    let settings = args.options.settings(&[("the old model", &args.old), ("the new model", &args.new)])?;
    let comparison = gate::files::compare(&args.old, &args.new)?;
    [&args.old, &args.new].into_iter().for_each(|path| settings.record(path));
    args.options.finish(comparison, &settings, true, |comparison| {
        if comparison.not_compared() > 0 { COULD_NOT } else { u8::from(comparison.breaking) }
    })
}

fn results(args: &ResultsArgs) -> CommandResult {
    expect_checkout_file(args.sarif_location.as_deref())?;
    let settings = args.options.settings(&[("the base run", &args.base), ("the new run", &args.new)])?;
    let (base, new) = (read_results(&args.base)?, read_results(&args.new)?);
    let mut comparison = gate::results::compare(&base, &new);
    if comparison.compared == 0 {
        return Err("found no common result; expected two runs with a common reader and a common case".into());
    }
    comparison.locate(&new, args.sarif_location.as_deref());
    settings.record_all();
    args.options.finish(comparison, &settings, args.verbose, |comparison| {
        if comparison.incomplete { COULD_NOT } else { u8::from(comparison.regressed) }
    })
}

impl GateOptions {
    /// Fails if a report cannot be written, or would replace one of the `compared` files.
    fn settings(&self, compared: &[(&str, &Path)]) -> Result<ProjectSettings, String> {
        check_reports(&self.report, compared)?;
        gate::settings(self.config.as_deref())
    }

    /// An unused settings entry raises the exit code to at least 1.
    fn finish<C: Comparison>(
        &self,
        mut comparison: C,
        settings: &ProjectSettings,
        is_verbose: bool,
        exit_code: impl Fn(&C) -> u8,
    ) -> CommandResult {
        comparison.allow(settings);
        let unused = settings.unused(|kind| C::KINDS.contains(&kind));
        unused.iter().for_each(|entry| complain(entry));
        let exit_code = exit_code(&comparison).max(u8::from(!unused.is_empty()));
        print(&comparison.text(is_verbose))?;
        write_reports(&self.report, |format| {
            Some(C::renderer(format)?(&comparison, exit_code != COULD_NOT, exit_code))
        })?;
        Ok(ExitCode::from(exit_code))
    }
}
