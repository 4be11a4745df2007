//! `torchproof meta unset`: removes a metadata entry.

use super::super::{CommandResult, complain};
use super::change::ChangeArgs;
use super::target::Target;

/// Remove a key, and its segment if nothing else uses it
///
/// All other entries and segments are preserved, including the segments' alignment. The changed file is checked before
/// it replaces FILE in one atomic step.
///
/// Exits with 0 if the entry was removed, 1 if it is missing or the file breaks a must-rule, and 2 if the file could not be
/// read or written, exceeds a limit, or is of a kind without named data.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Write a copy without an entry:
    torchproof meta unset corpus/real/metadata_keys.pte general.name -o a.pte
  Remove an entry in place:
    cp corpus/real/metadata_keys.pte a; torchproof meta unset a tokenizer.model")]
pub(super) struct MetaUnsetArgs {
    #[command(flatten)]
    change: ChangeArgs,
    /// The key; the prefix `metadata.` is optional
    key: String,
}

pub(super) fn run(args: &MetaUnsetArgs) -> CommandResult {
    let target = Target::of(&args.key);
    args.change.make(|document| {
        let removed = document.remove_named_data(target.key.as_bytes());
        if !removed {
            complain(&format!("{}: {}", args.change.name(), target.absent(document.keys())));
        }
        Ok(removed)
    })
}
