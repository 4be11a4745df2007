//! A file in memory: its length, and either all of its bytes or only the first ones.

use crate::error::{ReadRule, broken};
use crate::{Error, ErrorCode, Span, Stage, flatbuffer};

/// A FlatBuffer must be shorter than this, because its offsets have 31 bits.
pub(crate) const FLATBUFFER_LIMIT: u64 = 1 << 31;

/// A file's first bytes, and its length.
///
/// Reading and checking the structure needs only the bytes up to the end of the FlatBuffer; see [`FileBytes::needed`].
/// Segments may stay on disk, and accessing bytes that are not in memory returns an error.
///
/// ```
/// use torchproof::FileBytes;
/// let whole = FileBytes::whole(b"\x08\0\0\0ET12\0\0\0\0");
/// assert_eq!(whole.len(), 12);
/// let head = FileBytes::head(b"\x08\0\0\0ET12", 10 << 30).unwrap();
/// assert!(!head.is_whole());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FileBytes<'a> {
    bytes: &'a [u8],
    len: u64,
}

impl<'a> FileBytes<'a> {
    /// Wraps a file that is entirely in memory.
    #[must_use]
    pub const fn whole(bytes: &'a [u8]) -> Self {
        Self { bytes, len: bytes.len() as u64 }
    }

    /// Wraps the first bytes of a file. Returns `None` if `bytes` is longer than `len`, the file's length.
    #[must_use]
    pub const fn head(bytes: &'a [u8], len: u64) -> Option<Self> {
        if bytes.len() as u64 > len { None } else { Some(Self { bytes, len }) }
    }

    /// The bytes in memory, from the start of the file.
    #[must_use]
    pub const fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The file's length in bytes.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "this is the length of a file, and an empty file is valid")]
    pub const fn len(self) -> u64 {
        self.len
    }

    /// Returns whether the whole file is in memory.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.bytes.len() as u64 == self.len
    }

    /// Returns the bytes of `span`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::RangeOutOfBounds`] if the span is not inside the file, and [`ErrorCode::NotInMemory`] if it
    /// is inside but not in memory.
    pub fn slice(self, span: Span, field: &'static str) -> Result<&'a [u8], Error> {
        let fail = |code, have| Error::new(code, Stage::Data, span, field).measured(have, self.len);
        let end = span.offset.checked_add(span.len).ok_or_else(|| fail(ErrorCode::RangeOutOfBounds, u64::MAX))?;
        if end > self.len {
            return Err(fail(ErrorCode::RangeOutOfBounds, end));
        }
        span.slice(self.bytes).ok_or_else(|| fail(ErrorCode::NotInMemory, end).measured(end, self.bytes.len() as u64))
    }

    /// Checks the identifier, and that the file is long enough for a FlatBuffer. A wrong identifier violates `rule`.
    pub(crate) fn check_identifier(self, identifier: [u8; 4], rule: ReadRule) -> Result<(), Error> {
        if self.len < 12 {
            return Err(Error::broken(broken::FB_MIN_SIZE, Span::new(0, self.len), "file", self.len, 12));
        }
        let (available, needed) = (self.bytes.len() as u64, self.len.min(64));
        if available < needed {
            let error = Error::new(ErrorCode::NotInMemory, Stage::Open, Span::new(0, needed), "file");
            return Err(error.measured(needed, available));
        }
        match flatbuffer::identifier(self.bytes) {
            Some(found) if found == identifier => Ok(()),
            found => {
                let found = found.unwrap_or_default();
                Err(Error::magic(rule, Span::new(4, 4), "identifier", found, identifier))
            }
        }
    }

    pub(crate) fn flatbuffer(self, end: u64) -> Result<&'a [u8], Error> {
        if end >= FLATBUFFER_LIMIT {
            return Err(Error::broken(broken::FB_MAX_SIZE, Span::new(0, end), "flatbuffer", end, FLATBUFFER_LIMIT));
        }
        self.region(end).ok_or_else(|| {
            let error = Error::new(ErrorCode::NotInMemory, Stage::Open, Span::new(0, end), "flatbuffer");
            error.measured(end, self.bytes.len() as u64)
        })
    }

    /// The first `end` bytes; `None` if some of them are not in memory.
    pub(crate) fn region(self, end: u64) -> Option<&'a [u8]> {
        usize::try_from(end).ok().and_then(|end| self.bytes.get(..end))
    }
}
