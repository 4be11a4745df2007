//! **The checker** finds violations of rules, each with its bytes and its field.
//!
//! [`check`](crate::check()) checks a file in memory and returns a [`Report`] with its findings. A [`Checker`] can also
//! read files range by range, and has settings for the target host, limits and companions. [`check_into`] allocates
//! nothing: it passes each finding to a sink, and uses the caller's scratch memory.
//!
//! A check covers a file's header, FlatBuffer and padding. For a bundled program, it covers the bundle and then the
//! program as a standalone file. `.ptn` packages are recognized but not checked.
//!
//! If a check's precondition has already failed, the check is skipped, so each defect is reported only once.

mod blobs;
mod bundled;
#[cfg(feature = "alloc")]
mod checker;
mod companions;
mod finding;
mod layout;
mod metadata;
mod options;
mod other_format;
mod ptd;
mod pte;
mod references;
mod report;
mod scratch;
mod segments;
mod source;
mod structure;
#[cfg(test)]
#[cfg(feature = "std")]
pub(crate) mod tests;
mod verdict;

#[cfg(feature = "alloc")]
pub use checker::{Checker, check};
pub use finding::{FieldPath, FindingRef};
pub use options::{Options, Target};
#[cfg(feature = "alloc")]
pub use pte::xnnpack_keys;
#[cfg(feature = "alloc")]
pub use report::{Finding, Report};
pub use report::{StopReason, Summary};
pub use source::{ReadAt, ReadError};
#[doc(hidden)]
pub use verdict::verdict_of_findings;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use verdict::verdict_of_findings_with;
pub use verdict::{FileVerdict, data_file_verdict, program_verdict, program_with_data_files_verdict};

#[cfg(doc)]
use crate::Limit;
use crate::file_bytes::FLATBUFFER_LIMIT;
use crate::flatbuffer::schema::Element;
use crate::flatbuffer::walk::{Flow, Path, Stop, Tally};
use crate::flatbuffer::{Broken, Str, Vector};
use crate::names::SeenNames;
use crate::rules::{RuleKey, bundled as bundled_rules, flatbuffer as rules};
use crate::{FileBytes, FileKind, Span};
use core::ops::ControlFlow;

use finding::{Findings, Reporter};
use other_format::OtherFormat;
use scratch::{FEW, Scratch};
use source::{Bytes, all_zero};

/// Checks one file without allocating, and passes each finding to `sink`.
///
/// If the sink returns `Break`, the check ends.
///
/// `file` must have at least [`FileBytes::needed`] bytes in memory. `scratch` is memory for sorting: at most three
/// `u64` words for each name, segment, input, output and device, and nine for each value of a method. A file with only
/// a few dozen of these needs no scratch memory, unless a method moves or views values. If `scratch` is too small, the
/// check stops with [`Limit::Scratch`].
///
/// The running time is linear in the lengths of the FlatBuffer and of the gaps between segments, plus `n log n` for
/// sorting `n` names or unsorted segments. If tables are shared, the limits bound the time. From segments, the check
/// reads only short metadata values, the headers and keys of XNNPACK blobs, and the blobs of entries with equal keys.
///
/// ```
/// use torchproof::check::{Options, check_into};
///
/// let mut rules = Vec::new();
/// let summary = check_into(&&b"\x08\0\0\0ET13\0\0\0\0"[..], &Options::default(), &mut [], &mut |finding| {
///     rules.push(finding.rule.id);
///     std::ops::ControlFlow::Continue(())
/// });
/// assert_eq!(rules, ["fb-file-min-64", "fb-identifier-exact"]);
/// assert!(!summary.accepts());
/// ```
pub fn check_into(
    file: &dyn ReadAt,
    options: &Options,
    scratch: &mut [u64],
    sink: &mut dyn FnMut(&FindingRef<'_>) -> ControlFlow<()>,
) -> Summary {
    let bytes = Bytes { head: file.head(), source: file };
    let file_bytes = FileBytes::head(bytes.head, file.len()).unwrap_or(FileBytes::whole(bytes.head));
    let mut few = [0; FEW];
    let mut scratch = if scratch.len() < FEW { &mut few } else { scratch };
    let mut reporter = Findings::new(sink);
    let checked = File::new(file_bytes, bytes, options, &mut scratch).run(&mut reporter);
    Summary::of(checked, &reporter)
}

#[derive(Clone, Copy)]
struct FileSummary {
    kind: FileKind,
    tally: Tally,
    unresolved: u32,
    unresolved_keys: u32,
    stopped: Option<StopReason>,
}

impl Summary {
    fn of(checked: FileSummary, reporter: &Findings<'_>) -> Self {
        let FileSummary { kind, tally, unresolved, unresolved_keys, stopped } = checked;
        let [must, should, may] = reporter.counts();
        let Tally { tables, apparent_size, .. } = tally;
        Self { kind, must, should, may, unresolved, unresolved_keys, stopped, tables, apparent_size }
    }
}

struct File<'a, 'm> {
    file_bytes: FileBytes<'a>,
    bytes: Bytes<'m>,
    options: &'m Options,
    scratch: &'m mut dyn Scratch,
    kind: FileKind,
    tally: Tally,
    unresolved: u32,
    unresolved_keys: u32,
    /// `true` if the verification pass has visited all tables within the limits, so that later checks may read the
    /// tables again.
    sound: bool,
}

impl<'a, 'm> File<'a, 'm> {
    fn new(file_bytes: FileBytes<'a>, bytes: Bytes<'m>, options: &'m Options, scratch: &'m mut dyn Scratch) -> Self {
        let (kind, tally) = (FileKind::Unknown, Tally::default());
        Self { file_bytes, bytes, options, scratch, kind, tally, unresolved: 0, unresolved_keys: 0, sound: false }
    }

    fn run(mut self, reporter: &mut impl Reporter) -> FileSummary {
        let stopped = self.check(reporter).err();
        let Self { kind, tally, unresolved, unresolved_keys, .. } = self;
        FileSummary { kind, tally, unresolved, unresolved_keys, stopped }
    }

    /// Checks the rules that apply to all files, then the rules for the file's format.
    fn check(&mut self, reporter: &mut impl Reporter) -> Result<(), StopReason> {
        self.check_as::<{ Format::ANY }>(reporter)
    }

    /// Like [`check`](Self::check), but treats the identifiers of formats that are not in `FORMAT` as wrong.
    fn check_as<const FORMAT: u8>(&mut self, reporter: &mut impl Reporter) -> Result<(), StopReason> {
        let len = self.file_bytes.len();
        let file = Span::new(0, len);
        let head = self.file_bytes.bytes();
        if len < 12 {
            let noun = if len == 1 { "byte" } else { "bytes" };
            let message = format_args!("found {len} {noun}, expected at least 12");
            reporter.report(&rules::FB_MIN_SIZE, &Path::ROOT, file, message)?;
            return Ok(());
        }
        if (head.len() as u64) < len.min(64) {
            return Err(StopReason::Unread(Span::new(0, len.min(64))));
        }
        if len < 64 {
            reporter.report(
                &rules::FB_FILE_MIN_64,
                &Path::ROOT,
                file,
                format_args!("found {len} bytes, expected at least 64, which the runtime loads first"),
            )?;
        }
        let identifier = crate::flatbuffer::identifier(head).unwrap_or_default();
        self.kind = FileKind::of_head(head);
        match identifier {
            crate::pte::IDENTIFIER if FORMAT & Format::PROGRAM != 0 => self.check_pte(reporter),
            crate::ptd::IDENTIFIER if FORMAT & Format::DATA_FILE != 0 => self.check_ptd(reporter),
            crate::bundled::IDENTIFIER if FORMAT & Format::BUNDLE != 0 => self.check_bundled(reporter),
            _ if self.kind == FileKind::Ptn => Err(StopReason::NotCovered),
            other => Ok(wrong_identifier(other, head, len, reporter)?),
        }
    }

    /// The bytes of the FlatBuffer, which ends at byte `end` of the file.
    fn region(&self, end: u64, reporter: &mut impl Reporter) -> Result<Option<&'a [u8]>, StopReason> {
        if end >= FLATBUFFER_LIMIT {
            let message = format_args!("the FlatBuffer has {end} bytes, expected less than 2^31");
            reporter.report(&rules::FB_MAX_SIZE, &Path::ROOT, Span::new(0, end), message)?;
            return Ok(None);
        }
        self.file_bytes.region(end).map(Some).ok_or(StopReason::Unread(Span::new(0, end)))
    }
}

/// The formats that a check expects, as bits. They are a const parameter so that firmware contains no code for the
/// other formats.
struct Format;

impl Format {
    const PROGRAM: u8 = 1;
    const DATA_FILE: u8 = 2;
    const BUNDLE: u8 = 4;
    const ANY: u8 = Self::PROGRAM | Self::DATA_FILE | Self::BUNDLE;
}

/// The readable elements of a vector with their indexes; empty if the vector is absent or faulty.
fn elements<'a, T: Element<'a, Item = Result<T, Broken>>>(
    field: Result<Option<Vector<'a, T>>, Broken>,
) -> Elements<'a, T> {
    Elements { vector: field.ok().flatten(), next: 0 }
}

/// The iterator of [`elements`]. It compiles to less code than a chain of adapters for each element type.
struct Elements<'a, T> {
    vector: Option<Vector<'a, T>>,
    next: usize,
}

impl<'a, T: Element<'a, Item = Result<T, Broken>>> Iterator for Elements<'a, T> {
    type Item = (usize, T);

    fn next(&mut self) -> Option<(usize, T)> {
        loop {
            let (index, element) = (self.next, self.vector?.get(self.next)?);
            self.next += 1;
            if let Ok(element) = element {
                return Some((index, element));
            }
        }
    }
}

/// Reports each name that equals an earlier one in the same list. `rule` takes the indexes of the later and the earlier
/// name, and returns the rule that the two violate.
fn expect_distinct<'n>(
    names: &mut SeenNames<'_>,
    name: &dyn Fn(usize) -> Option<Str<'n>>,
    (list, field): (&'static str, &'static str),
    rule: &mut dyn FnMut(usize, usize) -> RuleKey,
    reporter: &mut impl Reporter,
) -> Flow {
    names.equal_names(name, &mut |later, earlier| {
        let (path, at) = (&Path::ROOT.field(list), name(later).map_or(Span::new(0, 0), Str::span));
        let message = format_args!("{field} equals that of {list}[{earlier}]");
        reporter.report(rule(later, earlier), &path.index(later).field(field), at, message)
    })
}

/// Reports the first nonzero byte of `span`, if any, as a violation of `rule`. `rule` cannot be a must-rule.
#[inline]
fn expect_zeros(
    bytes: Bytes<'_>,
    span: Span,
    rule: RuleKey,
    path: &Path<'_>,
    what: &str,
    reporter: &mut impl Reporter,
) -> Result<(), StopReason> {
    let inside = span.slice(bytes.head);
    if span.len == 0 || inside.is_some_and(|bytes| reporter.must_only() || all_zero(bytes)) {
        return Ok(());
    }
    look_for_nonzero(bytes, span, rule, path, what, reporter)
}

/// The slow path of [`expect_zeros`]: part of the span is not in memory, or contains a nonzero byte.
#[inline(never)]
fn look_for_nonzero(
    bytes: Bytes<'_>,
    span: Span,
    rule: RuleKey,
    path: &Path<'_>,
    what: &str,
    reporter: &mut impl Reporter,
) -> Result<(), StopReason> {
    match bytes.first_nonzero(span) {
        Ok(None) => Ok(()),
        Err(ReadError) => Err(StopReason::Unread(span)),
        Ok(Some(at)) => {
            let message = format_args!("byte {at:#x} is not zero; {what} is {:#x} to {:#x}", span.offset, span.end());
            Ok(reporter.report(rule, path, Span::new(at, 1), message)?)
        }
    }
}

fn wrong_identifier(identifier: [u8; 4], head: &[u8], len: u64, reporter: &mut impl Reporter) -> Flow {
    let known = [crate::pte::IDENTIFIER, crate::ptd::IDENTIFIER, crate::bundled::IDENTIFIER];
    let after_prefix = head.get(8..).and_then(|rest| rest.first_chunk::<4>());
    let at = Span::new(4, 4);
    if let Some(found) = after_prefix.filter(|found| known.contains(found)) {
        let message =
            format_args!("identifier {} is at byte 8 after a size prefix, expected at byte 4", found.escape_ascii());
        return reporter.report(&rules::FB_NOT_SIZE_PREFIXED, &Path::ROOT, Span::new(0, 4), message);
    }
    let found = identifier.escape_ascii();
    let bundled = identifier.starts_with(b"BP");
    let identifier = &Path::ROOT.field("identifier");
    if bundled {
        let message = format_args!("identifier is \"{found}\", expected \"BP08\"");
        return reporter.report(&bundled_rules::BP_IDENTIFIER, identifier, at, message);
    }
    if head.starts_with(b"FH01") {
        let message =
            format_args!("identifier is \"{found}\", expected \"FT01\"; the header is at byte 0, expected at byte 8");
        return reporter.report(&rules::FB_IDENTIFIER_EXACT, identifier, at, message);
    }
    if let Some(other) = OtherFormat::of(head, len) {
        let OtherFormat { name, cure, mark } = other;
        let message = format_args!("the file is {name}, expected identifier \"ET12\", \"FT01\" or \"BP08\"; {cure}");
        return reporter.report(&rules::FB_IDENTIFIER_EXACT, identifier, mark, message);
    }
    let message = format_args!("identifier is \"{found}\", expected \"ET12\", \"FT01\" or \"BP08\"");
    reporter.report(&rules::FB_IDENTIFIER_EXACT, identifier, at, message)
}
