//! A check's results.

use core::fmt;

use crate::FileKind;
use crate::flatbuffer::walk::Stop;
use crate::{Limit, Span};

/// A check's result, without the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The file's kind.
    pub kind: FileKind,
    /// The number of findings that violate must-rules.
    pub must: u32,
    /// The number of findings that violate should-rules.
    pub should: u32,
    /// The number of findings that violate may-rules.
    pub may: u32,
    /// The number of external tensors that were not looked up in a data file. A tensor that several offsets share
    /// counts once per offset.
    pub unresolved: u32,
    /// The number of constants in XNNPACK blobs with an unresolved key: the program's own named data lacks it, and it
    /// was not looked up in a data file.
    pub unresolved_keys: u32,
    /// Why the check ended early; `None` if it is complete.
    pub stopped: Option<StopReason>,
    /// The number of visited tables. A table that several offsets share counts once per offset.
    pub tables: u32,
    /// The number of bytes of visited tables, vectors and strings; shared parts count at each visit.
    pub apparent_size: u64,
}

impl Summary {
    /// Returns whether the check is complete and found no violation of a must-rule.
    #[must_use]
    pub const fn accepts(&self) -> bool {
        self.must == 0 && self.stopped.is_none()
    }

    /// Returns whether the file violates a must-rule.
    ///
    /// If the check is incomplete, only the result `true` is reliable.
    #[must_use]
    pub const fn rejects(&self) -> bool {
        self.must > 0
    }

    /// The number of findings.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.must.saturating_add(self.should).saturating_add(self.may)
    }
}

/// Why a check ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The sink returned `Break`.
    Sink,
    /// The file exceeds a limit.
    Limit(Limit),
    /// The file's bytes at this span cannot be read.
    Unread(Span),
    /// No rule covers files of this kind.
    NotCovered,
    /// The companion at this index is not a data file.
    NotData(usize),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Sink => f.write_str("the sink ended the check"),
            StopReason::Limit(limit) => limit.fmt(f),
            StopReason::Unread(Span { offset, len }) => write!(f, "cannot read the {len} bytes at {offset:#x}"),
            StopReason::NotCovered => f.write_str("no rule covers files of this kind"),
            StopReason::NotData(index) => write!(f, "companion {index} is not a data file"),
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

    /// A check's result, with its findings. A report dereferences to its [`Summary`].
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Report {
        /// The summary of the findings.
        pub summary: Summary,
        /// The findings in the order in which they were found, at most
        /// [`Checker::max_findings`](super::super::Checker::max_findings). If none of these violates a must-rule, the
        /// first finding that does is stored as well.
        pub findings: Vec<Finding>,
        /// The index of a companion that is rejected as a standalone file. If there is one, the program is not compared
        /// with its companions.
        pub rejected_companion: Option<usize>,
    }

    impl Report {
        /// The first stored finding whose rule has the given strength.
        #[must_use]
        pub fn first(&self, strength: Strength) -> Option<&Finding> {
            self.findings.iter().find(|finding| finding.rule.strength == strength)
        }

        /// The number of findings that were counted but not stored.
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

    /// One violation of a rule: the rule, the field, the bytes and a message.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Finding {
        /// The violated rule.
        pub rule: &'static Rule,
        /// The index of the companion that violates the rule; `None` for the checked file itself.
        pub companion: Option<usize>,
        /// The field's path, such as `execution_plan[0].values[3].sizes`. Paths of header fields begin with `header`.
        /// The path is empty for the whole file.
        pub path: String,
        /// The span of the value that violates the rule.
        pub span: Span,
        /// A sentence without a final period that says what was found and what was expected.
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

    /// A sink that stores findings up to a maximum number. If none of these violates a must-rule, it also stores the
    /// first finding that does.
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
