//! Which bytes of no part are there to align what is beside them.

use super::{ByteMap, What};
use crate::Span;

/// What the schemas align elements to at most, unless a writer was asked for more.
const WIDEST: u64 = 16;
/// The same of the schema of bundled programs, which puts the program there.
const WIDEST_OF_BUNDLE: u64 = 32;

impl ByteMap {
    /// Whether bytes of no part are padding: zeros, and fewer than an alignment asks for.
    ///
    /// Inside of a FlatBuffer that is 16, of a bundled program's 32, and in front of a segment or of a list as much as its place is a multiple of, of the
    /// end of the file too. What is longer is there for no reason that the file has, whatever it is.
    ///
    /// ```
    /// use torchproof::{Span, annotate::ByteMap};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut bytes = std::fs::read("corpus/real/linear.pte")?;
    /// let end = bytes.len() as u64;
    /// bytes.resize(bytes.len() + 1000, 0);
    /// let map = ByteMap::of(&bytes);
    /// assert!(!map.is_padding(&bytes, Span::new(end, 1000)));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn is_padding(&self, bytes: &[u8], gap: Span) -> bool {
        let range = usize::try_from(gap.offset).ok().zip(usize::try_from(gap.end()).ok());
        let zeros =
            range.and_then(|(start, end)| bytes.get(start..end)).is_some_and(|gap| gap.iter().all(|at| *at == 0));
        zeros && gap.len < self.alignment_at(gap.end())
    }

    /// What the part at `end` may be aligned to.
    fn alignment_at(&self, end: u64) -> u64 {
        let next = self.entries.partition_point(|entry| entry.span.offset < end);
        let counts = self.entries.get(next).is_some_and(|entry| entry.what == What::Count && entry.span.offset == end);
        // Of a list the elements are aligned, and the count is in front of them.
        let aligned = if counts { end + 4 } else { end };
        let power = |at: u64| 1_u64.checked_shl(at.trailing_zeros()).unwrap_or(u64::MAX);
        let inner = aligned.checked_sub(self.held).map_or(0, power);
        power(aligned).max(inner).max(if self.held == 0 { WIDEST } else { WIDEST_OF_BUNDLE })
    }
}
