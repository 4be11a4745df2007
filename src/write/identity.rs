//! Which sources have the same bytes, as far as that is known without reading.

use std::cmp::Ordering;
use std::path::PathBuf;

use super::Source;

/// What makes two sources one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identity<'s> {
    Known(Contents<'s>),
    /// The length and the offset of a range, and the file.
    File(u64, u64, PathBuf),
}

impl<'s> Identity<'s> {
    pub(crate) fn of(source: &Source<'s>) -> Option<Self> {
        match source {
            Source::Bytes(bytes) => Some(Identity::Known(Contents::new(bytes, bytes.len() as u64))),
            Source::Fill { pattern, len } => Some(Identity::Known(Contents::new(pattern, *len))),
            Source::File { path, span } => Some(Identity::File(span.len, span.offset, path.clone())),
            Source::Reader { .. } | Source::Packed(_) => None,
        }
    }
}

/// A pattern again and again, up to a length. Contents are ordered by length first, which tells most blobs apart, then by bytes.
#[derive(Clone, Debug)]
pub(crate) struct Contents<'s> {
    /// No longer than all the bytes; empty only when they are.
    pattern: &'s [u8],
    len: u64,
}

impl<'s> Contents<'s> {
    fn new(pattern: &'s [u8], len: u64) -> Self {
        let pattern = if pattern.is_empty() { &[0] } else { pattern };
        let shown = usize::try_from(len).map_or(pattern, |len| pattern.get(..len).unwrap_or(pattern));
        Self { pattern: shown, len }
    }

    /// What is compared of the bytes, when the other pattern has this length.
    fn compared(&self, other: usize) -> impl Iterator<Item = &u8> {
        // Bytes that repeat at two distances and agree over the sum of both agree everywhere.
        let enough = self.pattern.len().saturating_add(other);
        let count = usize::try_from(self.len).map_or(enough, |len| len.min(enough));
        self.pattern.iter().cycle().take(count)
    }
}

impl Ord for Contents<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (own, others) = (self.pattern.len(), other.pattern.len());
        self.len.cmp(&other.len).then_with(|| match own.cmp(&others) {
            Ordering::Equal => self.pattern.cmp(other.pattern),
            _ => self.compared(others).cmp(other.compared(own)),
        })
    }
}

impl PartialOrd for Contents<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Contents<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Contents<'_> {}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::seeded::seeded;

    /// The bytes in full.
    fn all(pattern: &[u8], len: u64) -> Vec<u8> {
        let pattern = if pattern.is_empty() { &[0] } else { pattern };
        (0..len).zip(pattern.iter().cycle()).map(|(_, byte)| *byte).collect()
    }

    proptest! {
        #![proptest_config(seeded())]
        #[test]
        fn contents_are_ordered_as_their_bytes(
            own in vec(0_u8..2, 0..7),
            other in vec(0_u8..2, 0..7),
            len in 0_u64..20,
            more in 0_u64..2,
        ) {
            let (own_all, other_all) = (all(&own, len), all(&other, len + more));
            let expected = own_all.len().cmp(&other_all.len()).then_with(|| own_all.cmp(&other_all));
            let known = Contents::new(&own, len);
            prop_assert_eq!(known.cmp(&Contents::new(&other, len + more)), expected);
            prop_assert_eq!(known.cmp(&Contents::new(&own_all, len)), Ordering::Equal);
        }
    }

    #[test]
    fn long_patterns_are_compared_at_once() {
        let zeros = |pattern| Contents::new(pattern, u64::MAX);
        assert_eq!(zeros(b""), zeros(&[0; 3]));
        assert_ne!(zeros(b""), zeros(&[0, 0, 1]));
    }
}
