//! Parts of a file in rows: one of any length, or small ones of one object together.

use torchproof::Span;
use torchproof::annotate::{Entry, PartKind};

/// Bytes in a line.
pub(super) const LINE: usize = 8;

/// Bytes of a file that came from another file's.
#[derive(Clone, Copy, Debug)]
pub struct ChangedBytes {
    /// Where they are; of no length where bytes were taken out.
    pub span: Span,
    /// How many bytes longer the file became.
    pub longer: i64,
}

/// Where the parts of a row are.
pub(super) fn span_of(row: &[Entry]) -> Span {
    let (Some(first), Some(last)) = (row.first(), row.last()) else { return Span::new(0, 0) };
    Span::new(first.span.offset, last.span.end() - first.span.offset)
}

/// The parts in rows.
///
/// Parts share a row as long as they fit into one line. A table, a list, a vtable, a segment and a field of the header each
/// begin a row, and what was changed has one of its own.
pub(super) fn rows<'e>(entries: &'e [Entry], changes: &[ChangedBytes]) -> Vec<&'e [Entry]> {
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
            let fits = |pair: &[Entry]| {
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
