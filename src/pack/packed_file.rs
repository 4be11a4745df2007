//! A whole file that is ready for output: its tables, its layout and the bytes of its segments.

use std::format;
use std::io::{self, Write};
use std::vec::Vec;

use crate::check::{Checker, ReadAt, ReadError};
use crate::flatbuffer::tree::TableTree;
use crate::write::{FileLayout, WriteCause, WriteError, align, zero_alignment};
use crate::{FileKind, Span};

static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Aligned parts with zeros between them.
#[derive(Debug, Default)]
pub(super) struct SegmentParts<'s> {
    /// The parts with their offsets in the segment.
    parts: Vec<(u64, &'s [u8])>,
    pub(super) len: u64,
}

impl<'s> SegmentParts<'s> {
    pub(super) fn new(parts: impl IntoIterator<Item = &'s [u8]>, alignment: u64) -> Result<Self, WriteError> {
        if alignment == 0 {
            return Err(zero_alignment("layout"));
        }
        let mut segment = Self::default();
        for part in parts {
            let offset = align(segment.len, alignment)?;
            segment.len = offset.checked_add(part.len() as u64).ok_or_else(WriteError::too_large)?;
            segment.parts.push((offset, part));
        }
        Ok(segment)
    }

    pub(super) fn offsets(&self) -> Vec<u64> {
        self.parts.iter().map(|(offset, _)| *offset).collect()
    }
}

impl<'s> From<&'s [u8]> for SegmentParts<'s> {
    fn from(bytes: &'s [u8]) -> Self {
        Self { parts: [(0, bytes)].into(), len: bytes.len() as u64 }
    }
}

/// A packed file that [`check`](crate::check()) accepts. It borrows the bytes of its segments.
///
/// ```
/// use torchproof::ptd::{DataLayout, pack};
/// use torchproof::write::NamedDataStore;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut store = NamedDataStore::new();
/// store.add("zeros", &[0; 1000], 1, None)?;
/// let packed = pack(store, &DataLayout::CURRENT)?;
/// let (len, base) = (packed.layout().len(), packed.layout().base());
/// assert_eq!(len, base + 1000);
/// let mut file = Vec::new();
/// packed.stream(&mut file)?;
/// assert_eq!(file.len() as u64, len);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct PackedFile<'s> {
    root: TableTree,
    layout: FileLayout,
    /// The nonempty parts of all segments, by offset from the segment base.
    parts: Vec<(u64, &'s [u8])>,
}

impl<'s> PackedFile<'s> {
    /// Fails if the file violates a must-rule or is not of the given kind.
    pub(super) fn new(
        root: TableTree,
        layout: FileLayout,
        segments: &[SegmentParts<'s>],
        kind: FileKind,
    ) -> Result<Self, WriteError> {
        let placed = layout.places().iter().zip(segments);
        let parts = placed
            .flat_map(|(place, segment)| segment.parts.iter().map(|(offset, bytes)| (place.offset + offset, *bytes)));
        let parts = parts.filter(|(_, bytes)| !bytes.is_empty()).collect();
        let packed = Self { root, layout, parts };
        expect_accepted(&Planned(&packed), kind)?;
        Ok(packed)
    }

    /// Returns the root table. Its segment indexes are set, but it has no list of segments, because only the layout
    /// contains the list.
    #[must_use]
    pub const fn root(&self) -> &TableTree {
        &self.root
    }

    /// The file's layout.
    #[must_use]
    pub const fn layout(&self) -> &FileLayout {
        &self.layout
    }

    /// Writes the file to `out`. This needs no memory beyond the layout.
    ///
    /// # Errors
    ///
    /// Returns [`WriteError`] if a write to `out` fails. The output is then incomplete.
    pub fn stream(&self, out: &mut dyn Write) -> Result<(), WriteError> {
        self.write(out)
            .map_err(|error| WriteError::new(WriteCause::Output(error.kind()), "", format!("cannot write: {error}")))
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.layout.head())?;
        let mut end = self.layout.head().len() as u64;
        for &(offset, bytes) in &self.parts {
            let start = self.layout.base() + offset;
            zeros(start - end, out)?;
            out.write_all(bytes)?;
            end = start + bytes.len() as u64;
        }
        zeros(self.layout.len() - end, out)?;
        out.flush()
    }

    /// Returns the file's bytes.
    ///
    /// # Errors
    ///
    /// Returns [`WriteError`] if the file does not fit in memory.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        let len = usize::try_from(self.layout.len()).map_err(|_| WriteError::memory(self.layout.len()))?;
        bytes.try_reserve_exact(len).map_err(|_| WriteError::memory(self.layout.len()))?;
        self.stream(&mut bytes)?;
        Ok(bytes)
    }
}

fn zeros(mut len: u64, out: &mut dyn Write) -> io::Result<()> {
    while len > 0 {
        let count = usize::try_from(len).map_or(ZEROS.len(), |len| len.min(ZEROS.len()));
        out.write_all(&ZEROS[..count])?;
        len -= count as u64;
    }
    Ok(())
}

/// Lets the checker read the packed file without copying its bytes.
struct Planned<'p, 's>(&'p PackedFile<'s>);

impl ReadAt for Planned<'_, '_> {
    fn len(&self) -> u64 {
        self.0.layout.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let PackedFile { layout, parts, .. } = self.0;
        let offset = offset.checked_sub(layout.base()).ok_or(ReadError)?;
        let index = parts.partition_point(|&(start, bytes)| start + bytes.len() as u64 <= offset);
        let (start, bytes) = parts.get(index).ok_or(ReadError)?;
        let start = offset.checked_sub(*start).and_then(|start| usize::try_from(start).ok());
        let found = start.and_then(|start| bytes.get(start..)).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(found.ok_or(ReadError)?);
        Ok(())
    }

    fn head(&self) -> &[u8] {
        self.0.layout.head()
    }

    fn first_nonzero(&self, _: Span) -> Result<Option<u64>, ReadError> {
        Ok(None)
    }
}

/// Checks that the file violates no must-rule, and that readers recognize it as this kind.
fn expect_accepted(file: &dyn ReadAt, kind: FileKind) -> Result<(), WriteError> {
    let mut report = Checker::new().max_findings(0).check_source(file);
    match (report.findings.pop(), report.stopped) {
        (Some(found), _) => {
            let message = format!("{} (violates {})", found.message, found.rule);
            Err(WriteError::new(WriteCause::Rejected(found.rule.id), found.path, message))
        }
        (None, Some(why)) => Err(WriteError::new(WriteCause::Limit, "", format!("the check stopped early: {why}"))),
        (None, None) if report.kind != kind => {
            let message = format!("readers would infer {} instead of {kind}", report.kind);
            Err(WriteError::new(WriteCause::Ambiguous, "", message))
        }
        (None, None) => Ok(()),
    }
}
