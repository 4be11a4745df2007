//! `torchproof inspect --annotate`: prints every byte of a file and the structure that contains the byte.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use torchproof::annotate::ByteMap;
use torchproof_harness::disk::input::InputError;
use torchproof_harness::disk::open::read_argument;
use torchproof_harness::text::{ascii, counted};

use crate::byte_map::{self, AnnotateOutput, ShownRows};
use crate::cli::complain;
use crate::cli::format::Format;
use crate::findings::check_hint;

/// Returns whether the map is complete.
pub(super) fn annotate(path: &Path, format: Format) -> Result<bool, Box<dyn std::error::Error>> {
    let bytes = read_argument(path).map_err(|error| InputError::new(path, &error))?;
    let map = ByteMap::of(&bytes);
    let mut out = BufWriter::new(io::stdout().lock());
    let written = match format {
        Format::Text => byte_map::write(&mut out, &bytes, &map, &[], ShownRows::All),
        Format::Json => ascii::write_pretty(&mut out, &AnnotateOutput::of(name(path), &bytes, &map)),
    };
    match written.and_then(|()| out.flush()) {
        // A closed pipe is not an error: whoever closed it needs no more output.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        done => done?,
    }
    if let Some((first, others)) = map.unmapped().split_first() {
        let field = if first.path.is_empty() { String::new() } else { format!(" {}:", first.path) };
        let more = match others.len() {
            0 => String::new(),
            count => format!("; and {}", counted(count, "more fault")),
        };
        let hint = check_hint(path);
        complain(&format!("{}: the map is incomplete:{field} {}{more}; {hint}", name(path), first.error));
    }
    Ok(map.is_complete())
}

fn name(path: &Path) -> String {
    torchproof_harness::text::escape::plain_name(&path.to_string_lossy())
}
