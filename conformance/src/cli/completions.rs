//! `torchproof completions`: prints the completion script of a shell.

use std::process::ExitCode;

use clap_complete::Shell;

use super::{CommandResult, print};

/// Print a script that completes commands and options in a shell
///
/// The packages of torchproof contain these scripts. If you install with `pip` or `cargo`, save the output where your shell looks
/// for completion scripts.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Write the script for bash:
    torchproof completions bash > torchproof.bash
  Write the script for fish:
    torchproof completions fish > torchproof.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, definition: &mut clap::Command) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, definition, "torchproof", &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}
