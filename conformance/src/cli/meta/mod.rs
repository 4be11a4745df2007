//! `torchproof meta`: lists, prints and changes metadata, one module per action.

mod change;
mod get;
mod list;
mod open;
mod set;
mod target;
mod unset;

use clap::Subcommand;

use super::{Done, removed};

/// List, print and change the metadata of a file
///
/// Metadata is named data with keys that begin with `metadata.`. The convention is a proposal that no release has adopted. Its
/// drafts have three encodings: `untagged`, `tagged`, which also reads untagged values, and `strict`. The output names the encoding
/// and whether it was declared or inferred.
///
/// The prefix `metadata.` of a KEY is optional.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  List the metadata of a file:
    torchproof meta list corpus/real/metadata_keys.pte
  Write a copy with another value:
    torchproof meta set corpus/real/linear.pte context.length 8192 -o labelled.pte")]
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
    #[command(hide = true)]
    Keys(removed::RemovedArgs),
}

pub(super) fn run(args: &MetaArgs) -> Done {
    match &args.action {
        Action::List(args) => list::run(args),
        Action::Get(args) => get::run(args),
        Action::Set(args) => set::run(args),
        Action::Unset(args) => unset::run(args),
        Action::Keys(_) => Err(removed::KEYS.into()),
    }
}
