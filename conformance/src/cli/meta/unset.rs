//! `torchproof meta unset`: an entry less.

use super::super::{Done, complain};
use super::change::ChangeArgs;
use super::target::Target;

/// Remove an entry, and its segment if nothing else refers to it.
///
/// Everything else in the file stays what it is, and every other segment as aligned as it is. The new file is checked, and
/// takes the place of the old one whole or not at all.
///
/// Exit code 0: it is removed; 1: there is no such entry, or the file breaks a must-rule; 2: the file could not be read or
/// written, is too much work, or is of a kind without named data.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof meta unset model.pte general.name
  torchproof meta unset model.pte context.length -o plain.pte")]
pub(super) struct MetaUnsetArgs {
    #[command(flatten)]
    change: ChangeArgs,
    /// The key, with or without `metadata.`
    key: String,
}

pub(super) fn run(args: &MetaUnsetArgs) -> Done {
    let target = Target::of(&args.key);
    args.change.make(|document| {
        let was_there = document.remove_named_data(target.key.as_bytes());
        if !was_there {
            complain(&format!("{}: {}", args.change.name(), target.absent(document.keys())));
        }
        Ok(was_there)
    })
}
