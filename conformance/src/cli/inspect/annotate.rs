//! `torchproof inspect --annotate`: every byte of a file, and what it is.

use std::io::{self, BufWriter, Write};

use torchproof::Span;
use torchproof::annotate::ByteMap;

use super::super::format::Format;
use crate::byte_map::{self, Annotated, Shown};
use crate::cli::complain;
use crate::disk::input::Input;
use crate::text::counted;

/// A file of more bytes is not mapped: its bytes and their map are in memory.
const MOST_SIZE: u64 = 1 << 30;

/// Prints the map of a whole file; returns whether the file could be followed to its end.
pub(super) fn annotate(input: &Input, format: Format) -> Result<bool, Box<dyn std::error::Error>> {
    let len = input.image().len();
    if len > MOST_SIZE {
        return Err(format!("{}: more than 1 GiB, which is too large to be annotated", name(input)).into());
    }
    let mut bytes = Vec::new();
    input.read(Span::new(0, len), &mut |piece| bytes.extend_from_slice(piece))?;
    let map = ByteMap::of(&bytes);
    let mut out = BufWriter::new(io::stdout().lock());
    let written = match format {
        Format::Text => byte_map::write(&mut out, &bytes, &map, &[], Shown::All),
        Format::Json => serde_json::to_writer_pretty(&mut out, &Annotated::of(name(input), &bytes, &map))
            .map_err(io::Error::from)
            .and_then(|()| writeln!(out)),
    };
    match written.and_then(|()| out.flush()) {
        // A reader that has seen enough and closed the pipe is no error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        done => done?,
    }
    if let Some((first, others)) = map.missed().split_first() {
        let path = if first.path.is_empty() { String::new() } else { format!(" {}:", first.path) };
        let more = match others.len() {
            0 => String::new(),
            count => format!("; and {}", counted(count, "more place")),
        };
        complain(&format!("{}: the map is not complete:{path} {}{more}", name(input), first.error));
    }
    Ok(map.is_complete())
}

fn name(input: &Input) -> String {
    crate::text::escape::plain_name(&input.path().to_string_lossy())
}
