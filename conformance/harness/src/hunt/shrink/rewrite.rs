//! Shrinks a file whose FlatBuffer can be decoded, by rewriting it with less content.

use torchproof::flatbuffer::tree::TableTree;
use torchproof::write::SegmentData;
use torchproof::{FileBytes, FileKind, Span, ptd, pte, view};

use super::smallest_file::SmallestFile;

struct Parts<'f> {
    kind: FileKind,
    root: TableTree,
    segments: Vec<&'f [u8]>,
}

/// The segment alignments to try, starting with the one that gives the smallest file.
const ALIGNMENTS: [u64; 3] = [1, 16, 128];

const MAX_PLACES: usize = 100_000;

/// Rewrites the file with less content.
///
/// The first rewrite keeps all content. If even its result is larger or uninteresting, the file stays as it is. Each
/// later rewrite removes content from the tree in memory, and puts it back unless the result is simpler and
/// interesting.
pub(super) fn reduce(best: &mut SmallestFile<'_>) {
    let file = best.bytes.clone();
    let Some(mut parts) = Parts::of(&file) else { return };
    let written = |best: &mut SmallestFile<'_>, alignment| {
        parts.write(alignment).filter(|bytes| bytes.len() <= best.bytes.len() && best.holds(bytes))
    };
    let Some((alignment, bytes)) =
        ALIGNMENTS.into_iter().find_map(|alignment| Some((alignment, written(best, alignment)?)))
    else {
        return;
    };
    best.bytes = bytes;
    let mut rest = Rest { best, alignment };
    for index in 0..parts.segments.len() {
        empty(&mut parts, index, &mut rest);
    }
    for (path, field) in parts.places() {
        shorten(&mut parts, &path, field, &mut rest);
    }
    // Fields come last, because fewer remain once the table lists are shorter.
    for (path, field) in parts.places() {
        let Some(removed) = parts.root.at_mut(&path).and_then(|table| table.remove(field)) else { continue };
        if !rest.takes(&parts)
            && let Some(table) = parts.root.at_mut(&path)
        {
            let restored = table.set(field, removed);
            debug_assert!(restored.is_ok(), "the value was in this field");
        }
    }
}

struct Rest<'b, 'f> {
    best: &'b mut SmallestFile<'f>,
    alignment: u64,
}

impl Rest<'_, '_> {
    /// Replaces the best file if the file made from the parts is simpler and interesting, and returns whether it did so.
    fn takes(&mut self, parts: &Parts<'_>) -> bool {
        !self.best.is_over() && parts.write(self.alignment).is_some_and(|bytes| self.best.take(bytes))
    }
}

/// Truncates a segment by its whole length, by half, by a quarter, and so on.
fn empty(parts: &mut Parts<'_>, index: usize, rest: &mut Rest<'_, '_>) {
    let mut step = parts.segments[index].len();
    while step > 0 && !rest.best.is_over() {
        let whole = parts.segments[index];
        let taken = whole.len().checked_sub(step).is_some_and(|left| {
            parts.segments[index] = &whole[..left];
            rest.takes(parts)
        });
        if !taken {
            parts.segments[index] = whole;
            step /= 2;
        }
    }
}

/// Removes elements from a table list, first many at a time, then fewer.
fn shorten(parts: &mut Parts<'_>, path: &str, field: &str, rest: &mut Rest<'_, '_>) {
    fn list<'p>(parts: &'p mut Parts<'_>, path: &str, field: &str) -> Option<&'p mut Vec<TableTree>> {
        parts.root.at_mut(path)?.tables_mut(field)
    }
    let Some(mut size) = list(parts, path, field).map(|list| list.len()) else { return };
    while size > 0 {
        let mut at = 0;
        while let Some(tables) = list(parts, path, field).filter(|list| at < list.len() && !rest.best.is_over()) {
            let end = tables.len().min(at + size);
            let removed: Vec<TableTree> = tables.drain(at..end).collect();
            if !rest.takes(parts) {
                list(parts, path, field).map(|list| list.splice(at..at, removed));
                at = end;
            }
        }
        size /= 2;
    }
}

impl<'f> Parts<'f> {
    /// Decodes a file of a supported kind whose FlatBuffer is valid and within the limits.
    fn of(bytes: &'f [u8]) -> Option<Self> {
        let file_bytes = FileBytes::whole(bytes);
        let file = view::File::open(file_bytes).ok()?;
        let kind = file.kind();
        if kind == FileKind::Bpte {
            return None;
        }
        let segment = |span: &Span| file_bytes.slice(*span, "").ok();
        let spans = file.segments().ok()?;
        // If segments overlap, writing them one after another can take far more bytes than the file.
        spans.iter().try_fold(file_bytes.len(), |left, span| left.checked_sub(span.len))?;
        let segments = spans.iter().map(segment).collect::<Option<_>>()?;
        Some(Self { kind, root: file.tree().ok()?, segments })
    }

    fn write(&self, alignment: u64) -> Option<Vec<u8>> {
        let segments: Vec<_> = self.segments.iter().map(|bytes| SegmentData::new(bytes)).collect();
        if self.kind == FileKind::Pte {
            let mut layout = pte::ProgramLayout::default();
            layout.segment_alignment = alignment;
            pte::write(&self.root, &segments, &layout).ok()
        } else {
            let mut layout = ptd::DataLayout::CURRENT;
            layout.segment_alignment = alignment;
            ptd::write(&self.root, &segments, &layout).ok()
        }
    }

    /// Returns the present fields up to a maximum, each as its table's path and its name. Outer tables come before
    /// inner tables, and a list's later elements before its earlier ones.
    fn places(&self) -> Vec<(String, &'static str)> {
        let mut places = Vec::new();
        add_places("", &self.root, &mut places);
        places
    }
}

fn add_places(path: &str, table: &TableTree, places: &mut Vec<(String, &'static str)>) {
    if places.len() >= MAX_PLACES {
        return;
    }
    let dot = if path.is_empty() { "" } else { "." };
    let fields: Vec<_> = table.fields().map(|(field, value)| (format!("{path}{dot}{}", field.name), value)).collect();
    places.extend(table.fields().map(|(field, _)| (path.to_owned(), field.name)));
    for (below, value) in fields.into_iter().rev() {
        if let Some(table) = value.as_table() {
            add_places(&below, table, places);
        } else {
            for (index, table) in value.as_tables().unwrap_or_default().iter().enumerate().rev() {
                add_places(&format!("{below}[{index}]"), table, places);
            }
        }
    }
}
