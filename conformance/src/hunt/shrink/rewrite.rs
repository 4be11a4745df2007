//! Shrinks a file whose FlatBuffer can be decoded: writes the file again with less content.

use torchproof::flatbuffer::tree::TableTree;
use torchproof::write::SegmentData;
use torchproof::{FileKind, Image, Span, ptd, pte, view};

use super::best::Best;
use crate::file::root_tree;

/// A decoded file.
#[derive(Clone)]
struct Parts {
    kind: FileKind,
    root: TableTree,
    segments: Vec<Vec<u8>>,
}

/// The segment alignments to try; smaller alignments come first, because smaller alignments make smaller files.
const ALIGNMENTS: [u64; 3] = [1, 16, 128];

/// Rewrites the file with less content.
///
/// The first rewrite keeps all content. If the result is larger than the file or not interesting, the function leaves
/// the file unchanged.
pub(super) fn reduce(best: &mut Best<'_>) {
    let Some(mut parts) = Parts::of(&best.bytes) else { return };
    let written = |best: &mut Best<'_>, alignment| {
        parts.write(alignment).filter(|bytes| bytes.len() <= best.bytes.len() && best.holds(bytes))
    };
    let Some((alignment, bytes)) =
        ALIGNMENTS.into_iter().find_map(|alignment| Some((alignment, written(best, alignment)?)))
    else {
        return;
    };
    best.bytes = bytes;
    let mut less = |parts: &mut Parts, candidate: Parts| {
        let taken = !best.is_over() && candidate.write(alignment).is_some_and(|bytes| best.take(bytes));
        if taken {
            *parts = candidate;
        }
        taken
    };
    for index in 0..parts.segments.len() {
        empty(&mut parts, index, &mut less);
    }
    for (path, field) in parts.places() {
        shorten(&mut parts, &path, field, &mut less);
    }
    // Remove fields last, because fewer fields remain after the lists of tables have become shorter.
    for (path, field) in parts.places() {
        if parts.root.at(&path).is_some_and(|table| table.get(field).is_some()) {
            let mut candidate = parts.clone();
            if let Some(table) = candidate.root.at_mut(&path) {
                table.remove(field);
            }
            less(&mut parts, candidate);
        }
    }
}

/// A function that replaces the best parts so far with a candidate, if the candidate's file is simpler and interesting.
/// The function returns whether it replaced the parts.
type Less<'f> = dyn FnMut(&mut Parts, Parts) -> bool + 'f;

/// Truncates a segment by its whole length, by half, by a quarter, and so on.
fn empty(parts: &mut Parts, index: usize, less: &mut Less<'_>) {
    let mut step = parts.segments[index].len();
    while step > 0 {
        let left = parts.segments[index].len().checked_sub(step);
        let taken = left.is_some_and(|left| {
            let mut candidate = parts.clone();
            candidate.segments[index].truncate(left);
            less(parts, candidate)
        });
        if !taken {
            step /= 2;
        }
    }
}

/// Removes elements from a list of tables, first many at a time, then fewer.
fn shorten(parts: &mut Parts, path: &str, field: &str, less: &mut Less<'_>) {
    let len = |parts: &Parts| Some(parts.root.at(path)?.get(field)?.as_tables()?.len());
    let Some(mut size) = len(parts) else { return };
    while size > 0 {
        let mut at = 0;
        while let Some(end) = len(parts).filter(|len| at < *len).map(|len| len.min(at + size)) {
            let mut candidate = parts.clone();
            let list = candidate.root.at_mut(path).and_then(|table| table.tables_mut(field));
            list.map(|list| list.drain(at..end));
            if !less(parts, candidate) {
                at = end;
            }
        }
        size /= 2;
    }
}

impl Parts {
    /// Decodes a file; returns `None` if the kind of the file is unsupported or if its FlatBuffer is invalid.
    fn of(bytes: &[u8]) -> Option<Self> {
        let image = Image::whole(bytes);
        let file = view::File::open(image).ok()?;
        let kind = file.kind();
        if kind == FileKind::Bpte {
            return None;
        }
        let segment = |span: &Span| image.slice(*span, "").ok().map(<[u8]>::to_vec);
        let segments = file.segments().ok()?.iter().map(segment).collect::<Option<_>>()?;
        Some(Self { kind, root: root_tree(image, kind).ok()?, segments })
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

    /// Returns every present field: the path of the field's table, and the name of the field.
    ///
    /// Outer tables come before inner tables, and later elements of a list come before earlier elements.
    fn places(&self) -> Vec<(String, &'static str)> {
        let mut places = Vec::new();
        let mut next = vec![(String::new(), &self.root)];
        while let Some((path, table)) = next.pop() {
            for (field, value) in table.fields() {
                places.push((path.clone(), field.name));
                let dot = if path.is_empty() { "" } else { "." };
                let below = format!("{path}{dot}{}", field.name);
                if let Some(table) = value.as_table() {
                    next.push((below, table));
                } else if let Some(tables) = value.as_tables() {
                    next.extend(tables.iter().enumerate().map(|(index, table)| (format!("{below}[{index}]"), table)));
                }
            }
        }
        places
    }
}
