//! Writes a data file, in the current or the legacy layout.

use alloc::format;
use alloc::vec::Vec;

use super::header::FlatTensorHeader;
use super::legacy_schema::LegacyFlatTensor;
use super::schema::FlatTensor;
use crate::flatbuffer::build::Builder;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{TableTree, same_type};
use crate::write::{
    EncodingOptions, FileLayout, SegmentData, SegmentExtent, WriteCause, WriteError, align, check_root, extents_of,
    place, segment_list, zero_alignment,
};

/// A data file's alignments and encoding.
///
/// The segment base is the FlatBuffer's end, rounded up to the segment alignment, as in the official writers. The
/// writer of release 0.6.0 also pads the FlatBuffer to the header alignment, but [`plan`] does not. This makes a
/// difference only if the segment alignment is not a multiple of the header alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataLayout {
    /// The alignment in bytes of the segment base, and of each segment relative to the base.
    pub segment_alignment: u64,
    /// The alignment in bytes of the padded header. The padded length must be a multiple of 8.
    pub header_alignment: u64,
    /// The encoding of the tables.
    pub encoding: EncodingOptions,
}

impl DataLayout {
    /// The layout of the official Python writer: segments are aligned to 128 bytes, and the padded header has 48 bytes.
    pub const CURRENT: Self = Self { segment_alignment: 128, ..Self::all(16) };
    /// The layout of release 0.6.0: the header and the segments are aligned to 16 bytes.
    pub const LEGACY: Self = Self::all(16);

    /// Creates a layout with one alignment for the header and the segments.
    ///
    /// The official C++ writers use the tensors' alignment for both.
    #[must_use]
    pub const fn all(alignment: u64) -> Self {
        Self { segment_alignment: alignment, header_alignment: alignment, encoding: EncodingOptions::OFFICIAL }
    }
}

/// Writes a data file with a root of type [`FlatTensor`] or [`LegacyFlatTensor`].
///
/// The file is the [`plan`] followed by the segments' bytes. Padding is zero. The last segment has none after it.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::ptd::schema::{FlatTensor, NamedData};
/// use torchproof::ptd::{DataLayout, write};
/// use torchproof::write::SegmentData;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let entry = TableTree::new(NamedData::TYPE).with("key", "k").with("segment_index", 0);
/// let root = TableTree::new(FlatTensor::TYPE).with("named_data", [entry]);
/// let file = write(&root, &[SegmentData::new(b"blob")], &DataLayout::CURRENT)?;
/// let open = torchproof::ptd::Ptd::open(&file)?;
/// assert_eq!(open.find(b"k")?.unwrap().bytes()?, b"blob");
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Returns the errors of [`plan`], or [`WriteError`] if the file does not fit in memory.
pub fn write(root: &TableTree, segments: &[SegmentData<'_>], layout: &DataLayout) -> Result<Vec<u8>, WriteError> {
    plan(root, &extents_of(segments), layout)?.with_bytes(segments)
}

/// Plans a data file: everything except the segments' bytes.
///
/// Fields come from the tree, but the plan adds `segments` if it is not set. To a legacy tree, it also adds
/// `tensor_alignment`, which is the segment alignment.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::ptd::schema::{FlatTensor, NamedData};
/// use torchproof::ptd::{DataLayout, plan};
/// use torchproof::write::SegmentExtent;
///
/// let entry = TableTree::new(NamedData::TYPE).with("key", "weights").with("segment_index", 0);
/// let root = TableTree::new(FlatTensor::TYPE).with("named_data", [entry]);
/// let plan = plan(&root, &[SegmentExtent::new(20 << 30)], &DataLayout::CURRENT)?;
/// assert_eq!(plan.base() % 128, 0);
/// assert_eq!(plan.len(), plan.base() + (20 << 30));
/// # Ok::<(), torchproof::write::WriteError>(())
/// ```
///
/// # Errors
///
/// Returns [`WriteError`] if the tree or the layout is invalid, or a size or an offset does not fit in its field. The
/// segments may be larger than memory.
pub fn plan(root: &TableTree, extents: &[SegmentExtent], layout: &DataLayout) -> Result<FileLayout, WriteError> {
    check_root(root, &[FlatTensor::TYPE, LegacyFlatTensor::TYPE])?;
    let places = place(extents, layout.segment_alignment)?;
    let mut more = TableTree::new(root.ty());
    if same_type(root.ty(), LegacyFlatTensor::TYPE) {
        more.set("tensor_alignment", layout.segment_alignment)?;
    }
    if !layout.encoding.unlisted {
        more.set("segments", segment_list(&places))?;
    }
    let flatbuffer = Builder::new(super::IDENTIFIER).share(layout.encoding.share).encode_with(root, &more)?;
    let data_size = places.last().map_or(0, |last| last.end());
    let header = layout.header_for(flatbuffer.len() as u64, data_size)?;
    FileLayout::new(flatbuffer, &header.to_bytes(), header.flatbuffer_offset, header.segment_base_offset, places)
}

impl DataLayout {
    fn header_for(&self, flatbuffer_len: u64, data_size: u64) -> Result<FlatTensorHeader, WriteError> {
        if self.header_alignment == 0 {
            return Err(zero_alignment("layout"));
        }
        let padded = align(FlatTensorHeader::MIN_LENGTH.into(), self.header_alignment)?;
        if !padded.is_multiple_of(8) {
            let message = format!("the padded length is {padded}, expected a multiple of 8");
            return Err(WriteError::new(WriteCause::Layout, "header", message));
        }
        let end = padded.checked_add(flatbuffer_len).ok_or_else(WriteError::too_large)?;
        Ok(FlatTensorHeader {
            length: FlatTensorHeader::MIN_LENGTH,
            flatbuffer_offset: padded,
            flatbuffer_size: flatbuffer_len,
            segment_base_offset: align(end, self.segment_alignment)?,
            segment_data_size: data_size,
        })
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
