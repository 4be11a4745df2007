//! **The checker**: which rules a file breaks, at which bytes, in which field.
//!
//! [`check`] looks at a file's header, FlatBuffer and padding in one pass and hands each broken rule to a [`Sink`] as a
//! [`Finding`]; the sink decides whether to go on. Nothing is copied and nothing is allocated: the little memory that finding
//! equal names and sorting segments takes comes from the caller ([`Memory`]), and only files with many of them need it.
//!
//! ```
//! use torchproof::{Image, check};
//!
//! let bytes = b"\x08\0\0\0ET13\0\0\0\0";
//! let mut rules = Vec::new();
//! let mut sink = |finding: &check::Finding<'_>| {
//!     rules.push(finding.rule.id);
//!     std::ops::ControlFlow::Continue(())
//! };
//! let image = Image::whole(bytes);
//! let report = check::check(image, &mut { image }, &check::Options::default(), &mut check::NoMemory, &mut sink);
//! assert_eq!(rules, ["fb-file-min-64", "fb-identifier-exact"]);
//! assert!(!report.accepts());
//! ```
//!
//! A bundled program is checked for itself and then the program in it, as a file of its own. Of a `.ptn` package no more is said
//! than that it is one.
//!
//! One defect is one finding: a check whose question was made void by a finding before it is not asked.

mod bundled;
pub mod companions;
mod envelope;
mod finding;
mod layout;
mod metadata;
pub(crate) mod names;
mod noted;
mod ptd;
mod pte;
mod references;
mod segments;
#[cfg(test)]
#[cfg(feature = "std")]
pub(crate) mod tests;

#[cfg(feature = "attack")]
pub(crate) use pte::own_arity;

pub use finding::{FieldPath, Finding, Gap, Gaps, Memory, NoMemory, Sink, first_nonzero};

use crate::flatbuffer::walk::{Flow, Path, Stop, Tally};
use crate::image::FLATBUFFER_LIMIT;
use crate::rules::{Rule, bundled as bundled_rules, envelope as rules};
use crate::{Image, Limit, Limits, Span};
use finding::Reporter;

/// What kind of file it is, by identifier and structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// A program.
    #[cfg_attr(feature = "json", serde(rename = "pte"))]
    Pte,
    /// A data file of the current layout.
    #[cfg_attr(feature = "json", serde(rename = "ptd"))]
    Ptd,
    /// A data file of the older layout.
    #[cfg_attr(feature = "json", serde(rename = "ptd-legacy"))]
    PtdLegacy,
    /// A program bundled with test cases.
    #[cfg_attr(feature = "json", serde(rename = "bpte"))]
    Bpte,
    /// A package of a program in another schema and its constants, which is a ZIP archive: recognised, and not checked.
    #[cfg_attr(feature = "json", serde(rename = "ptn"))]
    Ptn,
    /// None of them.
    #[cfg_attr(feature = "json", serde(rename = "unknown"))]
    Unknown,
}

impl Kind {
    /// What the first 48 bytes of a file, or all there are, make it out to be: whether it is that, [`check`] tells.
    ///
    /// A data file of the older layout has the same first bytes as one of the current layout, and is taken for that.
    #[must_use]
    pub fn of_head(head: &[u8]) -> Self {
        let identifier = crate::flatbuffer::identifier(head).unwrap_or_default();
        match &identifier[..2] {
            b"ET" => Kind::Pte,
            b"FT" => Kind::Ptd,
            b"BP" => Kind::Bpte,
            _ if is_package(head) => Kind::Ptn,
            _ => Kind::Unknown,
        }
    }

    /// The kind's name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Pte => "pte",
            Kind::Ptd => "ptd",
            Kind::PtdLegacy => "ptd-legacy",
            Kind::Bpte => "bpte",
            Kind::Ptn => "ptn",
            Kind::Unknown => "unknown",
        }
    }
}

impl core::fmt::Display for Kind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// How to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// What the file may cost.
    pub limits: Limits,
    /// The host that the file is for.
    pub target: Target,
}

/// How wide the sizes and pointers of a host are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// 32 bits: what passes 2^32 on it is found as well.
    Bits32,
    /// 64 bits.
    #[default]
    Bits64,
}

impl Target {
    /// How many bits wide sizes are there.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Target::Bits32 => 32,
            Target::Bits64 => 64,
        }
    }
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// What kind of file it is.
    pub kind: Kind,
    /// How many must-rules were found broken, counting each place.
    pub must: u32,
    /// How many should-rules.
    pub should: u32,
    /// How many notes.
    pub may: u32,
    /// Why the check is not complete, if it is not.
    pub incomplete: Option<Incomplete>,
    /// Tables and bytes visited.
    pub tally: Tally,
}

/// Why a file was not checked to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Incomplete {
    /// The sink asked to stop.
    Asked,
    /// The file passed a limit.
    Limit(Limit),
    /// Fewer bytes are held than the header says the FlatBuffer has.
    NotHeld {
        /// Bytes needed from the file's start.
        needed: u64,
    },
    /// Bytes between the parts of the file could not be read.
    UnreadGap(Span),
    /// The rules do not cover files of this kind.
    NotCovered,
}

impl Report {
    /// Whether the file was examined to the end and breaks no must-rule.
    #[must_use]
    pub const fn accepts(&self) -> bool {
        self.must == 0 && self.incomplete.is_none()
    }

    /// Whether the file breaks a must-rule, which stands whether or not the rest was examined.
    #[must_use]
    pub const fn rejects(&self) -> bool {
        self.must > 0
    }
}

/// Checks one file.
///
/// `image` holds at least [`Image::needed`] bytes of it; `gaps` answers for the bytes between its parts, which may be left on
/// disk; an [`Image`] that is whole answers for itself. The time is linear in the FlatBuffer and the gaps, `n log n` in
/// segments that are out of order, and bounded by `options.limits` where tables are shared. Bytes inside segments are never looked at.
pub fn check(
    image: Image<'_>,
    gaps: &mut dyn Gaps,
    options: &Options,
    memory: &mut dyn Memory,
    sink: &mut dyn Sink,
) -> Report {
    let mut reporter = Reporter::new(sink);
    let mut file = File { image, gaps, options, memory, kind: Kind::Unknown, tally: Tally::default(), sound: false };
    let flow = file.check(&mut reporter);
    let incomplete = match flow {
        Ok(()) => None,
        Err(Halt::Stop(Stop::Asked)) => Some(Incomplete::Asked),
        Err(Halt::Stop(Stop::Limit(limit))) => Some(Incomplete::Limit(limit)),
        Err(Halt::NotHeld { needed }) => Some(Incomplete::NotHeld { needed }),
        Err(Halt::UnreadGap(span)) => Some(Incomplete::UnreadGap(span)),
        Err(Halt::NotCovered) => Some(Incomplete::NotCovered),
    };
    let [must, should, may] = reporter.counts();
    Report { kind: file.kind, must, should, may, incomplete, tally: file.tally }
}

/// What one check of one file works with.
struct File<'a, 'm> {
    image: Image<'a>,
    gaps: &'m mut dyn Gaps,
    options: &'m Options,
    memory: &'m mut dyn Memory,
    kind: Kind,
    tally: Tally,
    /// The pass over the FlatBuffer has visited all that its references lead to: to read any of it again takes no longer.
    sound: bool,
}

/// Why a check ends before its end.
enum Halt {
    Stop(Stop),
    NotHeld { needed: u64 },
    UnreadGap(Span),
    NotCovered,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Halt::Stop(stop)
    }
}

impl<'a> File<'a, '_> {
    /// Everything that every file has, then what its format asks.
    fn check(&mut self, reporter: &mut Reporter<'_>) -> Result<(), Halt> {
        let len = self.image.len();
        let file = Span::new(0, len);
        let head = self.image.bytes();
        if len < 12 {
            reporter.report(&rules::FB_MIN_SIZE, &Path::ROOT, file, format_args!("file has {len} bytes, below 12"))?;
            return Ok(());
        }
        if (head.len() as u64) < len.min(64) {
            return Err(Halt::NotHeld { needed: len.min(64) });
        }
        if len < 64 {
            reporter.report(
                &rules::FB_FILE_MIN_64,
                &Path::ROOT,
                file,
                format_args!("file has {len} bytes; the runtime loads 64 before anything else"),
            )?;
        }
        let identifier = crate::flatbuffer::identifier(head).unwrap_or_default();
        self.kind = Kind::of_head(head);
        match identifier {
            crate::pte::IDENTIFIER => self.check_pte(reporter),
            crate::ptd::IDENTIFIER => self.check_ptd(reporter),
            crate::bundled::IDENTIFIER => self.check_bundled(reporter),
            _ if self.kind == Kind::Ptn => Err(Halt::NotCovered),
            other => Ok(wrong_identifier(other, head, reporter)?),
        }
    }

    /// The FlatBuffer's bytes, which end at `end` in the file.
    fn region(&self, end: u64, reporter: &mut Reporter<'_>) -> Result<Option<&'a [u8]>, Halt> {
        if end >= FLATBUFFER_LIMIT {
            let message = format_args!("FlatBuffer has {end} bytes, not below 2^31");
            reporter.report(&rules::FB_MAX_SIZE, &Path::ROOT, Span::new(0, end), message)?;
            return Ok(None);
        }
        self.image.region(end).map(Some).ok_or(Halt::NotHeld { needed: end })
    }
}

/// Reports `rule` at the first byte of `span` that is not zero, if there is one.
#[inline]
fn expect_zeros(
    gaps: &mut dyn Gaps,
    span: Span,
    rule: &'static Rule,
    path: &Path<'_>,
    what: &str,
    reporter: &mut Reporter<'_>,
) -> Result<(), Halt> {
    if span.len == 0 || span.slice(gaps.held()).is_some_and(finding::all_zero) {
        return Ok(());
    }
    look_for_nonzero(gaps, span, rule, path, what, reporter)
}

/// [`expect_zeros`] where what is held does not answer.
#[inline(never)]
fn look_for_nonzero(
    gaps: &mut dyn Gaps,
    span: Span,
    rule: &'static Rule,
    path: &Path<'_>,
    what: &str,
    reporter: &mut Reporter<'_>,
) -> Result<(), Halt> {
    match gaps.first_nonzero(span) {
        Gap::Zero => Ok(()),
        Gap::Unread => Err(Halt::UnreadGap(span)),
        Gap::NonZero(at) => {
            let message = format_args!("byte {at:#x} is not zero; {what} is {:#x} to {:#x}", span.offset, span.end());
            Ok(reporter.report(rule, path, Span::new(at, 1), message)?)
        }
    }
}

/// Whether the file begins as a `.ptn` package does: a ZIP archive whose first member is the program.
fn is_package(head: &[u8]) -> bool {
    const MEMBER: &[u8] = b"program.ptg";
    let len = crate::flatbuffer::u16_at(head, 26).map_or(0, usize::from);
    head.starts_with(b"PK\x03\x04") && head.get(30..).and_then(|name| name.get(..len)) == Some(MEMBER)
}

fn wrong_identifier(identifier: [u8; 4], head: &[u8], reporter: &mut Reporter<'_>) -> Flow {
    let known = [crate::pte::IDENTIFIER, crate::ptd::IDENTIFIER, crate::bundled::IDENTIFIER];
    let behind_prefix = head.get(8..).and_then(|rest| rest.first_chunk::<4>());
    let at = Span::new(4, 4);
    if let Some(found) = behind_prefix.filter(|found| known.contains(found)) {
        let message = format_args!("identifier {} is at byte 8, behind a size prefix of 4 bytes", found.escape_ascii());
        return reporter.report(&rules::FB_NOT_SIZE_PREFIXED, &Path::ROOT, Span::new(0, 4), message);
    }
    let found = identifier.escape_ascii();
    let bundled = identifier.starts_with(b"BP");
    let identifier = &Path::ROOT.field("identifier");
    if bundled {
        let message = format_args!("identifier is \"{found}\", not \"BP08\"");
        return reporter.report(&bundled_rules::BP_IDENTIFIER, identifier, at, message);
    }
    if head.starts_with(b"FH01") {
        let message =
            format_args!("identifier is \"{found}\"; a data file's header is at byte 0, where no release put it");
        return reporter.report(&rules::FB_IDENTIFIER_EXACT, identifier, at, message);
    }
    if head.starts_with(b"PK\x03\x04") {
        let message = format_args!("the file begins as a ZIP archive, where \"ET12\", \"FT01\" or \"BP08\" would be");
        return reporter.report(&rules::FB_IDENTIFIER_EXACT, identifier, at, message);
    }
    let message = format_args!("identifier is \"{found}\", not \"ET12\", \"FT01\" or \"BP08\"");
    reporter.report(&rules::FB_IDENTIFIER_EXACT, identifier, at, message)
}
