//! `torchproof inspect --annotate`: prints every byte of a file and the structure that contains the byte.

use std::io::{self, BufWriter, Write};

use torchproof::annotate::ByteMap;
use torchproof_harness::disk::input::{Input, InputError};
use torchproof_harness::disk::open::read_argument;
use torchproof_harness::text::{ascii, counted};

use super::super::format::Format;
use crate::byte_map::{self, AnnotateOutput, ShownRows};
use crate::cli::complain;
use crate::findings::check_hint;

/// Returns whether the map is complete.
pub(super) fn annotate(input: &Input, format: Format) -> Result<bool, Box<dyn std::error::Error>> {
    let bytes = read_argument(input.path()).map_err(|error| InputError::new(input.path(), &error))?;
    let map = ByteMap::of(&bytes);
    let mut out = BufWriter::new(io::stdout().lock());
    let written = match format {
        Format::Text => byte_map::write(&mut out, &bytes, &map, &[], ShownRows::All),
        Format::Json => ascii::write_pretty(&mut out, &AnnotateOutput::of(name(input), &bytes, &map)),
    };
    match written.and_then(|()| out.flush()) {
        // A closed pipe is not an error, because the receiving program needs no more output.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        done => done?,
    }
    if let Some((first, others)) = map.unmapped().split_first() {
        let path = if first.path.is_empty() { String::new() } else { format!(" {}:", first.path) };
        let more = match others.len() {
            0 => String::new(),
            count => format!("; and {}", counted(count, "more fault")),
        };
        let hint = check_hint(input.path());
        complain(&format!("{}: the map is incomplete:{path} {}{more}; {hint}", name(input), first.error));
    }
    Ok(map.is_complete())
}

fn name(input: &Input) -> String {
    torchproof_harness::text::escape::plain_name(&input.path().to_string_lossy())
}
