//! A range of bytes in a file.

use core::fmt;

/// A range of bytes, counted from the file's first byte.
///
/// A span of length zero marks a place between two bytes, such as the end of a truncated file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
pub struct Span {
    /// First byte.
    pub offset: u64,
    /// In bytes.
    pub len: u64,
}

impl Span {
    /// The span of `len` bytes at `offset`.
    #[must_use]
    pub const fn new(offset: u64, len: u64) -> Self {
        Self { offset, len }
    }

    /// The span of `len` bytes at `offset`, from positions in memory.
    #[must_use]
    pub const fn of(offset: usize, len: usize) -> Self {
        Self { offset: offset as u64, len: len as u64 }
    }

    /// One past the last byte, or `u64::MAX` when that does not fit.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.offset.saturating_add(self.len)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}+{}", self.offset, self.len)
    }
}
