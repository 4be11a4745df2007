//! Writing a data file, in the current layout or the older one.
//!
//! ```
//! use torchproof::flatbuffer::schema::TableView;
//! use torchproof::flatbuffer::tree::TableTree;
//! use torchproof::ptd::schema::{FlatTensor, NamedData};
//! use torchproof::ptd::write::{FileLayout, SegmentData, write};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let entry = TableTree::new(NamedData::TYPE).with("key", "k").with("segment_index", 0);
//! let root = TableTree::new(FlatTensor::TYPE).with("named_data", [entry]);
//! let file = write(&root, &[SegmentData::new(b"blob")], &FileLayout::CURRENT)?;
//! let open = torchproof::ptd::Ptd::open(&file)?;
//! assert_eq!(open.named_data(b"k")?, Some(&b"blob"[..]));
//! # Ok(()) }
//! ```

use alloc::vec::Vec;

use super::header::{self, Header};
use super::older_schema::OlderFlatTensor;
use super::schema::FlatTensor;
use crate::flatbuffer::build::Builder;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{TableTree, same_type};
pub use crate::write::{EncodingOptions, SegmentData, WriteError};
use crate::write::{Plan, Shape, align, place, segment_list, shapes_of};

/// Where the parts of a data file go.
///
/// The segment base is the end of the FlatBuffer, rounded up to the segment alignment. That is the base of the official Python
/// writer for any segment alignment, and of the C++ writers for one alignment of everything. The writer of release 0.6.0 also
/// pads the FlatBuffer to the alignment of its header: this makes a difference only when the segment alignment is not a
/// multiple of it, and is not done here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLayout {
    /// The segment base and every segment's offset from it are multiples of this, in bytes.
    pub segment_alignment: u64,
    /// The header with its padding is a multiple of this, in bytes; that has to be a multiple of 8 too.
    pub header_alignment: u64,
}

impl FileLayout {
    /// What the official writer does: segments at multiples of 128, a header of 48 bytes with its padding.
    pub const CURRENT: Self = Self { segment_alignment: 128, header_alignment: 16 };
    /// What the writer of release 0.6.0 did: everything at multiples of 16.
    pub const OLDER: Self = Self::all(16);

    /// Everything at multiples of one alignment, as the C++ writers do with that of their tensors.
    #[must_use]
    pub const fn all(alignment: u64) -> Self {
        Self { segment_alignment: alignment, header_alignment: alignment }
    }
}

/// Writes a data file, whose root is a [`FlatTensor`] or an [`OlderFlatTensor`].
///
/// It is the one that [`plan`] plans, with the segments' bytes at their places. Padding is zeros, and behind the last segment
/// there is none.
///
/// # Errors
///
/// [`WriteError`], by whose fault it is; nothing is written then.
pub fn write(root: &TableTree, segments: &[SegmentData<'_>], layout: &FileLayout) -> Result<Vec<u8>, WriteError> {
    plan(root, &shapes_of(segments), layout)?.with_bytes(segments)
}

/// Plans a data file: all but the segments' bytes.
///
/// `segments` is filled from the segments' places, an empty list for none, unless the tree has it set; so is
/// `tensor_alignment` in the older layout, from the segment alignment. Everything else is the tree's: in the older layout,
/// the writer of release 0.6.0 put all tensors into one segment, each at an offset that the caller sets.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::ptd::schema::{FlatTensor, NamedData};
/// use torchproof::ptd::write::{FileLayout, plan};
/// use torchproof::write::Shape;
///
/// let entry = TableTree::new(NamedData::TYPE).with("key", "weights").with("segment_index", 0);
/// let root = TableTree::new(FlatTensor::TYPE).with("named_data", [entry]);
/// let plan = plan(&root, &[Shape::new(20 << 30)], &FileLayout::CURRENT)?;
/// assert_eq!(plan.base() % 128, 0);
/// assert_eq!(plan.len(), plan.base() + (20 << 30));
/// # Ok::<(), torchproof::write::WriteError>(())
/// ```
///
/// # Errors
///
/// As [`write`](fn@write); a file that does not fit into memory is not an error.
pub fn plan(root: &TableTree, shapes: &[Shape], layout: &FileLayout) -> Result<Plan, WriteError> {
    plan_encoded(root, shapes, layout, EncodingOptions::default())
}

/// As [`plan`], with tables that are encoded otherwise than the official writers do it.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::ptd::schema::FlatTensor;
/// use torchproof::ptd::write::{EncodingOptions, FileLayout, plan, plan_encoded};
///
/// let root = TableTree::new(FlatTensor::TYPE);
/// let unlisted = EncodingOptions { unlisted: true, ..EncodingOptions::default() };
/// let without = plan_encoded(&root, &[], &FileLayout::CURRENT, unlisted)?; // not even an empty list of segments
/// assert!(without.head().len() < plan(&root, &[], &FileLayout::CURRENT)?.head().len());
/// # Ok::<(), torchproof::write::WriteError>(())
/// ```
///
/// # Errors
///
/// As [`plan`].
pub fn plan_encoded(
    root: &TableTree,
    shapes: &[Shape],
    layout: &FileLayout,
    options: EncodingOptions,
) -> Result<Plan, WriteError> {
    WriteError::check_root(root, &[FlatTensor::TYPE, OlderFlatTensor::TYPE])?;
    let places = place(shapes, layout.segment_alignment)?;
    let mut more = TableTree::new(root.ty());
    if same_type(root.ty(), OlderFlatTensor::TYPE) {
        more.set("tensor_alignment", layout.segment_alignment)?;
    }
    if !options.unlisted {
        more.set("segments", segment_list(&places))?;
    }
    let flatbuffer = Builder::new(super::IDENTIFIER).share(options.share).encode_with(root, &more)?;
    let data_size = places.last().map_or(0, |last| last.end());
    let header = layout.header_for(flatbuffer.len() as u64, data_size)?;
    Plan::new(flatbuffer, &header.to_bytes(), header.flatbuffer_offset, header.segment_base_offset, places)
}

impl FileLayout {
    /// The header for a FlatBuffer and segment data of these lengths.
    fn header_for(&self, flatbuffer_len: u64, data_size: u64) -> Result<Header, WriteError> {
        if self.header_alignment == 0 {
            return Err(WriteError::ZeroAlignment { segment: None });
        }
        let padded = align(header::MIN_LENGTH.into(), self.header_alignment)?;
        if !padded.is_multiple_of(8) {
            return Err(WriteError::HeaderAlignment { padded });
        }
        let end = padded.checked_add(flatbuffer_len).ok_or(WriteError::TooLarge)?;
        Ok(Header {
            length: header::MIN_LENGTH,
            flatbuffer_offset: padded,
            flatbuffer_size: flatbuffer_len,
            segment_base_offset: align(end, self.segment_alignment)?,
            segment_data_size: data_size,
        })
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
