//! **Writing files** of all formats: layouts, which say where the segments go, and the output of whole files.
//!
//! * [`FileLayout`] contains all bytes before the segments, and where the segments go. [`pte::plan`](crate::pte::plan),
//!   [`ptd::plan`](crate::ptd::plan) and [`bundled::plan`](crate::bundled::plan) compute it from the lengths of the
//!   segments. They do not check the file, because corpus cases and attacks write invalid trees.
#![cfg_attr(
    feature = "std",
    doc = "* [`pte::pack`](fn@crate::pte::pack) and [`ptd::pack`](fn@crate::ptd::pack) create a [`PackedFile`]: a layout and the bytes of its \
           segments. A packed file has the layout of the official writers and violates no must-rule."
)]
//! * [`WriteError`] is the error type of all functions. Its [`WriteCause`] says which part of the input must change.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use crate::Span;
use crate::file_bytes::FLATBUFFER_LIMIT;
use crate::flatbuffer::schema::{TableType, TableView};
use crate::flatbuffer::tree::{TableTree, same_type};
use crate::flatbuffer::{PREFIX_LEN, u32_at};
use crate::pte::schema::DataSegment;

#[cfg(feature = "std")]
mod named_data;

#[cfg(feature = "std")]
pub use crate::pack::PackedFile;
pub use crate::write_error::{WriteCause, WriteError};
#[cfg(feature = "std")]
pub(crate) use named_data::NamedDataEntry;
#[cfg(feature = "std")]
pub use named_data::NamedDataStore;

/// The length and alignment of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentExtent {
    /// The length in bytes.
    pub len: u64,
    /// The alignment in bytes relative to the segment base, in addition to the segment alignment of the file: any
    /// positive number.
    pub alignment: u64,
}

impl SegmentExtent {
    /// Creates a segment without an additional alignment.
    #[must_use]
    pub const fn new(len: u64) -> Self {
        Self { len, alignment: 1 }
    }
}

/// Options for the encoding of tables. The default is the encoding of the official writers.
///
/// The options do not change the contents of the tables.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::ptd::schema::FlatTensor;
/// use torchproof::ptd::{DataLayout, plan};
///
/// let mut layout = DataLayout::CURRENT;
/// layout.encoding.unlisted = true;
/// let unlisted = plan(&TableTree::new(FlatTensor::TYPE), &[], &layout)?;
/// let listed = plan(&TableTree::new(FlatTensor::TYPE), &[], &DataLayout::CURRENT)?; // has an empty list
/// assert!(unlisted.head().len() < listed.head().len());
/// # Ok::<(), torchproof::write::WriteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodingOptions {
    /// Writes equal strings, vectors and tables once. The official writers write equal parts separately.
    pub share: bool,
    /// Adds no list of segments to the root. By default, a root without a list gets one, even if there are no segments.
    pub unlisted: bool,
}

impl EncodingOptions {
    /// The encoding of the official writers.
    pub const OFFICIAL: Self = Self { share: false, unlisted: false };
}

/// The bytes and the alignment of one segment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SegmentData<'a> {
    /// The segment's bytes.
    pub bytes: &'a [u8],
    /// The segment's alignment; see [`SegmentExtent::alignment`].
    pub alignment: u64,
}

impl<'a> SegmentData<'a> {
    /// Creates a segment without an additional alignment.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, alignment: 1 }
    }
}

impl fmt::Debug for SegmentData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SegmentData").field("len", &self.bytes.len()).field("alignment", &self.alignment).finish()
    }
}

impl From<SegmentData<'_>> for SegmentExtent {
    fn from(segment: SegmentData<'_>) -> Self {
        Self { len: segment.bytes.len() as u64, alignment: segment.alignment }
    }
}

pub(crate) fn extents_of(segments: &[SegmentData<'_>]) -> Vec<SegmentExtent> {
    segments.iter().copied().map(SegmentExtent::from).collect()
}

/// The layout of a file: all bytes before the segments, and where the segments go.
///
/// A layout needs memory only for the FlatBuffer, so it can describe a file that is larger than memory.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::pte::schema::Program;
/// use torchproof::pte::{ProgramLayout, plan};
/// use torchproof::write::SegmentExtent;
///
/// # fn main() -> Result<(), torchproof::write::WriteError> {
/// let extents = [SegmentExtent::new(1 << 40), SegmentExtent { len: 1, alignment: 4096 }];
/// let plan = plan(&TableTree::new(Program::TYPE), &extents, &ProgramLayout::default())?;
/// assert_eq!(plan.places()[1].offset, 1 << 40);
/// assert_eq!(plan.len(), plan.base() + (1 << 40) + 1);
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct FileLayout {
    head: Vec<u8>,
    base: u64,
    places: Vec<Span>,
    len: u64,
}

impl FileLayout {
    /// Returns the start of the file: the FlatBuffer with its header. If the file has at least 64 bytes, the result
    /// does too.
    ///
    /// In the file, zeros follow it up to the segment base.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns where the segment data begins, or the end of the file if there is no segment data.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Returns where each segment is, relative to the base, in ascending order.
    ///
    /// In the file, the gaps between segments contain zeros.
    #[must_use]
    pub fn places(&self) -> &[Span] {
        &self.places
    }

    /// Returns the length of the whole file in bytes.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "this is the length of a file, which is never empty")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Inserts `header`, padded to `padded` bytes, at byte 8 of the FlatBuffer without copying it. Zeros follow the
    /// FlatBuffer up to `base`, where the segments begin.
    pub(crate) fn new(
        flatbuffer: Vec<u8>,
        header: &[u8],
        padded: u64,
        base: u64,
        places: Vec<Span>,
    ) -> Result<Self, WriteError> {
        let position = |at: u64| usize::try_from(at).map_err(|_| WriteError::memory(at));
        let root = u64::from(u32_at(&flatbuffer, 0).unwrap_or(0)).checked_add(padded);
        let root = root.and_then(|root| u32::try_from(root).ok()).ok_or_else(WriteError::too_large)?;
        let end = padded.checked_add(flatbuffer.len() as u64).filter(|end| *end < FLATBUFFER_LIMIT);
        let end = end.ok_or_else(WriteError::too_large)?;
        let first_end = end.max(base.min(FIRST_LOOK));
        let data_end = places.last().map_or(Some(0), |last| base.checked_add(last.end()));
        let data_end = data_end.ok_or_else(WriteError::too_large)?;
        let (padded, first_len) = (position(padded)?, position(first_end)?);
        let mut head = flatbuffer;
        head.try_reserve_exact(first_len - head.len()).map_err(|_| WriteError::memory(first_end))?;
        head.splice(..4, root.to_le_bytes());
        let padding = core::iter::repeat_n(0, padded - header.len());
        head.splice(PREFIX_LEN..PREFIX_LEN, header.iter().copied().chain(padding));
        head.resize(first_len, 0);
        let base = end.max(base);
        Ok(Self { head, base, places, len: data_end.max(base) })
    }

    /// All segments must be empty.
    pub(crate) fn without_header(flatbuffer: Vec<u8>, places: Vec<Span>) -> Self {
        let len = flatbuffer.len() as u64;
        Self { head: flatbuffer, base: len, places, len }
    }

    /// `segments` must match the planned extents.
    pub(crate) fn with_bytes(self, segments: &[SegmentData<'_>]) -> Result<Vec<u8>, WriteError> {
        let position = |at: u64| usize::try_from(at).map_err(|_| WriteError::memory(at));
        let len = position(self.len)?;
        let base = self.base;
        let mut file = self.head;
        file.try_reserve_exact(len - file.len()).map_err(|_| WriteError::memory(self.len))?;
        for (segment, place) in segments.iter().zip(&self.places).filter(|(segment, _)| !segment.bytes.is_empty()) {
            file.resize(position(base + place.offset)?, 0);
            file.extend_from_slice(segment.bytes);
        }
        file.resize(len, 0);
        Ok(file)
    }
}

impl fmt::Debug for FileLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileLayout")
            .field("base", &self.base())
            .field("places", &self.places)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// The number of bytes at the start of the file that the runtime reads first.
const FIRST_LOOK: u64 = 64;

/// Spans are relative to the segment base. `alignment` applies to every segment, in addition to its own.
pub(crate) fn place(extents: &[SegmentExtent], alignment: u64) -> Result<Vec<Span>, WriteError> {
    if alignment == 0 {
        return Err(zero_alignment("layout"));
    }
    let mut end = 0;
    let mut places = Vec::with_capacity(extents.len());
    for (index, extent) in extents.iter().enumerate() {
        if extent.alignment == 0 {
            return Err(zero_alignment(&format!("segments[{index}]")));
        }
        let both = (alignment / gcd(alignment, extent.alignment)).checked_mul(extent.alignment);
        let offset = align(end, both.ok_or_else(WriteError::too_large)?)?;
        end = offset.checked_add(extent.len).ok_or_else(WriteError::too_large)?;
        places.push(Span::new(offset, extent.len));
    }
    Ok(places)
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub(crate) fn align(position: u64, alignment: u64) -> Result<u64, WriteError> {
    position.checked_next_multiple_of(alignment).ok_or_else(WriteError::too_large)
}

pub(crate) fn zero_alignment(path: &str) -> WriteError {
    WriteError::new(WriteCause::Layout, path, "alignment is 0, expected at least 1")
}

pub(crate) fn check_root(tree: &TableTree, roots: &[&'static TableType]) -> Result<(), WriteError> {
    if roots.iter().any(|root| same_type(root, tree.ty())) {
        return Ok(());
    }
    let expected = roots.iter().map(|root| root.name).collect::<Vec<_>>().join(" or ");
    Err(WriteError::new(WriteCause::Tree, "", format!("found root table {}, expected {expected}", tree.ty().name)))
}

/// The entries of the list of segments in a root table.
pub(crate) fn segment_list(places: &[Span]) -> Vec<TableTree> {
    let entry = |place: &Span| TableTree::new(DataSegment::TYPE).with("offset", place.offset).with("size", place.len);
    places.iter().map(|place| entry(place).without_defaults()).collect()
}

#[cfg(all(test, feature = "std"))]
pub(crate) mod tests;
