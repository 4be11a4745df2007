//! **Writing**, shared by the formats: where each segment goes, and the whole file.
//!
//! * [`Plan`] is everything before the segments, and their places; [`pte::plan`](crate::pte::plan),
//!   [`ptd::plan`](crate::ptd::plan) and [`bundled::plan`](crate::bundled::plan) make one from the lengths of the
//!   segments. Nothing of a plan is checked: cases and attacks write any tree.
#![cfg_attr(
    feature = "std",
    doc = "* [`pte::pack`](fn@crate::pte::pack) and [`ptd::pack`](fn@crate::ptd::pack) make a [`Package`]: a plan with the bytes of its \
           segments, laid out as the official writers do it. A package breaks no must-rule."
)]
//! * [`WriteError`] is the only error; its [`WriteCause`] states what has to change.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use crate::Span;
use crate::flatbuffer::schema::{TableType, TableView};
use crate::flatbuffer::tree::{TableTree, same_type};
use crate::flatbuffer::{PREFIX_LEN, u32_at};
use crate::image::FLATBUFFER_LIMIT;
use crate::pte::schema::DataSegment;

#[cfg(feature = "std")]
mod named_data;
#[cfg(feature = "std")]
mod package;

pub use crate::write_error::{WriteCause, WriteError};
#[cfg(feature = "std")]
pub(crate) use named_data::NamedDataEntry;
#[cfg(feature = "std")]
pub use named_data::NamedDataStore;
#[cfg(feature = "std")]
pub use package::Package;
#[cfg(feature = "std")]
pub(crate) use package::SegmentParts;

/// The length and the alignment of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// In bytes.
    pub len: u64,
    /// The segment's offset from the segment base is a multiple of this and of the file's segment alignment. It need not be a
    /// power of two, but not 0.
    pub alignment: u64,
}

impl Shape {
    /// A segment that is aligned as the file's segments are.
    #[must_use]
    pub const fn new(len: u64) -> Self {
        Self { len, alignment: 1 }
    }
}

/// How the encoding of a file's tables differs from that of the official writers; by default it does not.
///
/// Readers see the same tables.
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
    /// Equal strings, vectors and tables are written once, which the official writers do not do.
    pub share: bool,
    /// A root without a list of segments stays without one. Otherwise it gets one, an empty one for no segments.
    pub unlisted: bool,
}

impl EncodingOptions {
    /// That of the official writers.
    pub const OFFICIAL: Self = Self { share: false, unlisted: false };
}

/// The bytes and the alignment of one segment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SegmentData<'a> {
    /// The segment's bytes.
    pub bytes: &'a [u8],
    /// As [`Shape::alignment`].
    pub alignment: u64,
}

impl<'a> SegmentData<'a> {
    /// A segment that is aligned as the file's segments are.
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

impl From<SegmentData<'_>> for Shape {
    fn from(segment: SegmentData<'_>) -> Self {
        Self { len: segment.bytes.len() as u64, alignment: segment.alignment }
    }
}

/// What is to be placed of segments whose bytes are there.
pub(crate) fn shapes_of(segments: &[SegmentData<'_>]) -> Vec<Shape> {
    segments.iter().copied().map(Shape::from).collect()
}

/// A file without the bytes of its segments: everything before them, and their places.
///
/// It takes the memory of the FlatBuffer, so a file that is larger than memory can be planned.
///
/// ```
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
/// use torchproof::pte::schema::Program;
/// use torchproof::pte::{ProgramLayout, plan};
/// use torchproof::write::Shape;
///
/// # fn main() -> Result<(), torchproof::write::WriteError> {
/// let shapes = [Shape::new(1 << 40), Shape { len: 1, alignment: 4096 }];
/// let plan = plan(&TableTree::new(Program::TYPE), &shapes, &ProgramLayout::default())?;
/// assert_eq!(plan.places()[1].offset, 1 << 40);
/// assert_eq!(plan.len(), plan.base() + (1 << 40) + 1);
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Plan {
    head: Vec<u8>,
    base: u64,
    places: Vec<Span>,
    len: u64,
}

impl Plan {
    /// The FlatBuffer with the header in it, and no less than a reader looks at before anything else, which is 64 bytes where
    /// the file has them. Zeros follow up to the segment base.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Where the segments begin; the end of the file when there is no segment data.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The place of each segment, from the base. They ascend; what is between them is zeros.
    #[must_use]
    pub fn places(&self) -> &[Span] {
        &self.places
    }

    /// Length of the whole file.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a length of a file, which has at least its head")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// A FlatBuffer with `header` put in at byte 8 and padded to `padded` bytes, zeros up to `base`, and places from there.
    ///
    /// The header is put in where the FlatBuffer is, without a copy of it.
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
        let held = end.max(base.min(FIRST_LOOK));
        let data_end = places.last().map_or(Some(0), |last| base.checked_add(last.end()));
        let data_end = data_end.ok_or_else(WriteError::too_large)?;
        let (padded, held_len) = (position(padded)?, position(held)?);
        let mut head = flatbuffer;
        head.try_reserve_exact(held_len - head.len()).map_err(|_| WriteError::memory(held))?;
        head.splice(..4, root.to_le_bytes());
        let padding = core::iter::repeat_n(0, padded - header.len());
        head.splice(PREFIX_LEN..PREFIX_LEN, header.iter().copied().chain(padding));
        head.resize(held_len, 0);
        let base = end.max(base);
        Ok(Self { head, base, places, len: data_end.max(base) })
    }

    /// A FlatBuffer that is the whole file, since no segment has a byte.
    pub(crate) fn without_header(flatbuffer: Vec<u8>, places: Vec<Span>) -> Self {
        let len = flatbuffer.len() as u64;
        Self { head: flatbuffer, base: len, places, len }
    }

    /// The whole file, in memory. The segments are those that were planned.
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

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("base", &self.base())
            .field("places", &self.places)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// Bytes that the runtime loads of a file before anything else.
const FIRST_LOOK: u64 = 64;

/// The place of each segment, from the segment base.
pub(crate) fn place(shapes: &[Shape], alignment: u64) -> Result<Vec<Span>, WriteError> {
    if alignment == 0 {
        return Err(zero_alignment("layout"));
    }
    let mut end = 0;
    let mut places = Vec::with_capacity(shapes.len());
    for (index, shape) in shapes.iter().enumerate() {
        if shape.alignment == 0 {
            return Err(zero_alignment(&format!("segments[{index}]")));
        }
        let both = (alignment / gcd(alignment, shape.alignment)).checked_mul(shape.alignment);
        let offset = align(end, both.ok_or_else(WriteError::too_large)?)?;
        end = offset.checked_add(shape.len).ok_or_else(WriteError::too_large)?;
        places.push(Span::new(offset, shape.len));
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
    WriteError::new(WriteCause::Layout, path, "has an alignment of 0")
}

/// Nothing, if the tree is of one of these types.
pub(crate) fn check_root(tree: &TableTree, roots: &[&'static TableType]) -> Result<(), WriteError> {
    if roots.iter().any(|root| same_type(root, tree.ty())) {
        return Ok(());
    }
    Err(WriteError::new(WriteCause::Tree, "", format!("{} is not the root table of such a file", tree.ty().name)))
}

/// The list of segments at these places, as a root has it.
pub(crate) fn segment_list(places: &[Span]) -> Vec<TableTree> {
    let entry = |place: &Span| TableTree::new(DataSegment::TYPE).with("offset", place.offset).with("size", place.len);
    places.iter().map(|place| entry(place).without_defaults()).collect()
}

#[cfg(all(test, feature = "std"))]
pub(crate) mod tests;
