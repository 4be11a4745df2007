//! The two passes of a check, each alone, for tests and benchmarks. Not part of the public API.

use core::ops::ControlFlow;

use super::finding::{FindingRef, Reporter};
use super::plain::Plain;
use super::scratch::Scratch;
use super::source::Bytes;
use super::{File, Options, ReadAt, Summary};
use crate::flatbuffer::walk::Stop;
use crate::{FileKind, Image, Limit};

/// Why the plain pass did not call a file plainly good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// The file needs more scratch memory.
    Scratch,
    /// The checker has to look closer.
    LookCloser,
}

/// Runs the plain pass. Returns `None` if the checker has to look closer.
///
/// The result does not count the unresolved keys of XNNPACK blobs.
#[must_use]
pub fn plain(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> Option<Summary> {
    match crate::flatbuffer::identifier(file.head())? {
        crate::pte::IDENTIFIER => plain_program(file, options, scratch).ok(),
        crate::ptd::IDENTIFIER => plain_data_file(file, options, scratch).ok(),
        _ => None,
    }
}

/// Runs the plain pass on a program, as [`plain`] does.
///
/// # Errors
///
/// Returns the reason if the file is not plainly good.
pub fn plain_program(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> Result<Summary, Undecided> {
    run(file, scratch, |image, bytes, scratch| super::plain::program(image, bytes, options, scratch))
}

/// Runs the plain pass on a data file, as [`plain`] does.
///
/// # Errors
///
/// Returns the reason if the file is not plainly good.
pub fn plain_data_file(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> Result<Summary, Undecided> {
    run(file, scratch, |image, bytes, scratch| super::plain::data_file(image, bytes, options, scratch))
}

fn run<'a>(
    file: &'a dyn ReadAt,
    scratch: &mut [u64],
    pass: impl FnOnce(Image<'a>, Bytes<'a>, &mut dyn Scratch) -> Option<Plain<'a>>,
) -> Result<Summary, Undecided> {
    let bytes = Bytes { head: file.head(), source: file };
    let image = Image::head(bytes.head, file.len()).ok_or(Undecided::LookCloser)?;
    let mut scratch = Recorded { words: scratch, failed: false };
    let found = pass(image, bytes, &mut scratch);
    let found = found.ok_or(if scratch.failed { Undecided::Scratch } else { Undecided::LookCloser })?;
    Ok(Summary {
        kind: FileKind::of_head(bytes.head),
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

/// Scratch memory that records whether it was too short.
struct Recorded<'m> {
    words: &'m mut [u64],
    failed: bool,
}

impl Scratch for Recorded<'_> {
    fn words(&mut self, words: usize) -> Result<&mut [u64], Stop> {
        self.failed |= words > self.words.len();
        self.words.get_mut(..words).ok_or(Stop::Limit(Limit::Scratch))
    }
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
