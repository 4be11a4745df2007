//! Findings, and where they go.

use core::fmt;
use core::ops::ControlFlow;

use crate::Span;
use crate::flatbuffer::walk::{Flow, Path, Stop};
use crate::flatbuffer::{Fault, Str, Table};
use crate::rules::Rule;

/// A rule broken in a file: which, in which field, at which bytes, and how.
///
/// It borrows everything and is gone when the sink returns; its `Display` parts allocate nothing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FindingRef<'f> {
    /// The rule.
    pub rule: &'static Rule,
    /// The companion that it is in, by index; `None` for the file that was checked.
    pub companion: Option<usize>,
    /// The field, as `execution_plan[0].values[3].sizes`; header fields are under `header`; empty for the file as a whole.
    pub path: FieldPath<'f>,
    /// The bytes that hold the wrong value.
    pub span: Span,
    /// The value found and the one expected, as one sentence without a full stop. Offsets in it count as the field's own do: in
    /// a bundled program, from the first byte of the program that it is about.
    pub message: fmt::Arguments<'f>,
}

/// Where in a file's tables a finding is.
///
/// What is in the program inside a bundled program is under `program`: `program.header.length`.
#[derive(Clone, Copy)]
pub struct FieldPath<'f> {
    /// The field that holds the file that `path` is of; empty for the file itself.
    holder: &'static str,
    path: &'f Path<'f>,
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.holder)?;
        if !self.holder.is_empty() && !self.path.is_root() {
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

/// Where findings go; `Break` ends the check.
pub(super) type Sink<'s> = dyn FnMut(&FindingRef<'_>) -> ControlFlow<()> + 's;

/// Counts findings on their way to a sink.
pub(super) struct Reporter<'s> {
    sink: &'s mut Sink<'s>,
    counts: [u32; 3],
    /// The field that holds the file being checked, and where that file begins.
    holder: (&'static str, u64),
    /// The companion being reported of.
    companion: Option<usize>,
}

impl<'s> Reporter<'s> {
    pub(super) fn new(sink: &'s mut Sink<'s>) -> Self {
        Self { sink, counts: [0; 3], holder: ("", 0), companion: None }
    }

    /// Findings so far, by strength: must, should, may.
    pub(super) fn counts(&self) -> [u32; 3] {
        self.counts
    }

    /// Reports of a file that `field` holds, from byte `start` on: its spans and paths become those of the file around it.
    pub(super) fn inside<R>(&mut self, field: &'static str, start: u64, check: impl FnOnce(&mut Self) -> R) -> R {
        let outer = core::mem::replace(&mut self.holder, (field, start));
        let checked = check(self);
        self.holder = outer;
        checked
    }

    /// Reports of a companion.
    #[cfg(feature = "alloc")]
    pub(super) fn of_companion<R>(&mut self, index: usize, report: impl FnOnce(&mut Self) -> R) -> R {
        let outer = core::mem::take(&mut self.holder);
        self.companion = Some(index);
        let reported = report(self);
        (self.companion, self.holder) = (None, outer);
        reported
    }

    #[cold]
    pub(super) fn report(
        &mut self,
        rule: &'static Rule,
        path: &Path<'_>,
        span: Span,
        message: fmt::Arguments<'_>,
    ) -> Flow {
        let count = &mut self.counts[rule.strength as usize];
        *count = count.saturating_add(1);
        let (holder, start) = self.holder;
        let (path, span) = (FieldPath { holder, path }, Span::new(start.saturating_add(span.offset), span.len));
        match (self.sink)(&FindingRef { rule, companion: self.companion, path, span, message }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Visitor),
        }
    }

    /// Reports a field of `table` that is absent.
    #[cold]
    pub(super) fn absent(
        &mut self,
        rule: &'static Rule,
        field: &'static str,
        table: Table<'_>,
        path: &Path<'_>,
    ) -> Flow {
        self.report(rule, &path.field(field), table.span(), format_args!("{field} is absent"))
    }

    /// Reports a string that is empty, at its count.
    #[cold]
    pub(super) fn empty(&mut self, rule: &'static Rule, field: &'static str, string: Str<'_>, path: &Path<'_>) -> Flow {
        let at = Span::new(string.span().offset - 4, 4);
        self.report(rule, &path.field(field), at, format_args!("{field} is empty"))
    }

    /// Reports a field of `table` if it is absent; one at fault has been reported.
    pub(super) fn require<T>(
        &mut self,
        rule: &'static Rule,
        field: &'static str,
        found: &Result<Option<T>, Fault>,
        table: Table<'_>,
        path: &Path<'_>,
    ) -> Flow {
        if matches!(found, Ok(None)) { self.absent(rule, field, table, path) } else { Ok(()) }
    }
}
