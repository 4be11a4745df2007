//! Zero-copy access to a program file.

use super::IDENTIFIER;
use super::header::ExtendedHeader;
use super::schema::{DataSegment, ExtraTensorInfo, Program, SubsegmentOffsets, Tensor, TensorDataLocation};
use crate::error::broken;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::{self, Vector};
use crate::layout::nbytes;
use crate::segment::{SegmentFault, SegmentRegion};
use crate::{Error, ErrorCode, FileBytes, Span, Stage};

/// An open program file.
///
/// Opening checks only the header, the identifier and the root offset; tables are checked as they are read. Segments
/// are returned as slices of the file without reading their bytes. To check the whole file, use
/// [`check`](mod@crate::check).
#[derive(Clone, Copy, Debug)]
pub struct Pte<'a> {
    file_bytes: FileBytes<'a>,
    header: Option<ExtendedHeader>,
    program: Program<'a>,
    region: &'a [u8],
}

impl<'a> Pte<'a> {
    /// Opens a file that is entirely in memory.
    ///
    /// # Errors
    ///
    /// Returns the first rule that the header, the identifier or the root offset violates.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::open_file_bytes(FileBytes::whole(bytes))
    }

    /// Opens a file whose FlatBuffer is in memory. Its segments need not be in memory; see [`FileBytes::needed`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Pte::open`], or [`ErrorCode::NotInMemory`] if `file_bytes` lacks bytes of the FlatBuffer.
    pub fn open_file_bytes(file_bytes: FileBytes<'a>) -> Result<Self, Error> {
        file_bytes.check_identifier(IDENTIFIER, broken::FB_IDENTIFIER_EXACT)?;
        let header = ExtendedHeader::find(file_bytes.bytes())?;
        let end = header.map_or(Ok(file_bytes.len()), |header| header.checked_program_size(file_bytes.len()))?;
        let region = file_bytes.flatbuffer(end)?;
        let program = Program::from_table(flatbuffer::Table::root(region)?);
        Ok(Self { file_bytes, header, program, region })
    }

    /// Returns the header, or `None` if the file has no header.
    #[must_use]
    pub fn header(&self) -> Option<ExtendedHeader> {
        self.header
    }

    /// Returns the root table.
    #[must_use]
    pub fn program(&self) -> Program<'a> {
        self.program
    }

    pub(crate) fn file_bytes(&self) -> FileBytes<'a> {
        self.file_bytes
    }

    /// Returns the bytes of the FlatBuffer: the first `program_size` bytes, or the whole file if it has no header.
    #[must_use]
    pub fn region(&self) -> &'a [u8] {
        self.region
    }

    /// Checks the range of the segment at `index`, and returns where in the file the segment is.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Missing`] if the file has no `segments`, and [`ErrorCode::IndexOutOfRange`] if `index` is
    /// past the end of the list. Returns the violated rule if the range is not inside the segment data and the file.
    pub fn segment(&self, index: u32) -> Result<Span, Error> {
        const FIELD: &str = "Program.segments";
        let place = Span::of(self.program.table().position(), 4);
        let Some(segments) = self.program.segments()? else {
            return Err(Error::new(ErrorCode::Missing, Stage::Data, place, FIELD));
        };
        let Some(segment) = segments.get(index as usize) else {
            let error = Error::new(ErrorCode::IndexOutOfRange, Stage::Data, segments.span(), FIELD);
            return Err(error.measured(index.into(), segments.len() as u64));
        };
        self.segment_span(segment?)
    }

    /// `base` is 0 if the file has no segment data.
    pub(crate) fn data_region(&self) -> SegmentRegion {
        let base = self.header.map_or(0, |header| header.segment_base_offset);
        let size = self.header.and_then(|header| header.data_size());
        SegmentRegion { base, size, file_len: self.file_bytes.len() }
    }

    fn segment_span(&self, segment: DataSegment<'a>) -> Result<Span, Error> {
        const FIELD: &str = "DataSegment";
        let (offset, size) = (segment.offset()?, segment.size()?);
        let place = segment.table().span();
        let broken = |rule, have, bound| Error::broken(rule, place, FIELD, have, bound);
        let base = self.header.map_or(0, |header| header.segment_base_offset);
        if base == 0 && size > 0 {
            let headerless = self.header.is_none();
            let rule = if headerless { broken::EH_HEADERLESS_NO_DATA } else { broken::EH_BASE_ZERO_IFF_NONE };
            return Err(broken(rule, size, 0));
        }
        self.data_region().place(offset, size).map_err(|misplaced| match misplaced {
            SegmentFault::EndWraps => broken(broken::SEG_END_NO_OVERFLOW, offset, u64::MAX - size),
            SegmentFault::BaseWraps => broken(broken::SEG_ABS_NO_OVERFLOW, offset, u64::MAX - base),
            SegmentFault::PastData { end, bound } => broken(broken::SEG_WITHIN_DATA, end, bound),
        })
    }

    /// Returns the bytes of the segment at `index`, as a slice of the file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Pte::segment`], or [`ErrorCode::NotInMemory`] if the bytes are not in memory.
    pub fn segment_bytes(&self, index: u32) -> Result<&'a [u8], Error> {
        let span = self.segment(index)?;
        if span.len == 0 { Ok(&[]) } else { self.file_bytes.slice(span, "DataSegment") }
    }

    /// Returns the bytes of a tensor in this file: a constant or an initial value.
    ///
    /// Returns `None` if this file has no bytes of the tensor, because the tensor is in planned memory, in a data file,
    /// or an input.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::IndexOutOfRange`] if the tensor's index is out of range, [`ErrorCode::RangeOutOfBounds`] if
    /// the tensor exceeds the stored data, and otherwise the errors of [`Pte::segment_bytes`].
    pub fn tensor_bytes(&self, tensor: Tensor<'a>) -> Result<Option<&'a [u8]>, Error> {
        let Some(span) = self.tensor_span(tensor)? else { return Ok(None) };
        if span.len == 0 { Ok(Some(&[])) } else { self.file_bytes.slice(span, "Tensor.data_buffer_idx").map(Some) }
    }

    /// Returns the span of the bytes that [`Pte::tensor_bytes`] returns. They need not be in memory.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Pte::tensor_bytes`], except [`ErrorCode::NotInMemory`] for bytes of a segment.
    pub fn tensor_span(&self, tensor: Tensor<'a>) -> Result<Option<Span>, Error> {
        const FIELD: &str = "Tensor.data_buffer_idx";
        let index = tensor.data_buffer_idx()?;
        let extra = tensor.extra_tensor_info()?;
        let external = match extra {
            Some(extra) => extra.location()? == TensorDataLocation::EXTERNAL,
            None => false,
        };
        if index == 0 || external {
            return Ok(None);
        }
        let place = tensor.table().span();
        let out_of_range = |bound: usize| {
            Error::new(ErrorCode::IndexOutOfRange, Stage::Data, place, FIELD).measured(index.into(), bound as u64)
        };
        let missing = |field| Error::new(ErrorCode::Missing, Stage::Data, place, field);
        let sizes = tensor.sizes()?.ok_or_else(|| missing("Tensor.sizes"))?;
        let len = nbytes(tensor.scalar_type()?, sizes)
            .map_err(|why| Error::new(ErrorCode::Uncountable(why), Stage::Meta, sizes.span(), "Tensor.sizes"))?;
        let at = |offsets: Vector<'a, u64>| offsets.get(index as usize).ok_or_else(|| out_of_range(offsets.len()));
        if tensor.allocation_info()?.is_some() {
            let wanted = extra.map_or(Ok(0), ExtraTensorInfo::mutable_data_segments_idx)?;
            let all = self.program.mutable_data_segments()?.ok_or_else(|| missing("Program.mutable_data_segments"))?;
            let subsegments = usize::try_from(wanted).ok().and_then(|wanted| all.get(wanted));
            let subsegments = subsegments.ok_or_else(|| out_of_range(all.len()))??;
            let offsets = subsegments.offsets()?.ok_or_else(|| missing("SubsegmentOffsets.offsets"))?;
            return self.subsegment(subsegments, offsets, at(offsets)?, len).map(Some);
        }
        if let Some(subsegments) = self.program.constant_segment()?
            && let Some(offsets) = subsegments.offsets()?
            && offsets.len() > 1
        {
            return self.subsegment(subsegments, offsets, at(offsets)?, len).map(Some);
        }
        // If `constant_segment` has only the placeholder, the constants are in `constant_buffer`.
        let buffers = self.program.constant_buffer()?.ok_or_else(|| missing("Program.constant_buffer"))?;
        let buffer = buffers.get(index as usize).ok_or_else(|| out_of_range(buffers.len()))??;
        let storage = buffer.storage()?.map_or(Span::new(0, 0), Vector::span);
        (len <= storage.len).then_some(Some(Span { len, ..storage })).ok_or_else(|| {
            let error = Error::new(ErrorCode::RangeOutOfBounds, Stage::Data, place, "Buffer.storage");
            error.measured(len, storage.len)
        })
    }

    fn subsegment(
        &self,
        subsegments: SubsegmentOffsets<'a>,
        offsets: Vector<'a, u64>,
        offset: u64,
        len: u64,
    ) -> Result<Span, Error> {
        let segment = self.segment(subsegments.segment_index()?)?;
        let end = offset.checked_add(len).filter(|end| *end <= segment.len);
        if end.is_none() {
            let error =
                Error::new(ErrorCode::RangeOutOfBounds, Stage::Data, offsets.span(), "SubsegmentOffsets.offsets");
            return Err(error.measured(offset.saturating_add(len), segment.len));
        }
        Ok(Span::new(segment.offset + offset, len))
    }
}

impl ExtendedHeader {
    /// Also checks the header's length.
    fn checked_program_size(&self, file_len: u64) -> Result<u64, Error> {
        if self.length < Self::MIN_LENGTH {
            let (have, bound) = (self.length.into(), Self::MIN_LENGTH.into());
            let rule = broken::EH_LENGTH_MIN;
            return Err(Error::broken(rule, Self::LENGTH_SPAN, "header.length", have, bound));
        }
        let span = Self::PROGRAM_SIZE_SPAN;
        let broken = |rule, bound| Err(Error::broken(rule, span, "header.program_size", self.program_size, bound));
        if self.program_size < 8 {
            return broken(broken::EH_PROGRAM_SIZE_RANGE, 8);
        }
        if self.program_size > file_len {
            return broken(broken::EH_PROGRAM_SIZE_RANGE, file_len);
        }
        let header_end = Self::OFFSET + u64::from(Self::MIN_LENGTH);
        if self.program_size < header_end {
            return broken(broken::EH_PROGRAM_SIZE_INCLUDES_HEADER, header_end);
        }
        Ok(self.program_size)
    }
}
