//! A range of bytes in a file.

use core::fmt;

/// A range of bytes, counted from the file's first byte.
///
/// A span of length zero marks a position between two bytes, such as the end of a truncated file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// The first byte's position.
    pub offset: u64,
    /// The number of bytes.
    pub len: u64,
}

impl Span {
    /// Creates the span of `len` bytes at `offset`.
    #[must_use]
    pub const fn new(offset: u64, len: u64) -> Self {
        Self { offset, len }
    }

    /// Creates the span of `len` bytes at `offset`, from `usize` values.
    #[must_use]
    pub const fn of(offset: usize, len: usize) -> Self {
        Self { offset: offset as u64, len: len as u64 }
    }

    /// Limits the span to the bytes inside `buffer`.
    pub(crate) fn inside(offset: usize, len: usize, buffer: &[u8]) -> Self {
        let start = offset.min(buffer.len());
        Self::of(start, len.min(buffer.len() - start))
    }

    /// Returns the position after the last byte, or `u64::MAX` if it does not fit.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.offset.saturating_add(self.len)
    }

    /// `bytes` are the first bytes of the file, or all of them.
    #[inline]
    pub(crate) fn slice(self, bytes: &[u8]) -> Option<&[u8]> {
        let end = self.offset.checked_add(self.len)?;
        bytes.get(usize::try_from(self.offset).ok()?..usize::try_from(end).ok()?)
    }

    /// Returns the span after an edit that replaced `was` bytes at `at` with `now` bytes.
    ///
    /// Bytes inserted inside a span become part of it; bytes inserted at its start or end do not. If no bytes are left,
    /// its length is zero.
    ///
    /// ```
    /// use torchproof::Span;
    /// let span = Span::new(8, 4);
    /// assert_eq!(span.spliced(8, 0, 2), Span::new(10, 4));
    /// assert_eq!(span.spliced(9, 0, 2), Span::new(8, 6));
    /// assert_eq!(span.spliced(10, 90, 0), Span::new(8, 2));
    /// ```
    #[must_use]
    pub const fn spliced(self, at: u64, was: u64, now: u64) -> Self {
        let (was_end, now_end) = (at.saturating_add(was), at.saturating_add(now));
        let start = if self.offset < at {
            self.offset
        } else if self.offset >= was_end {
            now_end.saturating_add(self.offset - was_end)
        } else if self.offset < now_end {
            self.offset
        } else {
            now_end
        };
        let end = self.end();
        let end = if end <= at {
            end
        } else if end >= was_end {
            now_end.saturating_add(end - was_end)
        } else if end < now_end {
            end
        } else {
            now_end
        };
        Self { offset: start, len: end.saturating_sub(start) }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}+{}", self.offset, self.len)
    }
}
