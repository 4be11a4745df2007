//! `torchproof inspect --annotate`: every byte of a file, and what it is.

use torchproof::Span;
use torchproof_conformance::byte_map::{self, Annotated};
use torchproof_conformance::input::Input;

use crate::cli::print;

/// A file of more bytes is not mapped: its bytes and their map are held in memory.
const MOST_SIZE: u64 = 1 << 30;

/// How a map is shown.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Format {
    /// A row a part, with its bytes
    Text,
    /// One object, with every byte in one part
    Json,
}

/// Prints the map of a whole file.
pub(super) fn annotate(input: &Input, format: Format) -> Result<(), Box<dyn std::error::Error>> {
    let len = input.image().len();
    if len > MOST_SIZE {
        return Err(format!("{}: more than 1 GiB, which is too large to be annotated", name(input)).into());
    }
    let mut bytes = Vec::new();
    input.read(Span::new(0, len), &mut |piece| bytes.extend_from_slice(piece))?;
    match format {
        Format::Text => print(&byte_map::text(&bytes))?,
        Format::Json => print(&(serde_json::to_string_pretty(&Annotated::of(name(input), &bytes))? + "\n"))?,
    }
    Ok(())
}

fn name(input: &Input) -> String {
    torchproof_conformance::report::plain_name(&input.path().to_string_lossy())
}
