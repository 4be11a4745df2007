//! Writing a program file: the FlatBuffer, a header put into it, and the segments behind it.
//!
//! ```
//! use torchproof::flatbuffer::schema::TableView;
//! use torchproof::flatbuffer::tree::TableTree;
//! use torchproof::pte::schema::Program;
//! use torchproof::pte::write::{FileLayout, SegmentData, write};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let segments = [SegmentData::new(b"abcd"), SegmentData { bytes: b"e", alignment: 256 }];
//! let file = write(&TableTree::new(Program::TYPE), &segments, &FileLayout::default())?;
//! let open = torchproof::pte::Pte::open(&file)?;
//! assert_eq!(open.segment_bytes(1)?, b"e");
//! assert_eq!(open.header().unwrap().segment_data_size, Some(257));
//! # Ok(()) }
//! ```

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use super::header::{self, Header};
use super::schema::{BackendDelegateInlineData, Buffer, DataSegment, Program};
use crate::Span;
use crate::flatbuffer::build::{BuildError, Builder};
use crate::flatbuffer::schema::{TableType, TableView};
use crate::flatbuffer::tree::{TableTree, same_type};
use crate::flatbuffer::{PREFIX_LEN, u32_at};

/// The bytes of one segment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SegmentData<'a> {
    /// The segment's bytes.
    pub bytes: &'a [u8],
    /// Its offset from the segment base is a multiple of this and of the file's segment alignment. It need not be a power of
    /// two, but not 0.
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

/// Whether a program file gets a header, and how long the header says that it is.
///
/// From 32 on the header holds `segment_data_size`; from 24 to 31 it does not, as the header of releases before 1.0 did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// A header of this length if there is segment data, as the official writer does.
    IfNeeded(u32),
    /// A header of this length; without segment data its base is 0.
    Always(u32),
    /// None: the file is the FlatBuffer, and segment data is an error.
    Never,
}

/// Where the parts of a program file go.
///
/// The default is what the official writer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLayout {
    /// Default: a header of 32 bytes if there is segment data.
    pub header: HeaderKind,
    /// The segment base and every segment's offset from it are multiples of this, in bytes. It need not be a power of two.
    /// Default 128.
    pub segment_alignment: u64,
    /// Alignment of `Buffer.storage`, a power of two from 16 on. Default 16.
    pub constant_alignment: usize,
    /// Alignment of `BackendDelegateInlineData.data`, a power of two from 16 on. Default 16.
    pub delegate_alignment: usize,
}

impl Default for FileLayout {
    fn default() -> Self {
        Self {
            header: HeaderKind::IfNeeded(header::LENGTH_WITH_DATA_SIZE),
            segment_alignment: 128,
            constant_alignment: 16,
            delegate_alignment: 16,
        }
    }
}

/// Writes a program file.
///
/// `Program.segments` is filled from the segments' places, an empty list for none, unless the tree has it set: then it is
/// written as it is, and the bytes still go where `layout` puts them. Everything else is the tree's. Padding is zeros, and
/// behind the last segment there is none.
///
/// # Errors
///
/// [`WriteError`], by whose fault it is; nothing is written then.
pub fn write(program: &TableTree, segments: &[SegmentData<'_>], layout: &FileLayout) -> Result<Vec<u8>, WriteError> {
    WriteError::check_root(program, &[Program::TYPE])?;
    let builder = Builder::new(super::IDENTIFIER).align(Buffer::TYPE, "storage", layout.constant_alignment)?.align(
        BackendDelegateInlineData::TYPE,
        "data",
        layout.delegate_alignment,
    )?;
    let places = place(segments, layout.segment_alignment)?;
    let program = with_segments(program, &places)?;
    let flatbuffer = builder.encode(&program)?;
    let data_size = places.last().map_or(0, |last| last.end());
    let Some((header, padded)) = layout.header_for(flatbuffer.len() as u64, data_size)? else {
        return Ok(flatbuffer);
    };
    let mut bytes = Vec::with_capacity(40);
    bytes.extend_from_slice(&header::MAGIC);
    bytes.extend_from_slice(&header.length.to_le_bytes());
    bytes.extend_from_slice(&header.program_size.to_le_bytes());
    bytes.extend_from_slice(&header.segment_base_offset.to_le_bytes());
    bytes.extend_from_slice(header.segment_data_size.map(u64::to_le_bytes).as_ref().map_or(&[], |size| &size[..]));
    assemble(&flatbuffer, &bytes, padded, header.segment_base_offset, segments, &places)
}

impl FileLayout {
    /// The header for a FlatBuffer and segment data of these lengths, and the bytes that it takes with its padding; `None`
    /// when there is to be no header.
    fn header_for(&self, flatbuffer_len: u64, data_size: u64) -> Result<Option<(Header, u64)>, WriteError> {
        let length = match self.header {
            HeaderKind::IfNeeded(_) if data_size == 0 => return Ok(None),
            HeaderKind::IfNeeded(length) | HeaderKind::Always(length) => length,
            HeaderKind::Never if data_size == 0 => return Ok(None),
            HeaderKind::Never => return Err(WriteError::DataWithoutHeader { data_size }),
        };
        if length < header::MIN_LENGTH {
            return Err(WriteError::HeaderLength { given: length, least: header::MIN_LENGTH });
        }
        // The padding keeps every alignment of the FlatBuffer behind it.
        let alignment = self.constant_alignment.max(self.delegate_alignment) as u64;
        let padded = align(length.into(), alignment)?;
        let program_size = padded.checked_add(flatbuffer_len).ok_or(WriteError::TooLarge)?;
        let header = Header {
            length,
            program_size,
            segment_base_offset: if data_size == 0 { 0 } else { align(program_size, self.segment_alignment)? },
            segment_data_size: (length >= header::LENGTH_WITH_DATA_SIZE).then_some(data_size),
        };
        Ok(Some((header, padded)))
    }
}

/// The place of each segment, from the segment base.
pub(crate) fn place(segments: &[SegmentData<'_>], alignment: u64) -> Result<Vec<Span>, WriteError> {
    if alignment == 0 {
        return Err(WriteError::ZeroAlignment { segment: None });
    }
    let mut end = 0;
    let mut places = Vec::with_capacity(segments.len());
    for (index, segment) in segments.iter().enumerate() {
        if segment.alignment == 0 {
            return Err(WriteError::ZeroAlignment { segment: Some(index) });
        }
        let both = (alignment / gcd(alignment, segment.alignment)).checked_mul(segment.alignment);
        let offset = align(end, both.ok_or(WriteError::TooLarge)?)?;
        let len = segment.bytes.len() as u64;
        end = offset.checked_add(len).ok_or(WriteError::TooLarge)?;
        places.push(Span::new(offset, len));
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
    position.checked_next_multiple_of(alignment).ok_or(WriteError::TooLarge)
}

/// The root with its `segments` filled in, unless they are set.
pub(crate) fn with_segments<'t>(root: &'t TableTree, places: &[Span]) -> Result<Cow<'t, TableTree>, BuildError> {
    let mut root = Cow::Borrowed(root);
    if root.get("segments").is_none() {
        let entry = |place: &Span| {
            let mut entry = TableTree::new(DataSegment::TYPE).with("offset", place.offset).with("size", place.len);
            entry.elide_defaults();
            entry
        };
        root.to_mut().set("segments", places.iter().map(entry).collect::<Vec<_>>())?;
    }
    Ok(root)
}

/// A whole file: a FlatBuffer with `header` put in at byte 8 and padded to `padded` bytes, zeros up to `base`, and the segments.
pub(crate) fn assemble(
    flatbuffer: &[u8],
    header: &[u8],
    padded: u64,
    base: u64,
    segments: &[SegmentData<'_>],
    places: &[Span],
) -> Result<Vec<u8>, WriteError> {
    let position = |at: u64| usize::try_from(at).map_err(|_| WriteError::TooLarge);
    let root = u64::from(u32_at(flatbuffer, 0).unwrap_or(0)) + padded;
    let root = u32::try_from(root).map_err(|_| WriteError::TooLarge)?;
    let data_end = places.last().map_or(Some(0), |last| base.checked_add(last.end())).ok_or(WriteError::TooLarge)?;
    let flatbuffer_end = padded.checked_add(flatbuffer.len() as u64).ok_or(WriteError::TooLarge)?;
    if flatbuffer_end >= 1 << 31 {
        return Err(WriteError::TooLarge);
    }
    let len = position(data_end.max(base).max(flatbuffer_end))?;

    let mut file = Vec::new();
    file.try_reserve_exact(len).map_err(|_| WriteError::TooLarge)?;
    file.extend_from_slice(&root.to_le_bytes());
    file.extend_from_slice(flatbuffer.get(4..PREFIX_LEN).unwrap_or_default());
    file.extend_from_slice(header);
    file.resize(PREFIX_LEN + position(padded)?, 0);
    file.extend_from_slice(flatbuffer.get(PREFIX_LEN..).unwrap_or_default());
    for (segment, place) in segments.iter().zip(places) {
        file.resize(position(base + place.offset)?, 0);
        file.extend_from_slice(segment.bytes);
    }
    file.resize(len, 0);
    Ok(file)
}

/// Why a file cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// The tree cannot be encoded, or an alignment inside the FlatBuffer is none.
    Build(BuildError),
    /// The tree is of a table that is not the root of such a file.
    NotARoot {
        /// The table's name.
        given: &'static str,
    },
    /// An alignment is 0.
    ZeroAlignment {
        /// The segment that has it; `None` for the layout itself.
        segment: Option<usize>,
    },
    /// The header would be shorter than its fields.
    HeaderLength {
        /// The length asked for.
        given: u32,
        /// The shortest.
        least: u32,
    },
    /// The header with its padding would not keep the alignment of the FlatBuffer behind it.
    HeaderAlignment {
        /// Bytes that the header would take.
        padded: u64,
    },
    /// There is segment data, and the layout forbids the header without which nobody finds it.
    DataWithoutHeader {
        /// Bytes of segment data.
        data_size: u64,
    },
    /// A size or an offset does not fit into its field, or the file not into memory.
    TooLarge,
}

impl WriteError {
    pub(crate) fn check_root(tree: &TableTree, roots: &[&'static TableType]) -> Result<(), Self> {
        if roots.iter().any(|root| same_type(root, tree.ty())) {
            Ok(())
        } else {
            Err(WriteError::NotARoot { given: tree.ty().name })
        }
    }
}

impl From<BuildError> for WriteError {
    fn from(error: BuildError) -> Self {
        WriteError::Build(error)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Build(error) => error.fmt(f),
            WriteError::NotARoot { given } => write!(f, "{given} is not the root table of such a file"),
            WriteError::ZeroAlignment { segment: None } => f.write_str("the layout has an alignment of 0"),
            WriteError::ZeroAlignment { segment: Some(index) } => write!(f, "segment {index} has an alignment of 0"),
            WriteError::HeaderLength { given, least } => write!(f, "header length {given} is below {least}"),
            WriteError::HeaderAlignment { padded } => {
                write!(f, "a header padded to {padded} bytes misaligns the FlatBuffer behind it")
            }
            WriteError::DataWithoutHeader { data_size } => {
                write!(f, "{data_size} bytes of segment data need a header, and the layout has none")
            }
            WriteError::TooLarge => f.write_str("a size or an offset of the file does not fit"),
        }
    }
}

impl core::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            WriteError::Build(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
