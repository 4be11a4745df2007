//! Scratch memory that the verification pass fills for one file: segment ranges, name hashes and segment uses.

use super::super::references::{References, words_for};
use super::super::scratch::Scratch;
use crate::Limit;
use crate::flatbuffer::walk::Stop;
use crate::names::SeenNames;

pub(in crate::check) const LISTS: usize = 2;

/// The offset and size recorded for a segment whose table is faulty. No valid segment has this offset and size, because
/// their sum would overflow.
const BROKEN: [u64; 2] = [u64::MAX; 2];

/// The offset, size and uses of each segment, and the names.
pub(in crate::check) struct FileScratch<'m> {
    segments: &'m mut [[u64; 2]],
    pub(in crate::check) names: [SeenNames<'m>; LISTS],
    pub(in crate::check) references: References<'m>,
}

impl<'m> FileScratch<'m> {
    pub(in crate::check) fn new(
        segments: usize,
        names: [usize; LISTS],
        scratch: &'m mut dyn Scratch,
    ) -> Result<Self, Stop> {
        let roles = words_for(segments, 0);
        let words = scratch.words(2 * segments + roles + names.iter().sum::<usize>())?;
        let missing = Stop::Limit(Limit::Scratch);
        let (places, rest) = words.split_at_mut_checked(2 * segments).ok_or(missing)?;
        let (roles, rest) = rest.split_at_mut_checked(roles).ok_or(missing)?;
        let (first, second) = rest.split_at_mut_checked(names[0]).ok_or(missing)?;
        let (segments, _) = places.as_chunks_mut();
        segments.fill(BROKEN);
        let references = References::new(roles, segments.len(), 0);
        Ok(Self { segments, names: [SeenNames::new(first), SeenNames::new(second)], references })
    }

    #[inline]
    pub(in crate::check) fn segment(&mut self, index: usize, offset: u64, size: u64) {
        if let Some(segment) = self.segments.get_mut(index) {
            *segment = [offset, size];
        }
    }

    /// The offset and size of the segment at `index`; `None` if its table is faulty.
    #[inline]
    pub(in crate::check) fn place(&self, index: usize) -> Option<[u64; 2]> {
        self.segments.get(index).copied().filter(|place| *place != BROKEN)
    }
}
