//! Writes a program file: the FlatBuffer with its header, then the segments.

use alloc::format;
use alloc::vec::Vec;

use super::header::ExtendedHeader;
use super::schema::{BackendDelegateInlineData, Buffer, Program};
use crate::flatbuffer::build::Builder;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::write::{
    EncodingOptions, FileLayout, SegmentData, SegmentExtent, WriteCause, WriteError, align, check_root, extents_of,
    place, segment_list,
};

/// Which header a program file has, if any, and how long the header is.
///
/// A header of 32 bytes or more has `segment_data_size`; the 24-byte header of releases before 1.0 does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderKind {
    /// As in the official writer, a header of the given length if there is segment data, and otherwise no header.
    IfNeeded(u32),
    /// A header of the given length in any case. If there is no segment data, its segment base is 0.
    Always(u32),
    /// No header: the file is only the FlatBuffer, and segment data is an error.
    Never,
}

/// A program file's header, alignments and encoding.
///
/// The default matches the official writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramLayout {
    /// The kind of header. Default: a 32-byte header if there is segment data.
    pub header: HeaderKind,
    /// The alignment in bytes of the segment base, and of each segment relative to the base: any positive number.
    /// Default: 128.
    pub segment_alignment: u64,
    /// The alignment in bytes of `Buffer.storage`, a power of two of at least 16. Default: 16.
    pub constant_alignment: usize,
    /// The alignment in bytes of `BackendDelegateInlineData.data`, a power of two of at least 16. Default: 16.
    pub delegate_alignment: usize,
    /// The encoding of the tables. Default: the encoding of the official writer.
    pub encoding: EncodingOptions,
}

impl Default for ProgramLayout {
    fn default() -> Self {
        Self {
            header: HeaderKind::IfNeeded(ExtendedHeader::LENGTH_WITH_DATA_SIZE),
            segment_alignment: 128,
            constant_alignment: 16,
            delegate_alignment: 16,
            encoding: EncodingOptions::OFFICIAL,
        }
    }
}

/// Writes a program file.
///
/// The file is the [`plan`] followed by the segments' bytes. Padding is zero. The last segment has none after it.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::pte::schema::Program;
/// use torchproof::pte::{ProgramLayout, write};
/// use torchproof::write::SegmentData;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let segments = [SegmentData::new(b"abcd"), SegmentData { bytes: b"e", alignment: 256 }];
/// let file = write(&TableTree::new(Program::TYPE), &segments, &ProgramLayout::default())?;
/// let open = torchproof::pte::Pte::open(&file)?;
/// assert_eq!(open.segment_bytes(1)?, b"e");
/// assert_eq!(open.header().unwrap().segment_data_size, Some(257));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Returns the errors of [`plan`], or [`WriteError`] if the file does not fit in memory.
pub fn write(program: &TableTree, segments: &[SegmentData<'_>], layout: &ProgramLayout) -> Result<Vec<u8>, WriteError> {
    plan(program, &extents_of(segments), layout)?.with_bytes(segments)
}

/// Plans a program file: everything except the segments' bytes.
///
/// If the tree does not set `segments`, the plan adds the list. All other fields come from the tree.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::pte::schema::Program;
/// use torchproof::pte::{ProgramLayout, plan};
/// use torchproof::write::SegmentExtent;
///
/// let plan = plan(&TableTree::new(Program::TYPE), &[SegmentExtent::new(5), SegmentExtent::new(20 << 30)], &ProgramLayout::default())?;
/// assert_eq!(plan.places()[1].offset, 128);
/// assert_eq!(plan.len(), plan.base() + 128 + (20 << 30));
/// # Ok::<(), torchproof::write::WriteError>(())
/// ```
///
/// # Errors
///
/// Returns [`WriteError`] if the tree or the layout is invalid, or a size or an offset does not fit in its field. The
/// segments may be larger than memory.
pub fn plan(program: &TableTree, extents: &[SegmentExtent], layout: &ProgramLayout) -> Result<FileLayout, WriteError> {
    check_root(program, &[Program::TYPE])?;
    let builder = Builder::new(super::IDENTIFIER).align(Buffer::TYPE, "storage", layout.constant_alignment)?.align(
        BackendDelegateInlineData::TYPE,
        "data",
        layout.delegate_alignment,
    )?;
    let places = place(extents, layout.segment_alignment)?;
    let mut more = TableTree::new(Program::TYPE);
    if !layout.encoding.unlisted {
        more.set("segments", segment_list(&places))?;
    }
    let flatbuffer = builder.share(layout.encoding.share).encode_with(program, &more)?;
    let data_size = places.last().map_or(0, |last| last.end());
    let Some((header, padded)) = layout.header_for(flatbuffer.len() as u64, data_size)? else {
        return Ok(FileLayout::without_header(flatbuffer, places));
    };
    FileLayout::new(flatbuffer, &header.to_bytes(), padded, header.segment_base_offset, places)
}

impl ProgramLayout {
    /// The header and its padded length; `None` for a file without a header.
    fn header_for(&self, flatbuffer_len: u64, data_size: u64) -> Result<Option<(ExtendedHeader, u64)>, WriteError> {
        let length = match self.header {
            HeaderKind::IfNeeded(_) if data_size == 0 => return Ok(None),
            HeaderKind::IfNeeded(length) | HeaderKind::Always(length) => length,
            HeaderKind::Never if data_size == 0 => return Ok(None),
            HeaderKind::Never => return Err(WriteError::data_without_header(data_size)),
        };
        if length < ExtendedHeader::MIN_LENGTH {
            let message = format!("length is {length}, expected at least {}", ExtendedHeader::MIN_LENGTH);
            return Err(WriteError::new(WriteCause::Layout, "header", message));
        }
        // The padded length is a multiple of all alignments in the FlatBuffer, so inserting the header misaligns no
        // part of it.
        let alignment = self.constant_alignment.max(self.delegate_alignment) as u64;
        let padded = align(length.into(), alignment)?;
        let program_size = padded.checked_add(flatbuffer_len).ok_or_else(WriteError::too_large)?;
        let header = ExtendedHeader {
            length,
            program_size,
            segment_base_offset: if data_size == 0 { 0 } else { align(program_size, self.segment_alignment)? },
            segment_data_size: (length >= ExtendedHeader::LENGTH_WITH_DATA_SIZE).then_some(data_size),
        };
        Ok(Some((header, padded)))
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
