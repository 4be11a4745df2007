//! The verdict on a file: which must-rule it breaks first, without findings.

use core::ops::ControlFlow;

use super::companions::{self, DataFiles};
use super::finding::FirstBroken;
use super::scratch::Scratch;
use super::source::Bytes;
use super::{File, Format, Options, ReadAt, StopReason, check_into};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::Stop;
use crate::flatbuffer::{Broken, Table};
use crate::pte::ExtendedHeader;
use crate::pte::schema::brief::Program;
use crate::rules::{RuleNumber, Strength};
use crate::segment::SegmentRegion;
use crate::{FileBytes, FileKind, Limit};

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
    /// The check ended early and had found no broken must-rule by then.
    Unexamined(StopReason),
    /// The check needs at least this many words of scratch memory.
    Scratch(usize),
}

/// Returns the verdict on a program. A file that is not a program is invalid.
///
/// The verdict agrees with [`check_into`](super::check_into): `Invalid` if and only if a must-rule is broken. This
/// function is faster, because it stops at the first broken must-rule and builds neither paths nor messages.
#[must_use]
pub fn program_verdict(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> FileVerdict {
    verdict::<{ Format::PROGRAM }>(file, options, scratch)
}

/// Returns the verdict on a data file; see [`program_verdict`]. A file that is not a data file is invalid.
#[must_use]
pub fn data_file_verdict(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> FileVerdict {
    verdict::<{ Format::DATA_FILE }>(file, options, scratch)
}

/// Returns the verdict on a program together with its data files: first on each file alone, then on all of them. The
/// second result is the index of the data file that the verdict is about, or `None` if it is about the program.
///
/// Files that are valid alone can contradict each other, so the verdict is the same as from a
/// [`Checker`](super::Checker) with companions.
#[must_use]
pub fn program_with_data_files_verdict(
    program: &dyn ReadAt,
    data: &[impl ReadAt],
    options: &Options,
    scratch: &mut [u64],
) -> (FileVerdict, Option<usize>) {
    let get = |index: usize| data.get(index).map(|file| file as &dyn ReadAt);
    together(program, DataFiles { count: data.len(), get: &get }, options, scratch)
}

fn together(
    program: &dyn ReadAt,
    data: DataFiles<'_>,
    options: &Options,
    scratch: &mut [u64],
) -> (FileVerdict, Option<usize>) {
    match alone(program, data, options, scratch) {
        (FileVerdict::Valid, _) => compared(program, data, options, scratch),
        other => other,
    }
}

/// The verdict on the first file that is not valid on its own.
#[inline(never)]
fn alone(
    program: &dyn ReadAt,
    data: DataFiles<'_>,
    options: &Options,
    scratch: &mut [u64],
) -> (FileVerdict, Option<usize>) {
    match program_verdict(program, options, scratch) {
        FileVerdict::Valid => {}
        other => return (other, None),
    }
    for index in 0..data.count {
        let Some(file) = (data.get)(index) else { continue };
        if file.len() < 12 || FileKind::of_head(file.head()) != FileKind::Ptd {
            return (FileVerdict::Unexamined(StopReason::NotData(index)), Some(index));
        }
        match data_file_verdict(file, options, scratch) {
            FileVerdict::Valid => {}
            other => return (other, Some(index)),
        }
    }
    (FileVerdict::Valid, None)
}

#[inline(never)]
fn compared(
    program: &dyn ReadAt,
    data: DataFiles<'_>,
    options: &Options,
    scratch: &mut [u64],
) -> (FileVerdict, Option<usize>) {
    let bytes = Bytes { head: program.head(), source: program };
    let header = ExtendedHeader::find(bytes.head).ok().flatten();
    let end = header.map_or(program.len(), |header| header.program_size);
    let region = FileBytes::head(bytes.head, program.len()).unwrap_or(FileBytes::whole(bytes.head)).region(end);
    let root = region.and_then(|region| Table::open_root::<Broken>(region).ok());
    let Some(root) = root.map(Program::from_table) else { return (FileVerdict::Valid, None) };
    let (base, size) =
        (header.map_or(0, |header| header.segment_base_offset), header.and_then(|header| header.data_size()));
    let region = SegmentRegion { base, size, file_len: program.len() };
    let (mut scratch, mut reporter) = (Recorded { words: scratch, needed: 0 }, FirstBroken::default());
    let checked = companions::check((root, region), data, bytes, &options.limits, &mut scratch, &mut reporter);
    (of(&reporter, checked, &scratch), reporter.broken.and_then(|(.., companion)| companion))
}

/// Derives a verdict from the findings of [`check_into`], to test the other functions.
#[doc(hidden)]
#[must_use]
pub fn verdict_of_findings(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> FileVerdict {
    let mut first = None;
    let found = check_into(file, options, scratch, &mut |finding| {
        if finding.rule.strength == Strength::Must {
            first.get_or_insert((finding.rule.number, finding.span.offset));
        }
        ControlFlow::Continue(())
    });
    match (first, found.stopped) {
        (Some((rule, offset)), _) => FileVerdict::Invalid { rule, offset },
        (None, None) => FileVerdict::Valid,
        (None, Some(reason)) => FileVerdict::Unexamined(reason),
    }
}

/// Returns what [`program_with_data_files_verdict`] returns, but from the findings of a [`Checker`](super::Checker).
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[must_use]
pub fn verdict_of_findings_with(program: &[u8], data: &[&[u8]], options: &Options) -> (FileVerdict, Option<usize>) {
    let checker = super::Checker::new().target(options.target).limits(options.limits);
    let checker = data.iter().fold(checker, |checker, file| checker.with(file));
    let mut first = None;
    let (summary, rejected) = checker.check_to(&program, &mut |finding| {
        if finding.rule.strength == Strength::Must {
            first.get_or_insert((finding.rule.number, finding.span.offset, finding.companion));
        }
        ControlFlow::Continue(())
    });
    let rejected = rejected.and_then(|index| Some((index, data.get(index)?)));
    match (first, rejected, summary.stopped) {
        (Some((rule, offset, file)), ..) => (FileVerdict::Invalid { rule, offset }, file),
        (None, Some((index, file)), _) => {
            let mut scratch = alloc::vec![0; <[u8]>::len(file).max(128)];
            (verdict_of_findings(file, options, &mut scratch), Some(index))
        }
        (None, None, Some(reason @ StopReason::NotData(index))) => (FileVerdict::Unexamined(reason), Some(index)),
        (None, None, Some(reason)) => (FileVerdict::Unexamined(reason), None),
        (None, None, None) => (FileVerdict::Valid, None),
    }
}

fn verdict<const FORMAT: u8>(file: &dyn ReadAt, options: &Options, scratch: &mut [u64]) -> FileVerdict {
    let bytes = Bytes { head: file.head(), source: file };
    let file_bytes = FileBytes::head(bytes.head, file.len()).unwrap_or(FileBytes::whole(bytes.head));
    let mut scratch = Recorded { words: scratch, needed: 0 };
    let mut reporter = FirstBroken::default();
    let checked = File::new(file_bytes, bytes, options, &mut scratch).check_as::<FORMAT>(&mut reporter);
    of(&reporter, checked, &scratch)
}

fn of(reporter: &FirstBroken, checked: Result<(), StopReason>, scratch: &Recorded<'_>) -> FileVerdict {
    match (reporter.broken, checked) {
        (Some((rule, offset, _)), _) => FileVerdict::Invalid { rule, offset },
        (None, Ok(())) => FileVerdict::Valid,
        (None, Err(StopReason::Limit(Limit::Scratch))) => FileVerdict::Scratch(scratch.needed),
        (None, Err(reason)) => FileVerdict::Unexamined(reason),
    }
}

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
