//! Groups the parts of a file into rows: one long part, or several small parts of one object.

use torchproof::Span;
use torchproof::annotate::{Entry, PartKind};

pub(super) const LINE: usize = 8;

#[derive(Clone, Copy, Debug)]
pub struct ChangedBytes {
    /// The new bytes; empty if the edit only removed bytes.
    pub span: Span,
    pub longer: i64,
}

pub(super) fn span_of(row: &[&Entry]) -> Span {
    let (Some(first), Some(last)) = (row.first(), row.last()) else { return Span::new(0, 0) };
    Span::new(first.span.offset, last.span.end() - first.span.offset)
}

/// Parts share a row only if all of them fit into one line. Every table, vector, vtable, segment and header field
/// begins a new row, and a changed part gets its own row.
pub(super) fn rows<'r, 'e>(entries: &'r [&'e Entry], changes: &[ChangedBytes]) -> Vec<&'r [&'e Entry]> {
    let changed = |part: &Entry| {
        changes.iter().any(|change| change.span.offset <= part.span.end() && part.span.offset <= change.span.end())
    };
    let begins = |part: &Entry| {
        let small = matches!(
            part.kind,
            PartKind::Scalar
                | PartKind::Offset
                | PartKind::Item
                | PartKind::Elements
                | PartKind::Terminator
                | PartKind::Padding
                | PartKind::Unowned
        );
        !small || changed(part)
    };
    let mut rows = Vec::new();
    let mut rest = entries;
    while let Some(first) = rest.first() {
        let mut end = 1;
        if !changed(first) && !matches!(first.kind, PartKind::Vtable | PartKind::Header | PartKind::Segment) {
            let fits = |pair: &[&Entry]| {
                let (before, next) = (&pair[0], &pair[1]);
                let together = next.span.end().saturating_sub(first.span.offset);
                next.span.offset == before.span.end() && together <= LINE as u64 && !begins(next)
            };
            end += rest.windows(2).take_while(|pair| fits(pair)).count();
        }
        let (parts, others) = rest.split_at(end);
        rows.push(parts);
        rest = others;
    }
    rows
}
