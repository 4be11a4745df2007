//! `torchproof meta`: the metadata of a file, one file an action.

mod change;
mod get;
mod list;
mod open;
mod set;
mod target;
mod unset;

use clap::Subcommand;

use super::{Done, removed};

/// List, print and change a file's metadata: named data under keys that begin with `metadata.`.
///
/// The convention is a proposal that no release has adopted, and its drafts have three encodings: `untagged`, `tagged`, which
/// reads untagged values as well, and `strict`. The output names the encoding of a value, and whether it was declared or
/// inferred.
///
/// A KEY may be given with or without the prefix `metadata.`.
#[derive(Debug, clap::Args)]
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
