//! The checker, which returns a report with owned findings.

use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use super::companions::DataFiles;
use super::finding::{FindingRef, Findings, Reporter, Sink};
use super::report::Collector;
use super::scratch::FEW;
use super::source::{Bytes, ReadAt, ReadError};
use super::{File, FileSummary, Options, Report, StopReason, Summary, Target, companions};
use crate::FileKind;
use crate::bundled::Bundled;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::Tally;
use crate::pte::Pte;
use crate::pte::schema::brief::Program;
use crate::{FileBytes, Limits, Span};

/// Checks a file in memory with the default options.
///
/// ```
/// let report = torchproof::check(b"\x08\0\0\0ET13\0\0\0\0");
/// assert!(!report.accepts());
/// let rules: Vec<_> = report.findings.iter().map(|finding| finding.rule.id).collect();
/// assert_eq!(rules, ["fb-file-min-64", "fb-identifier-exact"]);
/// ```
#[must_use]
pub fn check(bytes: &[u8]) -> Report {
    Checker::new().check(bytes)
}

/// Checks files with a configurable target host, limits and companion data files.
///
/// ```
/// use torchproof::check::{Checker, Target};
///
/// let program = std::fs::read("corpus/real/linear_external.pte")?;
/// let weights = std::fs::read("corpus/real/linear_external.ptd")?;
/// let report = Checker::new().target(Target::Bits32).with(&weights).check(&program);
/// assert!(report.accepts());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Checker<'w> {
    options: Options,
    max_findings: usize,
    companions: Vec<&'w dyn ReadAt>,
}

impl Default for Checker<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("options", &self.options).finish_non_exhaustive()
    }
}

/// A file to check. Its header and its FlatBuffer are in memory.
struct Loaded<'s> {
    head: Vec<u8>,
    source: &'s dyn ReadAt,
}

impl<'w> Checker<'w> {
    /// The default of [`Checker::max_findings`].
    pub const MAX_FINDINGS: usize = 1000;

    /// Creates a checker with the default options and no companions.
    #[must_use]
    pub const fn new() -> Self {
        let options = Options { limits: Limits::DEFAULT, target: Target::Bits64 };
        Self { options, max_findings: Self::MAX_FINDINGS, companions: Vec::new() }
    }

    /// Sets the target host.
    #[must_use]
    pub fn target(self, target: Target) -> Self {
        Self { options: self.options.target(target), ..self }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { options: self.options.limits(limits), ..self }
    }

    /// Sets the maximum number of findings that a report stores.
    ///
    /// Further findings are counted but not stored.
    #[must_use]
    pub fn max_findings(self, most: usize) -> Self {
        Self { max_findings: most, ..self }
    }

    /// Adds a companion data file for programs.
    ///
    /// The data file is also checked on its own, but the report omits those findings. Companions affect only programs.
    #[must_use]
    pub fn with(mut self, data: &'w dyn ReadAt) -> Self {
        self.companions.push(data);
        self
    }

    /// Checks a file that is in memory.
    #[must_use]
    pub fn check(&self, bytes: &[u8]) -> Report {
        self.check_source(&bytes)
    }

    /// Checks a file that is read range by range.
    ///
    /// The checker loads the header and the FlatBuffer into memory, but not the segments.
    #[must_use]
    pub fn check_source(&self, source: &dyn ReadAt) -> Report {
        let mut collector = Collector::new(self.max_findings);
        let (summary, rejected_companion) = self.check_to(source, &mut |finding| {
            collector.add(finding);
            ControlFlow::Continue(())
        });
        Report { summary, findings: collector.findings, rejected_companion }
    }

    /// Checks a file as [`check_source`](Self::check_source) does, but passes the findings to a sink. The second result
    /// is the index of a rejected companion, if any.
    pub(crate) fn check_to(&self, source: &dyn ReadAt, sink: &mut Sink<'_>) -> (Summary, Option<usize>) {
        let mut reporter = Findings::new(sink);
        let mut scratch = alloc::vec![0; FEW];
        let loaded = Loaded::of(source);
        let (mut checked, mut rejected_companion) = match &loaded {
            Ok(file) => (self.alone(file, &mut scratch, &mut reporter), None),
            Err(span) => (unread(*span), None),
        };
        if let Ok(file) = &loaded
            && !self.companions.is_empty()
            && matches!(checked.kind, FileKind::Pte | FileKind::Bpte)
            && Summary::of(checked, &reporter).accepts()
        {
            match self.together(file, checked.kind, &mut scratch, &mut reporter) {
                Ok(None) => (checked.unresolved, checked.unresolved_keys) = (0, 0),
                Ok(rejected) => rejected_companion = rejected,
                Err(reason) => checked.stopped = Some(reason),
            }
        }
        (Summary::of(checked, &reporter), rejected_companion)
    }

    fn alone(&self, file: &Loaded<'_>, scratch: &mut Vec<u64>, reporter: &mut impl Reporter) -> FileSummary {
        let bytes = Bytes { head: file.head(), source: file };
        File::new(file.file_bytes(), bytes, &self.options, scratch).run(reporter)
    }

    /// Checks the program together with its companions. Returns the index of the first companion that is rejected as a
    /// standalone file.
    fn together(
        &self,
        program: &Loaded<'_>,
        kind: FileKind,
        scratch: &mut Vec<u64>,
        reporter: &mut impl Reporter,
    ) -> Result<Option<usize>, StopReason> {
        let mut loaded = Vec::new();
        for (index, source) in self.companions.iter().enumerate() {
            let file = Loaded::of(*source).map_err(StopReason::Unread)?;
            let mut quiet = |_: &FindingRef<'_>| ControlFlow::Continue(());
            let mut own = Findings::new(&mut quiet);
            let checked = self.alone(&file, scratch, &mut own);
            if !matches!(checked.kind, FileKind::Ptd | FileKind::PtdLegacy) {
                return Err(StopReason::NotData(index));
            }
            if !Summary::of(checked, &own).accepts() {
                return Ok(Some(index));
            }
            loaded.push(file);
        }
        let opened = match kind {
            FileKind::Bpte => bundled_program(program.file_bytes()),
            _ => Pte::open_file_bytes(program.file_bytes()).map(|program| (program, ("", 0))),
        };
        let Ok((opened, (holder, start))) = opened else { return Ok(None) };
        let (limits, inner) = (&self.options.limits, opened.file_bytes());
        // A program inside a bundle is entirely in memory.
        let bytes = match kind {
            FileKind::Bpte => Bytes { head: inner.bytes(), source: &inner },
            _ => Bytes { head: program.head(), source: program },
        };
        let get = |index: usize| loaded.get(index).map(|file| file as &dyn ReadAt);
        let data = DataFiles { count: loaded.len(), get: &get };
        let opened = (Program::from_table(opened.program().table()), opened.data_region());
        reporter.inside(holder, start, |reporter| companions::check(opened, data, bytes, limits, scratch, reporter))?;
        Ok(None)
    }
}

/// Returns a bundled program's inner program, the name of its field, and its position in the file.
fn bundled_program(file_bytes: FileBytes<'_>) -> Result<(Pte<'_>, (&'static str, u64)), crate::Error> {
    let bundle = Bundled::open_file_bytes(file_bytes)?;
    let start = bundle.root().program()?.map_or(0, |bytes| bytes.span().offset);
    Ok((bundle.program()?, (super::bundled::tables::PROGRAM, start)))
}

impl<'s> Loaded<'s> {
    /// Loads the bytes that [`FileBytes::needed`] requires, unless they are already in memory. On failure, returns the
    /// span of the unreadable bytes.
    fn of(source: &'s dyn ReadAt) -> Result<Self, Span> {
        let mut file = Self { head: Vec::new(), source };
        file.read(64)?;
        file.read(FileBytes::needed(file.head(), source.len()))?;
        Ok(file)
    }

    fn read(&mut self, needed: u64) -> Result<(), Span> {
        let needed = needed.min(self.source.len());
        let have = self.head().len();
        if have as u64 >= needed {
            return Ok(());
        }
        let unread = || Span::new(0, needed);
        let len = usize::try_from(needed).map_err(|_| unread())?;
        self.head.try_reserve_exact(len - self.head.len()).map_err(|_| unread())?;
        let from = self.head.len();
        self.head.resize(len, 0);
        self.source.read_at(from as u64, &mut self.head[from..]).map_err(|ReadError| unread())
    }

    fn file_bytes(&self) -> FileBytes<'_> {
        FileBytes::head(self.head(), self.len()).unwrap_or(FileBytes::whole(self.head()))
    }
}

impl ReadAt for Loaded<'_> {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.source.read_at(offset, buffer)
    }

    fn head(&self) -> &[u8] {
        if self.head.is_empty() { self.source.head() } else { &self.head }
    }

    fn first_nonzero(&self, span: Span) -> Result<Option<u64>, ReadError> {
        self.source.first_nonzero(span)
    }
}

fn unread(span: Span) -> FileSummary {
    let (kind, tally) = (FileKind::Unknown, Tally::default());
    FileSummary { kind, tally, unresolved: 0, unresolved_keys: 0, stopped: Some(StopReason::Unread(span)) }
}
