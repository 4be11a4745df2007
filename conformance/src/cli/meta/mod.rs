//! `torchproof meta`: lists, prints and changes metadata. Each action has its own module.

mod change;
mod get;
mod list;
mod open;
mod set;
mod target;
mod unset;

use clap::Subcommand;

use super::CommandResult;

/// List, print and change a file's metadata
///
/// Metadata is named data whose keys begin with `metadata.`, a prefix that you can omit in KEY. This follows a proposal
/// that no ExecuTorch release has adopted. Its drafts define three encodings: `untagged`, `strict` and `tagged`; for
/// `tagged`, `meta` also accepts untagged values. The output shows each value's encoding, and whether it was declared
/// or inferred.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  List the metadata of a file:
    torchproof meta list corpus/real/metadata_keys.pte
  Write a copy with another value:
    torchproof meta set corpus/real/linear.pte context.length 8192 -o new.pte")]
pub(super) struct MetaArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::MetaListArgs),
    Get(get::MetaGetArgs),
    Set(set::MetaSetArgs),
    Unset(unset::MetaUnsetArgs),
}

pub(super) fn run(args: &MetaArgs) -> CommandResult {
    match &args.action {
        Action::List(args) => list::run(args),
        Action::Get(args) => get::run(args),
        Action::Set(args) => set::run(args),
        Action::Unset(args) => unset::run(args),
    }
}
