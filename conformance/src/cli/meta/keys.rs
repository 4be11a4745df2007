//! `torchproof meta keys`: the registry of well-known keys.

use std::process::ExitCode;

use serde::Serialize;
use torchproof::metadata::WELL_KNOWN;
use torchproof_cli::meta::whole_key;

use super::super::inspect::text::table;
use super::super::{Done, print};
use super::Format;

/// List the well-known keys, and the type that a value has under each.
///
/// They are those that the proposal and its drafts name. A value under another key is of the type that `--type` says, or is
/// guessed.
///
/// Exit code 0.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  torchproof meta keys
  torchproof meta keys --format json")]
pub(super) struct Args {
    /// How to list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A key, as `schema/meta_keys.schema.json` describes it.
#[derive(Serialize)]
struct Known {
    key: String,
    r#type: &'static str,
}

pub(super) fn run(args: &Args) -> Done {
    let known = WELL_KNOWN.iter().map(|(name, ty)| Known { key: whole_key(name), r#type: ty.name() });
    match args.format {
        Format::Json => print(&(serde_json::to_string_pretty(&known.collect::<Vec<_>>())? + "\n"))?,
        Format::Text => {
            let mut rows = table(&["key", "type"]);
            rows.add_rows(known.map(|known| [known.key, known.r#type.to_owned()]));
            print(&rows.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
