//! Writing a data file, in the current layout or the older one.

use alloc::format;
use alloc::vec::Vec;

use super::header::FlatTensorHeader;
use super::legacy_schema::LegacyFlatTensor;
use super::schema::FlatTensor;
use crate::flatbuffer::build::Builder;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{TableTree, same_type};
use crate::write::{
    EncodingOptions, Plan, SegmentData, Shape, WriteCause, WriteError, align, check_root, place, segment_list,
    shapes_of, zero_alignment,
};

/// Where the parts of a data file go.
///
/// The segment base is the end of the FlatBuffer, rounded up to the segment alignment. That is the base of the official Python
/// writer for any segment alignment, and of the C++ writers for one alignment of everything. The writer of release 0.6.0 also
/// pads the FlatBuffer to the alignment of its header: this makes a difference only when the segment alignment is not a
/// multiple of it, and is not done here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataLayout {
    /// The segment base and every segment's offset from it are multiples of this, in bytes.
    pub segment_alignment: u64,
    /// The header with its padding is a multiple of this, in bytes; that has to be a multiple of 8 too.
    pub header_alignment: u64,
    /// How the tables are encoded.
    pub encoding: EncodingOptions,
}

impl DataLayout {
    /// What the official writer does: segments at multiples of 128, a header of 48 bytes with its padding.
    pub const CURRENT: Self = Self { segment_alignment: 128, ..Self::all(16) };
    /// What the writer of release 0.6.0 did: everything at multiples of 16.
    pub const LEGACY: Self = Self::all(16);

    /// Everything at multiples of one alignment, as the C++ writers do with that of their tensors.
    #[must_use]
    pub const fn all(alignment: u64) -> Self {
        Self { segment_alignment: alignment, header_alignment: alignment, encoding: EncodingOptions::OFFICIAL }
    }
}

/// Writes a data file, whose root is a [`FlatTensor`] or an [`LegacyFlatTensor`].
///
/// This is [`plan`] with the bytes of the segments. Padding is zeros, and there is none after the last segment.
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
/// assert_eq!(open.named_data(b"k")?, Some(&b"blob"[..]));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// [`WriteError`]; nothing is written then.
pub fn write(root: &TableTree, segments: &[SegmentData<'_>], layout: &DataLayout) -> Result<Vec<u8>, WriteError> {
    plan(root, &shapes_of(segments), layout)?.with_bytes(segments)
}

/// Plans a data file: all but the segments' bytes.
///
/// `segments` lists the segments, unless the tree has the field; so is `tensor_alignment` of the legacy layout the segment
/// alignment. Everything else is the tree's.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::ptd::schema::{FlatTensor, NamedData};
/// use torchproof::ptd::{DataLayout, plan};
/// use torchproof::write::Shape;
///
/// let entry = TableTree::new(NamedData::TYPE).with("key", "weights").with("segment_index", 0);
/// let root = TableTree::new(FlatTensor::TYPE).with("named_data", [entry]);
/// let plan = plan(&root, &[Shape::new(20 << 30)], &DataLayout::CURRENT)?;
/// assert_eq!(plan.base() % 128, 0);
/// assert_eq!(plan.len(), plan.base() + (20 << 30));
/// # Ok::<(), torchproof::write::WriteError>(())
/// ```
///
/// # Errors
///
/// As [`write`](fn@write); a file that does not fit into memory is not an error.
pub fn plan(root: &TableTree, shapes: &[Shape], layout: &DataLayout) -> Result<Plan, WriteError> {
    check_root(root, &[FlatTensor::TYPE, LegacyFlatTensor::TYPE])?;
    let places = place(shapes, layout.segment_alignment)?;
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
    Plan::new(flatbuffer, &header.to_bytes(), header.flatbuffer_offset, header.segment_base_offset, places)
}

impl DataLayout {
    /// The header for a FlatBuffer and segment data of these lengths.
    fn header_for(&self, flatbuffer_len: u64, data_size: u64) -> Result<FlatTensorHeader, WriteError> {
        if self.header_alignment == 0 {
            return Err(zero_alignment("layout"));
        }
        let padded = align(FlatTensorHeader::MIN_LENGTH.into(), self.header_alignment)?;
        if !padded.is_multiple_of(8) {
            let message = format!("padded to {padded} bytes, it misaligns the FlatBuffer after it");
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
