//! Access to files that are read range by range.

use crate::names::last_chunk;
use crate::{FileBytes, Span};

/// A file that the checker reads range by range, so the file may be larger than memory.
///
/// A check reads only the header, the FlatBuffer, the padding between segments, and parts of some segments: short
/// metadata values, the headers, roots and keys of XNNPACK blobs, the blobs of entries with equal keys, and at most 1
/// MiB of constants with equal sizes.
///
/// Slices and `std::fs::File` implement this trait. For another type, implement two methods:
///
/// ```
/// use torchproof::check::{Checker, ReadAt, ReadError};
///
/// struct Remote(Vec<u8>);
///
/// impl ReadAt for Remote {
///     fn len(&self) -> u64 {
///         self.0.len() as u64
///     }
///     fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
///         let start = usize::try_from(offset).map_err(|_| ReadError)?;
///         let bytes = self.0.get(start..).and_then(|rest| rest.get(..buffer.len())).ok_or(ReadError)?;
///         buffer.copy_from_slice(bytes);
///         Ok(())
///     }
/// }
///
/// let file = Remote(std::fs::read("corpus/real/linear.pte")?);
/// assert!(Checker::new().check_source(&file).accepts());
/// # Ok::<(), std::io::Error>(())
/// ```
#[allow(clippy::len_without_is_empty, reason = "this is the length of a file, and an empty file is valid")]
pub trait ReadAt {
    /// The file's length in bytes.
    fn len(&self) -> u64;

    /// Fills `buffer` with the bytes of the file that start at `offset`.
    ///
    /// # Errors
    ///
    /// Returns [`ReadError`] if the range is outside the file or cannot be read.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError>;

    /// The bytes at the start of the file that are already in memory. For a slice, these are all bytes.
    fn head(&self) -> &[u8] {
        &[]
    }

    /// Returns the offset of the first nonzero byte in `span`; `None` if all are zero. An implementation may skip the
    /// holes of a sparse file.
    ///
    /// # Errors
    ///
    /// Returns [`ReadError`] if the range is outside the file or cannot be read.
    fn first_nonzero(&self, span: Span) -> Result<Option<u64>, ReadError> {
        if let Some(bytes) = span.slice(self.head()) {
            return Ok(first_nonzero(bytes).map(|index| span.offset + index as u64));
        }
        let end = span.offset.checked_add(span.len).filter(|end| *end <= self.len()).ok_or(ReadError)?;
        let (mut at, mut piece) = (span.offset, [0; PIECE]);
        while at < end {
            let len = usize::try_from(end - at).map_or(PIECE, |left| left.min(PIECE));
            self.read_at(at, &mut piece[..len])?;
            if let Some(index) = first_nonzero(&piece[..len]) {
                return Ok(Some(at + index as u64));
            }
            at += len as u64;
        }
        Ok(None)
    }
}

/// How many bytes a search or a comparison reads at a time, on the stack.
const PIECE: usize = if cfg!(target_os = "none") { 64 } else { 4096 };

/// The error for bytes that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError;

impl core::fmt::Display for ReadError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the bytes cannot be read")
    }
}

impl core::error::Error for ReadError {}

impl ReadAt for FileBytes<'_> {
    fn len(&self) -> u64 {
        FileBytes::len(*self)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let bytes = Span::new(offset, buffer.len() as u64).slice(self.bytes()).ok_or(ReadError)?;
        copy(bytes, buffer);
        Ok(())
    }

    fn head(&self) -> &[u8] {
        self.bytes()
    }
}

impl ReadAt for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        FileBytes::whole(self).read_at(offset, buffer)
    }

    fn head(&self) -> &[u8] {
        self
    }
}

#[cfg(feature = "alloc")]
impl ReadAt for alloc::vec::Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        FileBytes::whole(self).read_at(offset, buffer)
    }

    fn head(&self) -> &[u8] {
        self
    }
}

/// Each read moves the file's cursor. If a file's length is unknown, `len` returns 0.
#[cfg(feature = "std")]
impl ReadAt for std::fs::File {
    fn len(&self) -> u64 {
        self.metadata().map_or(0, |metadata| metadata.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self;
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(buffer)).map_err(|_| ReadError)
    }
}

/// The bytes of a checked file: the first ones in memory, and a source for the rest.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'m> {
    pub(super) head: &'m [u8],
    pub(super) source: &'m dyn ReadAt,
}

impl Bytes<'_> {
    pub(super) fn first_nonzero(self, span: Span) -> Result<Option<u64>, ReadError> {
        match span.slice(self.head) {
            Some(bytes) => Ok(first_nonzero(bytes).map(|index| span.offset + index as u64)),
            None => self.source.first_nonzero(span),
        }
    }

    /// Returns whether two spans of equal length have equal bytes.
    pub(super) fn equal(self, one: Span, other: Span) -> Result<bool, ReadError> {
        if let (Some(one), Some(other)) = (one.slice(self.head), other.slice(self.head)) {
            return Ok(one == other);
        }
        let (mut at, mut pieces) = (0, [[0; PIECE]; 2]);
        while at < one.len {
            let len = usize::try_from(one.len - at).map_or(PIECE, |left| left.min(PIECE));
            let [first, second] = &mut pieces;
            let (Some(first), Some(second)) = (first.get_mut(..len), second.get_mut(..len)) else {
                return Err(ReadError);
            };
            self.source.read_at(one.offset + at, first)?;
            self.source.read_at(other.offset + at, second)?;
            if first != second {
                return Ok(false);
            }
            at += len as u64;
        }
        Ok(true)
    }

    /// Fills the buffer `into` with the bytes that start at `offset`. Returns `false` if they cannot be read; the
    /// caller then skips the checks of these bytes.
    pub(super) fn read(self, offset: u64, into: &mut [u8]) -> bool {
        match Span::new(offset, into.len() as u64).slice(self.head) {
            Some(bytes) => copy(bytes, into),
            None => return self.source.read_at(offset, into).is_ok(),
        }
        true
    }
}

/// Copies a slice to one of the same length. Unlike `copy_from_slice`, this compiles to no panicking code.
fn copy(from: &[u8], to: &mut [u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

/// Returns whether all bytes are zero. Optimized for the short gaps between segments.
#[inline]
pub(super) fn all_zero(bytes: &[u8]) -> bool {
    if let Some(last) = last_chunk::<8>(bytes) {
        let (words, _) = bytes.as_chunks::<8>();
        return words.iter().chain([last]).fold(0, |all, word| all | u64::from_le_bytes(*word)) == 0;
    }
    let (words, rest) = bytes.as_chunks::<4>();
    words.iter().all(|word| *word == [0; 4]) && rest.iter().all(|byte| *byte == 0)
}

pub(super) fn first_nonzero(bytes: &[u8]) -> Option<usize> {
    // Compare whole blocks with zero first, because the compiler uses wide instructions for that.
    let (blocks, _) = bytes.as_chunks::<32>();
    let zeros = 32 * blocks.iter().take_while(|block| **block == [0; 32]).count();
    bytes.get(zeros..)?.iter().position(|byte| *byte != 0).map(|index| zeros + index)
}
