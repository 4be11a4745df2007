//! The verdict about a file: which must-rule it breaks first, without findings.

use super::finding::FirstBroken;
use super::scratch::Scratch;
use super::source::Bytes;
use super::{File, Format, Options, ReadAt, StopReason};
use crate::flatbuffer::walk::Stop;
use crate::rules::RuleNumber;
use crate::{Image, Limit};

/// What a check says about a file, in a form that needs no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileVerdict {
    /// The file breaks no must-rule.
    Valid,
    /// The file breaks a must-rule.
    Invalid {
        /// The number of the first broken must-rule; [`rules::by_number`](crate::rules::by_number) finds the rule.
        rule: RuleNumber,
        /// The offset of the bytes that break it.
        offset: u64,
    },
    /// The check could not be completed, and found no broken must-rule before.
    Unexamined(StopReason),
    /// The check needs at least this many words of scratch memory.
    Scratch(usize),
}

/// Returns the verdict about a program. A file that is not a program is invalid.
///
/// The verdict is that of [`check_into`](super::check_into): it is `Invalid` if and only if a must-rule is broken. It
/// stops at the first, so it takes less time, and it builds neither paths nor messages.
#[must_use]
pub fn program_verdict(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> FileVerdict {
    verdict::<{ Format::PROGRAM }>(file, options, scratch)
}

/// Returns the verdict about a data file, as [`program_verdict`] does about a program.
#[must_use]
pub fn data_file_verdict(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> FileVerdict {
    verdict::<{ Format::DATA_FILE }>(file, options, scratch)
}

fn verdict<const FORMAT: u8>(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> FileVerdict {
    let bytes = Bytes { head: file.head(), source: file };
    let image = Image::head(bytes.head, file.len()).unwrap_or(Image::whole(bytes.head));
    let mut scratch = Recorded { words: scratch, needed: 0 };
    let mut reporter = FirstBroken::default();
    let checked = File::new(image, bytes, options, &mut scratch).check_as::<FORMAT>(&mut reporter);
    match (reporter.broken, checked) {
        (Some((rule, offset)), _) => FileVerdict::Invalid { rule, offset },
        (None, Ok(())) => FileVerdict::Valid,
        (None, Err(StopReason::Limit(Limit::Scratch))) => FileVerdict::Scratch(scratch.needed),
        (None, Err(reason)) => FileVerdict::Unexamined(reason),
    }
}

/// Scratch memory that records how many words a check needed.
struct Recorded<'m> {
    words: &'m mut [u64],
    needed: usize,
}

impl Scratch for Recorded<'_> {
    fn words(&mut self, words: usize) -> Result<&mut [u64], Stop> {
        self.needed = self.needed.max(words);
        self.words.get_mut(..words).ok_or(Stop::Limit(Limit::Scratch))
    }
}
