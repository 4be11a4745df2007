//! `torchproof man`: writes the man pages.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_harness::disk::io_error::cannot_use_folder;

use super::{CommandResult, folder};

/// Write the man pages
///
/// Writes one page for each command to the folder, and replaces existing pages.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Write the pages into a folder:
    torchproof man --output man1
  Show the page of a command:
    torchproof man --output man1 && head man1/torchproof-check.1")]
pub(super) struct ManArgs {
    /// The output folder
    #[arg(long, short, value_name = "DIR", value_parser = folder())]
    output: PathBuf,
}

pub(super) fn run(args: &ManArgs, definition: clap::Command) -> CommandResult {
    let written = fs::create_dir_all(&args.output).and_then(|()| clap_mangen::generate_to(definition, &args.output));
    written.map_err(|error| cannot_use_folder(&args.output, &error))?;
    Ok(ExitCode::SUCCESS)
}
