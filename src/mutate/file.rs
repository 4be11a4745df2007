//! A file as edits see it: the root type, the header, the FlatBuffer and the segments.

use alloc::vec::Vec;

use super::number::{number, position, target};
use crate::flatbuffer::Table;
use crate::flatbuffer::schema::{Kind, TableType, TableView};
use crate::ptd::legacy_schema::LegacyFlatTensor;
use crate::{FileKind, Span, bundled, ptd, pte};

/// The shortest file with a structure to edit: the root offset, the identifier, and a root table.
const SHORTEST: usize = 12;

const MOST_SEGMENTS: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(super) struct FileParts<'b> {
    pub(super) bytes: &'b [u8],
    /// The file's kind. It does not distinguish the layouts of data files.
    pub(super) kind: FileKind,
    pub(super) root: &'static TableType,
    /// The names and spans of the header fields; empty for a file without a header.
    pub(super) header: &'static [(&'static str, Span)],
    /// The bytes up to the end of the FlatBuffer.
    pub(super) buffer: &'b [u8],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Where the number `offset` is, if the file stores it.
    pub(super) offset_at: Option<usize>,
    pub(super) size_at: usize,
    /// Where the bytes of the segment begin and end in the file.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'b> FileParts<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Option<Self> {
        let kind = FileKind::of_head(bytes);
        let (root, magic, header) = match kind {
            _ if bytes.len() < SHORTEST => return None,
            FileKind::Pte => (pte::schema::Program::TYPE, pte::ExtendedHeader::MAGIC, &pte::ExtendedHeader::FIELDS[..]),
            FileKind::Ptd => {
                // Only the legacy layout has a field in slot 3 of the root table.
                let legacy = Table::root(bytes).is_ok_and(|root| root.field(3).is_some());
                let root = if legacy { LegacyFlatTensor::TYPE } else { ptd::schema::FlatTensor::TYPE };
                (root, ptd::FlatTensorHeader::MAGIC, &ptd::FlatTensorHeader::FIELDS[..])
            }
            FileKind::Bpte => (bundled::schema::BundledProgram::TYPE, [0; 4], &[][..]),
            _ => return None,
        };
        let ends = header.last().is_some_and(|(_, last)| last.end() <= bytes.len() as u64);
        let header = if ends && bytes[8..12] == magic { header } else { &[] };
        let mut file = Self { bytes, kind, root, header, buffer: bytes };
        if let Some(size_at) = file.size_at() {
            let end = file.before().saturating_add(position(bytes, size_at, 8));
            file.buffer = bytes.get(..end).unwrap_or(bytes);
        }
        Some(file)
    }

    pub(super) fn field(&self, name: &str) -> Option<usize> {
        let (_, span) = self.header.iter().find(|(own, _)| *own == name)?;
        usize::try_from(span.offset).ok()
    }

    pub(super) fn size_at(&self) -> Option<usize> {
        self.field("program_size").or_else(|| self.field("flatbuffer_size"))
    }

    /// Returns the number of bytes at the start of the file that the FlatBuffer's size does not count.
    pub(super) fn before(&self) -> usize {
        self.field("flatbuffer_offset").map_or(0, |at| position(self.bytes, at, 8))
    }

    /// Returns where the segment data begins, or 0 if the file has no segment data.
    pub(super) fn base(&self) -> usize {
        self.field("segment_base_offset").map_or(0, |at| position(self.bytes, at, 8))
    }

    /// Returns the segments whose bytes are inside the file and whose size the file stores.
    pub(super) fn segments(&self) -> Vec<Segment> {
        let buffer = self.buffer;
        let list = |field: &str| {
            let slot = self.root.field(field)?.slot;
            Some(target(buffer, Table::root(buffer).ok()?.field(slot)?))
        };
        let Some(vector) = list("segments") else { return Vec::new() };
        let segment = |index: usize| {
            let table = Table::follow(buffer, vector.checked_add(4 + 4 * index)?).ok()?;
            // In both formats, the first two fields of a segment's table are `offset` and `size`.
            let (offset_at, size_at) = (table.field(0), table.field(1)?);
            let offset = offset_at.map_or(0, |at| position(buffer, at, 8));
            let start = self.base().checked_add(offset)?;
            let end = start.checked_add(position(buffer, size_at, 8))?;
            (end <= self.bytes.len()).then_some(Segment { offset_at, size_at, start, end })
        };
        (0..position(buffer, vector, 4).min(MOST_SEGMENTS)).filter_map(segment).collect()
    }
}

/// Returns the width of a vector's elements, given the kind of the field that leads to it.
pub(super) fn element_width(kind: Kind) -> usize {
    match kind {
        Kind::Scalars(scalar, _) => scalar.width(),
        Kind::Tables(_) => 4,
        _ => 1,
    }
}

/// Returns the number of elements in the vector or string at `position`, if all are inside the buffer.
pub(super) fn count(buffer: &[u8], position: usize, width: usize) -> Option<usize> {
    let count = usize::try_from(number(buffer, position, 4)).ok()?;
    let end = count.checked_mul(width)?.checked_add(position.checked_add(4)?)?;
    (end <= buffer.len()).then_some(count)
}
