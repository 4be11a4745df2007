//! Per-file scratch: segment ranges, name hashes and references, collected in the single pass.

use super::super::finding::Scratch;
use super::super::references::{References, words_for};
use crate::names::SeenNames;

/// Words on the stack: files with a few dozen entries need no more.
pub(in crate::check) const FEW: usize = 128;

/// Lists of names that a data file has at most.
pub(in crate::check) const LISTS: usize = 2;

/// What stands for a segment whose table is broken; a segment that says this of itself ends beyond any file.
const BROKEN: [u64; 2] = [u64::MAX; 2];

/// Each segment's offset and size, the names seen, and what refers to each segment.
pub(in crate::check) struct FileScratch<'m> {
    segments: &'m mut [[u64; 2]],
    /// The names of each list.
    pub(in crate::check) names: [SeenNames<'m>; LISTS],
    pub(in crate::check) references: References<'m>,
}

impl<'m> FileScratch<'m> {
    /// Room for so many segments and names; `None` when the scratch memory is too small.
    pub(in crate::check) fn new(
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
        Some(Self { segments, names: [SeenNames::new(first), SeenNames::new(second)], references })
    }

    /// Records a segment's offset and size.
    #[inline]
    pub(in crate::check) fn segment(&mut self, index: usize, offset: u64, size: u64) {
        if let Some(segment) = self.segments.get_mut(index) {
            *segment = [offset, size];
        }
    }

    /// The offset and size of the segment at `index`; `None` where its table is broken.
    #[inline]
    pub(in crate::check) fn place(&self, index: usize) -> Option<[u64; 2]> {
        self.segments.get(index).copied().filter(|place| *place != BROKEN)
    }
}
