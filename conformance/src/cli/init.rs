//! `torchproof init`: writes the first files of a project.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof_harness::disk::io_error::{cannot_use_folder, cannot_write};
use torchproof_harness::disk::make_executable;
use torchproof_harness::disk::{AtomicFile, OverwritePolicy};
use torchproof_harness::text::escape::plain_name;

use super::{CommandResult, complain, folder, print};
use crate::init::{AdapterLanguage, NewFile, SCRIPT, Service, files, protocol_in_clone};

/// Set up a test of your reader: an adapter, settings and a CI job
///
/// The folder gets a template adapter, the settings file torchproof.toml, the script conformance/run.sh, which runs the
/// reader on the corpus, and with --service a CI job that runs the script. The adapter checks only a file's identifier,
/// so replace this check with calls to your reader.
///
/// Exits with 0 if all files were written, and 2 otherwise. If one of the files already exists, none is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Test a reader with a Python interface, and run the test on GitHub:
    torchproof init --language python --service github
  Test a C++ reader in a new folder:
    torchproof init --language cpp my-reader")]
pub(super) struct InitArgs {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".", value_parser = folder())]
    folder: PathBuf,
    /// The adapter's language
    #[arg(long, value_enum)]
    language: AdapterLanguage,
    /// The CI service
    #[arg(long, value_enum, default_value_t = Service::None)]
    service: Service,
}

pub(super) fn run(args: &InitArgs) -> CommandResult {
    let files = files(args.language, args.service);
    let folder = if args.folder == Path::new(".") { Path::new("") } else { &args.folder };
    let at = |path: &str| plain_name(&folder.join(path).to_string_lossy());
    if let Some(file) = files.iter().find(|file| folder.join(&file.path).symlink_metadata().is_ok()) {
        return Err(format!("{}: already exists; delete it, or pass another folder", at(&file.path)).into());
    }
    let mut text = String::new();
    for file in &files {
        write(&folder.join(&file.path), file)?;
        text += &format!("wrote {}\n", at(&file.path));
    }
    let (script, adapter) = (at(SCRIPT), at(&args.language.adapter_path()));
    text += &format!("\nNext: run {script}, then replace the check of the identifier in {adapter}.\n");
    print(&text)?;
    if !matches!(args.service, Service::None) && protocol_in_clone().is_some() {
        complain("note: the CI job installs torchproof from PyPI, where the first release is not published yet");
    }
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, file: &NewFile) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| cannot_use_folder(folder, &error))?;
    }
    let written = AtomicFile::create(path, OverwritePolicy::Keep).and_then(|mut new| {
        new.file().write_all(file.text.as_bytes())?;
        if file.is_executable {
            make_executable(new.file())?;
        }
        new.persist()
    });
    written.map_err(|error| cannot_write(path, &error))
}
