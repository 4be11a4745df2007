//! Zero-copy access to a data file.

use core::cmp::Ordering;

use super::IDENTIFIER;
use super::header::FlatTensorHeader;
use super::legacy_schema::LegacyFlatTensor;
use super::schema::{DataSegment, FlatTensor};
use crate::error::broken;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, Stop, Visitor, walk};
use crate::flatbuffer::{self, Fault, Table, Vector};
use crate::segment::{SegmentFault, SegmentRegion};
use crate::{Error, ErrorCode, FileBytes, FileKind, Limits, Span, Stage};

/// A data file's root table, in one of the two schemas that use `FT01`.
#[derive(Clone, Copy, Debug)]
pub enum Layout<'a> {
    /// The current layout: keys, segments, and a tensor layout for each blob that is a tensor.
    Current(FlatTensor<'a>),
    /// The legacy layout of release 0.6.0: tensors at offsets in segments.
    Legacy(LegacyFlatTensor<'a>),
}

impl<'a> Layout<'a> {
    /// Determines a root table's layout by its structure.
    ///
    /// The legacy root has its segments in slot 3, which the current root lacks, so a root without a field there is
    /// current. Otherwise, the whole FlatBuffer is verified with both schemas, within `limits`; the schema with fewer
    /// faults wins. On a tie, the current layout wins if its list of segments is not empty.
    #[must_use]
    pub fn of(root: Table<'a>, limits: Limits) -> Self {
        let current = Layout::Current(FlatTensor::from_table(root));
        let legacy = Layout::Legacy(LegacyFlatTensor::from_table(root));
        if root.field(3).is_none() {
            return current;
        }
        let as_current = faults::<FlatTensor<'_>>(root.buffer(), limits);
        let as_legacy = faults::<LegacyFlatTensor<'_>>(root.buffer(), limits);
        let segments = FlatTensor::from_table(root).segments();
        let has_segment = matches!(segments, Ok(Some(segments)) if !segments.is_empty());
        match as_current.cmp(&as_legacy) {
            Ordering::Less => current,
            Ordering::Greater => legacy,
            Ordering::Equal if has_segment => current,
            Ordering::Equal => legacy,
        }
    }
}

fn faults<'a, T: TableView<'a>>(region: &'a [u8], limits: Limits) -> u32 {
    let mut faults = Faults(0);
    let (_, flow) = walk::<T>(region, limits, &mut faults);
    // If the verification ended early, add one fault for the tables that it did not reach.
    faults.0 + u32::from(flow.is_err())
}

/// Counts up to 1000.
struct Faults(u32);

impl Visitor<'_> for Faults {
    fn fault(&mut self, _: &Fault, _: &Path<'_>) -> Flow {
        self.0 += 1;
        if self.0 < 1000 { Ok(()) } else { Err(Stop::Visitor) }
    }
}

/// An open data file.
///
/// Opening checks only the header, the identifier and the root table. If the root has a field in slot 3, the whole
/// FlatBuffer is verified to determine the layout. Segments are returned as slices of the file without reading their
/// bytes. To check the whole file, use [`check`](mod@crate::check).
#[derive(Clone, Copy, Debug)]
pub struct Ptd<'a> {
    file_bytes: FileBytes<'a>,
    header: FlatTensorHeader,
    layout: Layout<'a>,
    region: &'a [u8],
}

impl<'a> Ptd<'a> {
    /// Opens a file that is entirely in memory.
    ///
    /// # Errors
    ///
    /// Returns the first rule that the header, the identifier or the root table violates.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::open_file_bytes(FileBytes::whole(bytes))
    }

    /// Opens a file whose FlatBuffer is in memory. Its segments need not be in memory; see [`FileBytes::needed`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Ptd::open`], or [`ErrorCode::NotInMemory`] if `file_bytes` lacks bytes of the FlatBuffer.
    pub fn open_file_bytes(file_bytes: FileBytes<'a>) -> Result<Self, Error> {
        file_bytes.check_identifier(IDENTIFIER, broken::FB_IDENTIFIER_EXACT)?;
        let header = FlatTensorHeader::find(file_bytes.bytes())?;
        let end = header.checked_flatbuffer_end(file_bytes.len())?;
        let region = file_bytes.flatbuffer(end)?;
        let layout = Layout::of(flatbuffer::Table::root(region)?, Limits::DEFAULT);
        Ok(Self { file_bytes, header, layout, region })
    }

    /// Returns the file's header.
    #[must_use]
    pub fn header(&self) -> FlatTensorHeader {
        self.header
    }

    /// Returns the file's kind: [`FileKind::Ptd`] or, for the legacy layout, [`FileKind::PtdLegacy`].
    #[must_use]
    pub fn kind(&self) -> FileKind {
        match self.layout {
            Layout::Current(_) => FileKind::Ptd,
            Layout::Legacy(_) => FileKind::PtdLegacy,
        }
    }

    pub(crate) fn file_bytes(&self) -> FileBytes<'a> {
        self.file_bytes
    }

    /// Returns the root table. Its variant tells you which layout the file has.
    #[must_use]
    pub fn layout(&self) -> Layout<'a> {
        self.layout
    }

    /// Returns the bytes of the FlatBuffer.
    #[must_use]
    pub fn region(&self) -> &'a [u8] {
        self.region
    }

    /// Returns the list of segments, in either layout.
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn segments(&self) -> Result<Option<Vector<'a, DataSegment<'a>>>, Error> {
        Ok(match self.layout {
            Layout::Current(root) => root.segments()?,
            Layout::Legacy(root) => root.segments()?,
        })
    }

    /// Checks the range of the segment at `index`, and returns where in the file the segment is.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Missing`] if the file has no `segments`, and [`ErrorCode::IndexOutOfRange`] if `index` is
    /// past the end of the list. Returns the violated rule if the range is not inside the segment data and the file.
    pub fn segment(&self, index: u32) -> Result<Span, Error> {
        const FIELD: &str = "FlatTensor.segments";
        let Some(segments) = self.segments()? else {
            return Err(Error::new(ErrorCode::Missing, Stage::Data, Span::new(0, 4), FIELD));
        };
        let Some(segment) = segments.get(index as usize) else {
            let error = Error::new(ErrorCode::IndexOutOfRange, Stage::Data, segments.span(), FIELD);
            return Err(error.measured(index.into(), segments.len() as u64));
        };
        let segment = segment?;
        let (offset, size) = (segment.offset()?, segment.size()?);
        let place = segment.table().span();
        let broken = |rule, have, bound| Error::broken(rule, place, "DataSegment", have, bound);
        let FlatTensorHeader { segment_base_offset: base, segment_data_size, .. } = self.header;
        let data = SegmentRegion { base, size: Some(segment_data_size), file_len: self.file_bytes.len() };
        data.place(offset, size).map_err(|misplaced| match misplaced {
            SegmentFault::EndWraps => broken(broken::FT_SEG_END_NO_OVERFLOW, offset, u64::MAX - size),
            SegmentFault::BaseWraps => broken(broken::FT_SEG_ABS_NO_OVERFLOW, offset, u64::MAX - base),
            SegmentFault::PastData { end, bound } => broken(broken::FT_SEG_BOUND, end, bound),
        })
    }

    /// Returns the bytes of the segment at `index`, as a slice of the file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Ptd::segment`], or [`ErrorCode::NotInMemory`] if the bytes are not in memory.
    pub fn segment_bytes(&self, index: u32) -> Result<&'a [u8], Error> {
        let span = self.segment(index)?;
        if span.len == 0 { Ok(&[]) } else { self.file_bytes.slice(span, "DataSegment") }
    }
}

impl FlatTensorHeader {
    /// Also checks the header's length.
    fn checked_flatbuffer_end(&self, file_len: u64) -> Result<u64, Error> {
        if self.length < Self::MIN_LENGTH {
            let (have, bound) = (self.length.into(), Self::MIN_LENGTH.into());
            let rule = broken::FH_LENGTH;
            return Err(Error::broken(rule, Self::LENGTH_SPAN, "header.length", have, bound));
        }
        self.flatbuffer_end().filter(|end| (12..=file_len).contains(end)).ok_or_else(|| {
            let have = self.flatbuffer_end().unwrap_or(u64::MAX);
            let bound = if have < 12 { 12 } else { file_len };
            Error::broken(broken::FH_FB_SUM, Span::new(16, 16), "header.flatbuffer_size", have, bound)
        })
    }
}
