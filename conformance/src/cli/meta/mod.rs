//! `torchproof meta`: the metadata of a file, one file an action.

mod change;
mod get;
mod list;
mod set;
mod target;
mod unset;

use std::process::ExitCode;

use clap::Subcommand;
use torchproof::metadata::{Encoding, ValueType};
use torchproof::{ErrorCode, view};
use torchproof_cli::disk::input::Input;
use torchproof_cli::file::meta::Metadata;
use torchproof_cli::text::escape::plain_name;

use super::format::Format;
use super::{Done, complain, removed, unshown};

/// List, print and change a file's metadata: named data under keys that begin with `metadata.`.
///
/// The convention is a proposal that no release has adopted, and its drafts have three encodings: `untagged`, `tagged`, which
/// reads untagged values as well, and `strict`. The output names the encoding of a value, and whether it was declared or
/// inferred.
///
/// A KEY may be given with or without the prefix `metadata.`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Args),
    Get(get::Args),
    Set(set::Args),
    Unset(unset::Args),
    #[command(hide = true)]
    Keys(removed::Args),
}

pub(super) fn run(args: &Args) -> Done {
    match &args.action {
        Action::List(args) => list::run(args),
        Action::Get(args) => get::run(args),
        Action::Set(args) => set::run(args),
        Action::Unset(args) => unset::run(args),
        Action::Keys(_) => removed::keys(),
    }
}

/// A type as it is given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum OfType {
    /// UTF-8 text
    String,
    /// A 64-bit signed number
    Int,
    /// A double
    Float,
    /// Bytes, in hex
    Bytes,
    /// 64-bit signed numbers, as `1, 2, 3`
    IntList,
}

impl From<OfType> for ValueType {
    fn from(ty: OfType) -> Self {
        match ty {
            OfType::String => ValueType::String,
            OfType::Int => ValueType::Int,
            OfType::Float => ValueType::Float,
            OfType::Bytes => ValueType::Bytes,
            OfType::IntList => ValueType::IntList,
        }
    }
}

/// An encoding as it is given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum InEncoding {
    /// The bytes alone, as the proposal's text has it
    Untagged,
    /// A byte for the type before them; what has none that fits is read as untagged
    Tagged,
    /// A byte for the type before them, and an error without it
    Strict,
}

impl From<InEncoding> for Encoding {
    fn from(encoding: InEncoding) -> Self {
        match encoding {
            InEncoding::Untagged => Encoding::Untagged,
            InEncoding::Tagged => Encoding::Tagged,
            InEncoding::Strict => Encoding::Strict,
        }
    }
}

/// Does something with the metadata of a file, which is exit code 1 with one line on stderr if the file is broken.
fn with_metadata(input: &Input, act: impl FnOnce(&Metadata<'_>) -> Done) -> Done {
    if let Some(why) = unshown(input) {
        return Err(why.into());
    }
    match Metadata::open(input.image()) {
        Ok(metadata) => act(&metadata),
        Err(error) => broken(input, &error),
    }
}

/// Says why a file is not read.
fn broken(input: &Input, error: &view::Error) -> Done {
    let message = format!("{}: {error}", name(input));
    if let ErrorCode::Limit(_) = error.error().code {
        return Err(message.into());
    }
    complain(&message);
    Ok(ExitCode::FAILURE)
}

/// The name of a file in messages.
fn name(input: &Input) -> String {
    plain_name(&input.path().to_string_lossy())
}
