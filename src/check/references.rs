//! Which segments and inline blobs something refers to, and as what.

/// As what a segment is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentUse {
    Constant,
    Mutable,
    Delegate,
    Named,
}

/// Words that the roles of so many segments and the bits of so many blobs take.
pub(super) const fn words_for(segments: usize, blobs: usize) -> usize {
    segments.div_ceil(16) + blobs.div_ceil(64)
}

/// Four bits a segment, one a role; behind them one bit a blob.
pub(super) struct References<'m> {
    words: &'m mut [u64],
    segments: usize,
    blobs: usize,
    /// A reference leads nowhere: what nothing else refers to may be what it was meant for.
    pub(super) astray: bool,
}

impl<'m> References<'m> {
    /// Roles of so many segments and inline blobs in `words`, as many as [`words_for`] says.
    pub(super) fn new(words: &'m mut [u64], segments: usize, blobs: usize) -> Self {
        words.fill(0);
        Self { words, segments, blobs, astray: false }
    }

    fn roles(&self, index: usize) -> u64 {
        self.words[index / 16] >> (index % 16 * 4) & 0xf
    }

    /// Whether the segment has been referred to as this.
    pub(super) fn has(&self, index: u32, role: SegmentUse) -> bool {
        let index = index as usize;
        index < self.segments && self.roles(index) >> role as u64 & 1 != 0
    }

    /// Notes a reference; returns whether the segment has had roles before, and this one is new to it.
    pub(super) fn note(&mut self, index: u32, role: SegmentUse) -> bool {
        let index = index as usize;
        if index >= self.segments {
            return false;
        }
        let before = self.roles(index);
        let bit = 1 << role as u64;
        self.words[index / 16] |= bit << (index % 16 * 4);
        before != 0 && before & bit == 0
    }

    /// Notes a reference to an inline blob.
    pub(super) fn note_inline(&mut self, index: u32) {
        let index = index as usize;
        if index >= self.blobs {
            self.astray = true;
            return;
        }
        let first = self.segments.div_ceil(16);
        self.words[first + index / 64] |= 1 << (index % 64);
    }

    /// Segments that nothing refers to.
    pub(super) fn unreferenced(&self) -> impl Iterator<Item = usize> {
        (0..self.segments).filter(|index| self.roles(*index) == 0)
    }

    /// Inline blobs that nothing refers to.
    pub(super) fn unreferenced_inline(&self) -> impl Iterator<Item = usize> {
        let first = self.segments.div_ceil(16);
        (0..self.blobs).filter(move |index| self.words[first + index / 64] >> (index % 64) & 1 == 0)
    }
}
