//! The two passes of a check, each alone, for tests and benchmarks. Not part of the public API.

use core::ops::ControlFlow;

use super::finding::{FindingRef, Reporter};
use super::scratch::Scratch;
use super::source::Bytes;
use super::{File, Options, ReadAt, Summary};
use crate::{FileKind, Image};

/// Runs the plain pass. Returns `None` if the checker has to look closer.
///
/// The result does not count the unresolved keys of XNNPACK blobs.
#[must_use]
pub fn plain(file: &dyn ReadAt, options: &Options, mut scratch: &mut [u64]) -> Option<Summary> {
    let bytes = Bytes { head: file.head(), source: file };
    let image = Image::head(bytes.head, file.len())?;
    let kind = FileKind::of_head(bytes.head);
    let scratch: &mut dyn Scratch = &mut scratch;
    let found = match crate::flatbuffer::identifier(bytes.head)? {
        crate::pte::IDENTIFIER => super::plain::program(image, bytes, options, scratch),
        crate::ptd::IDENTIFIER => super::plain::data_file(image, bytes, options, scratch),
        _ => None,
    }?;
    Some(Summary {
        kind,
        must: 0,
        should: 0,
        may: 0,
        unresolved: found.external,
        unresolved_keys: 0,
        stopped: None,
        tables: found.tally.tables,
        apparent_size: found.tally.apparent_size,
    })
}

/// Checks a file as [`check_into`](super::check_into) does, but without the plain pass.
pub fn closer(
    file: &dyn ReadAt,
    options: &Options,
    mut scratch: &mut [u64],
    sink: &mut dyn FnMut(&FindingRef<'_>) -> ControlFlow<()>,
) -> Summary {
    let bytes = Bytes { head: file.head(), source: file };
    let image = Image::head(bytes.head, file.len()).unwrap_or(Image::whole(bytes.head));
    let mut reporter = Reporter::new(sink);
    let file = File { ask_plain: false, ..File::new(image, bytes, options, &mut scratch) };
    let checked = file.run(&mut reporter);
    Summary::of(checked, &reporter)
}
