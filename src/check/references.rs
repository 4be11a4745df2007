//! Records which segments and inline blobs a file uses.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentUse {
    Constant,
    Mutable,
    Delegate,
    Named,
}

/// The number of words that [`References`] needs for this many segments and blobs.
pub(super) const fn words_for(segments: usize, blobs: usize) -> usize {
    segments.div_ceil(16) + blobs.div_ceil(64)
}

/// Records the uses of segments and inline blobs. `words` has four bits for each segment (one per role), then one bit
/// for each inline blob.
pub(super) struct References<'m> {
    words: &'m mut [u64],
    segments: usize,
    blobs: usize,
    /// `true` if an index was out of range. That index may have meant a segment that now seems unused.
    pub(super) has_invalid_index: bool,
}

impl<'m> References<'m> {
    /// Creates an empty record that keeps its bits in `words`, whose length must be [`words_for`].
    pub(super) fn new(words: &'m mut [u64], segments: usize, blobs: usize) -> Self {
        words.fill(0);
        Self { words, segments, blobs, has_invalid_index: false }
    }

    fn roles(&self, index: usize) -> u64 {
        self.words.get(index / 16).map_or(0, |word| word >> (index % 16 * 4) & 0xf)
    }

    pub(super) fn has(&self, index: u32, role: SegmentUse) -> bool {
        let index = index as usize;
        index < self.segments && self.roles(index) >> role as u64 & 1 != 0
    }

    /// Records a use of the segment at `index`. Returns `true` if it has earlier uses, all in other roles.
    pub(super) fn record(&mut self, index: u32, role: SegmentUse) -> bool {
        let index = index as usize;
        if index >= self.segments {
            return false;
        }
        let before = self.roles(index);
        let bit = 1 << role as u64;
        if let Some(word) = self.words.get_mut(index / 16) {
            *word |= bit << (index % 16 * 4);
        }
        before != 0 && before & bit == 0
    }

    pub(super) fn record_inline(&mut self, index: u32) {
        let index = index as usize;
        if index >= self.blobs {
            self.has_invalid_index = true;
            return;
        }
        let first = self.segments.div_ceil(16);
        if let Some(word) = self.words.get_mut(first + index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    pub(super) fn unreferenced(&self) -> impl Iterator<Item = usize> {
        (0..self.segments).filter(|index| self.roles(*index) == 0)
    }

    pub(super) fn unreferenced_inline(&self) -> impl Iterator<Item = usize> {
        let first = self.segments.div_ceil(16);
        let is_used =
            move |index: &usize| self.words.get(first + index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0);
        (0..self.blobs).filter(move |index| !is_used(index))
    }
}
