//! Distinguishes padding from unowned bytes.

use super::{ByteMap, Entry, PartKind};
use crate::Span;

/// The largest alignment in the schemas of programs and data files. Fewer zeros than this always count as padding.
const WIDEST: u64 = 16;
/// The largest alignment in the bundled-program schema.
const WIDEST_OF_BUNDLE: u64 = 32;

impl ByteMap {
    /// Zeros are padding if there are fewer of them than the alignment of the next part, which is inferred from the
    /// part's position.
    pub(super) fn gap(&self, bytes: &[u8], gap: Span) -> Entry {
        let range = usize::try_from(gap.offset).ok().zip(usize::try_from(gap.end()).ok());
        let zeros =
            range.and_then(|(start, end)| bytes.get(start..end)).is_some_and(|gap| gap.iter().all(|at| *at == 0));
        let padding = zeros && gap.len < self.alignment_at(gap.end());
        Entry::gap(gap, if padding { PartKind::Padding } else { PartKind::Unowned })
    }

    fn alignment_at(&self, end: u64) -> u64 {
        let next = self.entries.partition_point(|entry| entry.span.offset < end);
        let counts =
            self.entries.get(next).is_some_and(|entry| entry.kind == PartKind::Count && entry.span.offset == end);
        // A vector aligns its elements, not the count before them.
        let aligned = if counts { end + 4 } else { end };
        let power = |at: u64| 1_u64.checked_shl(at.trailing_zeros()).unwrap_or(u64::MAX);
        let inner = aligned.checked_sub(self.program_start).map_or(0, power);
        power(aligned).max(inner).max(if self.program_start == 0 { WIDEST } else { WIDEST_OF_BUNDLE })
    }
}
