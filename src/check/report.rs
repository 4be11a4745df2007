//! What a check came to.

use core::fmt;

use crate::FileKind;
use crate::flatbuffer::walk::Stop;
use crate::{Limit, Span};

/// What a check came to, without the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// What kind of file it is.
    pub kind: FileKind,
    /// How many findings of must-rules there are.
    pub must: u32,
    /// How many of should-rules.
    pub should: u32,
    /// How many of may-rules.
    pub may: u32,
    /// Why the check ended early, if it did.
    pub stopped: Option<StopReason>,
    /// Tables visited, a shared one counted at each visit.
    pub tables: u32,
    /// Bytes of tables, vectors and strings visited, shared ones counted at each visit.
    pub apparent_size: u64,
}

impl Summary {
    /// Whether the file was checked to the end and breaks no must-rule.
    #[must_use]
    pub const fn accepts(&self) -> bool {
        self.must == 0 && self.stopped.is_none()
    }

    /// Whether the file breaks a must-rule, which stands whether or not the rest was checked.
    #[must_use]
    pub const fn rejects(&self) -> bool {
        self.must > 0
    }

    /// How many findings there are.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.must.saturating_add(self.should).saturating_add(self.may)
    }
}

/// Why a check ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The sink asked for it.
    Sink,
    /// The file exceeded a limit.
    Limit(Limit),
    /// These bytes of the file cannot be read.
    Unread(Span),
    /// No rule covers files of this kind.
    NotCovered,
    /// The companion at this index is no data file.
    NotData(usize),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Sink => f.write_str("the sink stopped the check"),
            StopReason::Limit(limit) => limit.fmt(f),
            StopReason::Unread(Span { offset, len }) => write!(f, "the {len} bytes at {offset:#x} cannot be read"),
            StopReason::NotCovered => f.write_str("no rule covers files of this kind"),
            StopReason::NotData(index) => write!(f, "companion {index} is no data file"),
        }
    }
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Visitor => StopReason::Sink,
            Stop::Limit(limit) => StopReason::Limit(limit),
        }
    }
}

#[cfg(feature = "alloc")]
pub use owned::{Finding, Report};

#[cfg(feature = "alloc")]
pub(super) use owned::Collector;

#[cfg(feature = "alloc")]
mod owned {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;
    use core::ops::Deref;

    use super::super::finding::FindingRef;
    use super::{Summary, fmt};
    use crate::Span;
    use crate::rules::{Rule, Strength};

    /// What a check came to, with its findings. It dereferences to its [`Summary`].
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Report {
        /// What they come to.
        pub summary: Summary,
        /// The findings, in the order they were made: as many as [`Checker::max_findings`](super::super::Checker::max_findings)
        /// keeps, and after them the first of a must-rule if none of these is one.
        pub findings: Vec<Finding>,
        /// The companion that is not accepted by itself; the program was not checked together with its companions then.
        pub rejected_companion: Option<usize>,
    }

    impl Report {
        /// The first finding of a rule of this strength.
        #[must_use]
        pub fn first(&self, strength: Strength) -> Option<&Finding> {
            self.findings.iter().find(|finding| finding.rule.strength == strength)
        }

        /// How many findings were counted and not kept.
        #[must_use]
        pub fn omitted(&self) -> u32 {
            self.count().saturating_sub(u32::try_from(self.findings.len()).unwrap_or(u32::MAX))
        }
    }

    impl Deref for Report {
        type Target = Summary;

        fn deref(&self) -> &Summary {
            &self.summary
        }
    }

    /// A rule broken in a file: which, in which field, at which bytes, and how.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Finding {
        /// The rule.
        pub rule: &'static Rule,
        /// The companion that it is in, by index; `None` for the file that was checked.
        pub companion: Option<usize>,
        /// The field, as `execution_plan[0].values[3].sizes`; header fields are under `header`; empty for the file as a whole.
        pub path: String,
        /// The bytes that hold the wrong value.
        pub span: Span,
        /// The value found and the one expected, as one sentence without a full stop.
        pub message: String,
    }

    impl From<&FindingRef<'_>> for Finding {
        fn from(finding: &FindingRef<'_>) -> Self {
            let FindingRef { rule, companion, path, span, message } = finding;
            Self { rule, companion: *companion, path: path.to_string(), span: *span, message: message.to_string() }
        }
    }

    impl fmt::Display for Finding {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let Self { rule, path, span, message, .. } = self;
            write!(f, "{rule}: {path}: {message} ({span})")
        }
    }

    /// Keeps the first findings, and the first of a must-rule wherever it comes.
    pub(in super::super) struct Collector {
        pub(in super::super) findings: Vec<Finding>,
        most: usize,
        has_must: bool,
    }

    impl Collector {
        pub(in super::super) const fn new(most: usize) -> Self {
            Self { findings: Vec::new(), most, has_must: false }
        }

        pub(in super::super) fn add(&mut self, finding: &FindingRef<'_>) {
            let first_must = finding.rule.strength == Strength::Must && !self.has_must;
            if self.findings.len() < self.most || first_must {
                self.findings.push(finding.into());
                self.has_must |= first_must;
            }
        }
    }
}
