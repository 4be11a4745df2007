//! The parts of a file that mutations need: the root type, the header, the end of the FlatBuffer, and the segments.

use torchproof::flatbuffer::Table;
use torchproof::flatbuffer::schema::{Kind, TableType, TableView};
use torchproof::{FileKind, bundled, ptd, pte};

use crate::number::{number, position};

/// The minimum length of a file that mutations interpret: the root offset, the identifier, and a root table.
const SHORTEST: usize = 12;

/// The maximum number of segments that mutations consider.
const MOST_SEGMENTS: usize = 64;

/// The parts of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileParts {
    pub(crate) kind: FileKind,
    pub(crate) root: &'static TableType,
    /// The header's fields; empty for a file without a header.
    pub(crate) header: &'static [HeaderField],
    /// The end of the FlatBuffer.
    pub(crate) end: usize,
    /// The position of the segment data, or `None` for a file without a header.
    pub(crate) base: Option<usize>,
}

/// One field of a header.
#[derive(Debug)]
pub(crate) struct HeaderField {
    pub(crate) at: usize,
    pub(crate) width: usize,
    pub(crate) meaning: Meaning,
}

/// What the value of a header field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Magic,
    /// The length of the header.
    Length,
    /// The number of bytes before the bytes that `FlatBufferSize` counts.
    Before,
    FlatBufferSize,
    Base,
    DataSize,
}

const fn field(at: usize, width: usize, meaning: Meaning) -> HeaderField {
    HeaderField { at, width, meaning }
}

const PTE_HEADER: &[HeaderField] = &[
    field(8, 4, Meaning::Magic),
    field(12, 4, Meaning::Length),
    field(16, 8, Meaning::FlatBufferSize),
    field(24, 8, Meaning::Base),
    field(32, 8, Meaning::DataSize),
];

const PTD_HEADER: &[HeaderField] = &[
    field(8, 4, Meaning::Magic),
    field(12, 4, Meaning::Length),
    field(16, 8, Meaning::Before),
    field(24, 8, Meaning::FlatBufferSize),
    field(32, 8, Meaning::Base),
    field(40, 8, Meaning::DataSize),
];

/// One entry of the list of segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentParts {
    /// The position of the number `offset`, if the file stores the number.
    pub(crate) offset_at: Option<usize>,
    /// The position of the number `size`.
    pub(crate) size_at: usize,
    /// The bytes of the segment in the file.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl FileParts {
    /// Finds the parts of a file. Returns `None` for a file without a known identifier.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < SHORTEST {
            return None;
        }
        let kind = FileKind::of_head(bytes);
        let (root, magic, header) = match kind {
            FileKind::Pte => (pte::schema::Program::TYPE, pte::ExtendedHeader::MAGIC, PTE_HEADER),
            FileKind::Ptd if is_legacy(bytes) => {
                (ptd::legacy_schema::LegacyFlatTensor::TYPE, ptd::FlatTensorHeader::MAGIC, PTD_HEADER)
            }
            FileKind::Ptd => (ptd::schema::FlatTensor::TYPE, ptd::FlatTensorHeader::MAGIC, PTD_HEADER),
            FileKind::Bpte => (bundled::schema::BundledProgram::TYPE, [0; 4], &[][..]),
            _ => return None,
        };
        let has_header = header.last().is_some_and(|last| bytes.len() >= last.at + last.width);
        let header = if has_header && bytes[8..12] == magic { header } else { &[] };
        let mut parts = Self { kind, root, header, end: bytes.len(), base: None };
        if let Some(size) = parts.value(bytes, Meaning::FlatBufferSize) {
            let before = parts.value(bytes, Meaning::Before).unwrap_or(0);
            parts.end = before.saturating_add(size).min(bytes.len());
            parts.base = parts.value(bytes, Meaning::Base);
        }
        Some(parts)
    }

    /// Returns the header field with this meaning.
    pub(crate) fn field(&self, meaning: Meaning) -> Option<&'static HeaderField> {
        self.header.iter().find(|field| field.meaning == meaning)
    }

    fn value(&self, bytes: &[u8], meaning: Meaning) -> Option<usize> {
        self.field(meaning).map(|field| position(bytes, field.at, field.width))
    }

    /// Returns the bytes of the FlatBuffer.
    pub(crate) fn flatbuffer<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        bytes.get(..self.end).unwrap_or(bytes)
    }

    /// Returns the segments whose bytes are inside the file and whose size the file stores.
    pub(crate) fn segments(&self, bytes: &[u8]) -> Vec<SegmentParts> {
        let buffer = self.flatbuffer(bytes);
        let vector = || {
            let field = self.root.field("segments")?;
            let at = Table::root(buffer).ok()?.field(field.slot)?;
            let vector = at.checked_add(position(buffer, at, 4))?;
            Some((vector, position(buffer, vector, 4)))
        };
        let Some((vector, count)) = vector() else { return Vec::new() };
        let base = self.base.unwrap_or(0);
        let one = |index: usize| {
            let table = Table::follow(buffer, vector.checked_add(4 + 4 * index)?).ok()?;
            // The first two fields of a segment's table are `offset` and `size`, in both formats.
            let offset_at = table.field(0);
            let size_at = table.field(1)?;
            let offset = offset_at.map_or(0, |at| position(buffer, at, 8));
            let start = base.checked_add(offset)?;
            let end = start.checked_add(position(buffer, size_at, 8))?;
            (end <= bytes.len()).then_some(SegmentParts { offset_at, size_at, start, end })
        };
        (0..count.min(MOST_SEGMENTS)).filter_map(one).collect()
    }
}

/// Whether the root table of a data file has the legacy layout, which alone has a field in slot 3.
fn is_legacy(bytes: &[u8]) -> bool {
    Table::root(bytes).is_ok_and(|root| root.field(3).is_some())
}

/// Returns the width of a vector's elements, for the kind of the field that refers to the vector.
pub(crate) fn element_width(kind: Kind) -> usize {
    match kind {
        Kind::Scalars(scalar, _) => scalar.width(),
        Kind::Tables(_) => 4,
        _ => 1,
    }
}

/// Returns the number of elements of the vector or string at `position`, if all elements are inside the buffer.
pub(crate) fn count(buffer: &[u8], position: usize, width: usize) -> Option<usize> {
    let count = usize::try_from(number(buffer, position, 4)).ok()?;
    let end = count.checked_mul(width)?.checked_add(position.checked_add(4)?)?;
    (end <= buffer.len()).then_some(count)
}
