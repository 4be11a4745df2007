//! What one pass notes of a data file's segments and names, so that no table is read again for what is asked of all of them, but
//! those of names that may be equal.

use super::finding::Scratch;
use super::names::Met;
use super::references::{References, words_for};

/// Words that are had without lent memory: files with a few dozen entries need no more.
pub(super) const FEW: usize = 128;

/// Lists of names that a data file has at most.
pub(super) const LISTS: usize = 2;

/// What stands for a segment whose table is broken; a segment that says this of itself ends beyond any file.
const BROKEN: [u64; 2] = [u64::MAX; 2];

/// A segment's offset and size, what is known of names that may be equal, and what refers to each segment.
pub(super) struct Noted<'m> {
    segments: &'m mut [[u64; 2]],
    /// The names of each list.
    pub(super) names: [Met<'m>; LISTS],
    pub(super) references: References<'m>,
}

impl<'m> Noted<'m> {
    /// Room for so many segments and names; `None` when the memory lent is too small.
    pub(super) fn new(
        segments: usize,
        names: [usize; LISTS],
        few: &'m mut [u64; FEW],
        scratch: &'m mut dyn Scratch,
    ) -> Option<Self> {
        let roles = words_for(segments, 0);
        let needed = 2 * segments + roles + names.iter().sum::<usize>();
        let words = if needed <= FEW { &mut few[..] } else { scratch.words(needed)? };
        let (places, rest) = words.split_at_mut_checked(2 * segments)?;
        let (roles, rest) = rest.split_at_mut_checked(roles)?;
        let (first, rest) = rest.split_at_mut_checked(names[0])?;
        let (second, _) = rest.split_at_mut_checked(names[1])?;
        let (segments, _) = places.as_chunks_mut();
        segments.fill(BROKEN);
        let references = References::over(roles, segments.len(), 0);
        Some(Self { segments, names: [Met::none(first), Met::none(second)], references })
    }

    /// Notes a segment's offset and size.
    #[inline]
    pub(super) fn segment(&mut self, index: usize, offset: u64, size: u64) {
        if let Some(segment) = self.segments.get_mut(index) {
            *segment = [offset, size];
        }
    }

    /// The offset and size of the segment at `index`; `None` where its table is broken.
    #[inline]
    pub(super) fn place(&self, index: usize) -> Option<[u64; 2]> {
        self.segments.get(index).copied().filter(|place| *place != BROKEN)
    }
}
