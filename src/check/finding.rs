//! Where rules report violations: a sink that receives findings, or a verdict.

use core::fmt;
use core::ops::ControlFlow;

use crate::Span;
use crate::flatbuffer::walk::{Flow, Path, Stop};
use crate::flatbuffer::{Broken, Str, Table};
use crate::rules::{Rule, RuleKey, RuleNumber, Strength, by_number};

/// One violation of a rule: the rule, the field, the bytes and a message.
///
/// A finding borrows all its fields and is valid only while the sink runs. Printing it allocates no memory.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FindingRef<'f> {
    /// The violated rule.
    pub rule: &'static Rule,
    /// The index of the companion that violates the rule; `None` for the checked file itself.
    pub companion: Option<usize>,
    /// The field's path, such as `execution_plan[0].values[3].sizes`. Paths of header fields begin with `header`. The
    /// path is empty for the whole file.
    pub path: FieldPath<'f>,
    /// The span of the value that violates the rule.
    pub span: Span,
    /// A sentence without a final period that says what was found and what was expected.
    ///
    /// If the finding is about an inner program, offsets in the message are relative to that program's first byte.
    pub message: fmt::Arguments<'f>,
}

/// The path of a finding's field.
///
/// Inside a bundled program, the inner program's paths begin with `program`, as in `program.header.length`.
#[derive(Clone, Copy)]
pub struct FieldPath<'f> {
    /// For a program inside a bundle, the name of the field that contains the program; otherwise empty.
    container: &'static str,
    path: &'f Path<'f>,
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.container)?;
        if !self.container.is_empty() && !self.path.is_root() {
            f.write_str(".")?;
        }
        self.path.fmt(f)
    }
}

impl fmt::Debug for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldPath({self})")
    }
}

/// A callback that receives findings and can return `Break` to end the check.
pub(super) type Sink<'s> = dyn FnMut(&FindingRef<'_>) -> ControlFlow<()> + 's;

/// Where a rule's body reports a violation: [`Findings`], or [`FirstBroken`] for a verdict. Every body is generic over
/// this trait, so verdicts need no second copy of the rules. If an implementation ignores paths and messages, the
/// compiler removes the code that builds them.
pub(super) trait Reporter {
    /// Reports a violation. Returns [`Stop::Visitor`] to end the check.
    fn report(&mut self, rule: impl Into<RuleKey>, path: &Path<'_>, span: Span, message: fmt::Arguments<'_>) -> Flow;

    /// Returns whether the reporter ignores all but must-rules. If so, a body without must-rules can be skipped, unless
    /// it could end the check for another reason.
    fn must_only(&self) -> bool;

    /// Returns whether the file has broken a must-rule so far.
    fn has_must(&self) -> bool;

    /// Sets which inner file the next findings are about, given its field and position in the outer file. Returns the
    /// previous inner file.
    fn enter_file(&mut self, inner: (&'static str, u64)) -> (&'static str, u64);

    /// Runs `check` on a file that is in `field` of an outer file and begins at `start`. Spans and paths of its
    /// findings then refer to the outer file.
    fn inside<T>(&mut self, field: &'static str, start: u64, check: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.enter_file((field, start));
        let checked = check(self);
        self.enter_file(outer);
        checked
    }

    /// Sets which companion the next findings are about (`None` for the program), and returns the previous companion.
    fn enter_companion(&mut self, companion: Option<usize>) -> Option<usize>;

    /// Runs `report` and attributes its findings to the companion at `index`.
    fn of_companion<T>(&mut self, index: usize, report: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (self.enter_file(("", 0)), self.enter_companion(Some(index)));
        let reported = report(self);
        self.enter_file(outer.0);
        self.enter_companion(outer.1);
        reported
    }

    #[inline(always)]
    fn absent(&mut self, rule: impl Into<RuleKey>, field: &'static str, table: Table<'_>, path: &Path<'_>) -> Flow {
        self.report(rule, &path.field(field), table.span(), format_args!("{field} is absent"))
    }

    /// Reports an empty string, with the span of its length field.
    #[inline(always)]
    fn empty(&mut self, rule: impl Into<RuleKey>, field: &'static str, string: Str<'_>, path: &Path<'_>) -> Flow {
        let at = Span::new(string.span().offset - 4, 4);
        self.report(rule, &path.field(field), at, format_args!("{field} is empty"))
    }

    /// Reports a field of `table` if it is absent. A faulty field has already been reported by the verification pass.
    #[inline(always)]
    fn require<T>(
        &mut self,
        rule: impl Into<RuleKey>,
        field: &'static str,
        found: &Result<Option<T>, Broken>,
        table: Table<'_>,
        path: &Path<'_>,
    ) -> Flow {
        if matches!(found, Ok(None)) { self.absent(rule, field, table, path) } else { Ok(()) }
    }
}

pub(super) struct Findings<'s> {
    sink: &'s mut Sink<'s>,
    counts: [u32; 3],
    /// The field of the outer file that contains the checked file, and the checked file's position in the outer file.
    container: (&'static str, u64),
    /// The index of the companion that is being checked; `None` for the program.
    companion: Option<usize>,
}

impl<'s> Findings<'s> {
    pub(super) fn new(sink: &'s mut Sink<'s>) -> Self {
        Self { sink, counts: [0; 3], container: ("", 0), companion: None }
    }

    /// The number of findings by strength: must, should, may.
    pub(super) fn counts(&self) -> [u32; 3] {
        self.counts
    }
}

impl Reporter for Findings<'_> {
    #[cold]
    fn report(&mut self, rule: impl Into<RuleKey>, path: &Path<'_>, span: Span, message: fmt::Arguments<'_>) -> Flow {
        let Some(rule) = by_number(rule.into().number) else { return Ok(()) };
        let count = &mut self.counts[rule.strength as usize];
        *count = count.saturating_add(1);
        let (container, start) = self.container;
        let (path, span) = (FieldPath { container, path }, Span::new(start.saturating_add(span.offset), span.len));
        match (self.sink)(&FindingRef { rule, companion: self.companion, path, span, message }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Visitor),
        }
    }

    fn must_only(&self) -> bool {
        false
    }

    fn has_must(&self) -> bool {
        self.counts[Strength::Must as usize] > 0
    }

    fn enter_file(&mut self, inner: (&'static str, u64)) -> (&'static str, u64) {
        core::mem::replace(&mut self.container, inner)
    }

    fn enter_companion(&mut self, companion: Option<usize>) -> Option<usize> {
        core::mem::replace(&mut self.companion, companion)
    }
}

/// The first must-rule that a file breaks. Ends the check right there, and ignores weaker rules, paths and messages.
#[derive(Default)]
pub(super) struct FirstBroken {
    /// The rule's number, the offset of the bytes that break it, and the companion that contains these bytes.
    pub(super) broken: Option<(RuleNumber, u64, Option<usize>)>,
    /// Where the checked file begins in the outer file.
    start: u64,
    companion: Option<usize>,
}

impl FirstBroken {
    #[cold]
    #[inline(never)]
    fn breaks(&mut self, rule: RuleNumber, offset: u64) -> Flow {
        self.broken = Some((rule, self.start.saturating_add(offset), self.companion));
        Err(Stop::Visitor)
    }
}

impl Reporter for FirstBroken {
    #[inline(always)]
    fn report(&mut self, rule: impl Into<RuleKey>, _: &Path<'_>, span: Span, _: fmt::Arguments<'_>) -> Flow {
        let rule = rule.into();
        if rule.strength == Strength::Must { self.breaks(rule.number, span.offset) } else { Ok(()) }
    }

    #[inline(always)]
    fn must_only(&self) -> bool {
        true
    }

    fn has_must(&self) -> bool {
        self.broken.is_some()
    }

    fn enter_file(&mut self, (_, start): (&'static str, u64)) -> (&'static str, u64) {
        ("", core::mem::replace(&mut self.start, start))
    }

    fn enter_companion(&mut self, companion: Option<usize>) -> Option<usize> {
        core::mem::replace(&mut self.companion, companion)
    }
}
