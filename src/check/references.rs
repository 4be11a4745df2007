//! Which segments and inline blobs something refers to, and as what.

use super::finding::Memory;

/// As what a segment is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Constant,
    Mutable,
    Delegate,
    Named,
}

/// Segments and blobs whose roles are kept without lent memory, each.
const FEW: usize = 1024;

/// Words for the roles of [`FEW`] segments and the bits of as many blobs.
const WORDS: usize = FEW / 16 + FEW / 64;

/// Four bits a segment, one a role; behind them one bit a blob.
pub(super) struct References<'m> {
    few: [u64; WORDS],
    many: Option<&'m mut [u64]>,
    segments: usize,
    blobs: usize,
    /// A reference leads nowhere: what nothing else refers to may be what it was meant for.
    pub(super) astray: bool,
}

impl<'m> References<'m> {
    /// Roles for so many segments and inline blobs; `None` when the memory lent is too small.
    pub(super) fn new(segments: usize, blobs: usize, memory: &'m mut dyn Memory) -> Option<Self> {
        let many = if segments > FEW || blobs > FEW {
            let words = memory.words(segments.div_ceil(16) + blobs.div_ceil(64))?;
            words.fill(0);
            Some(words)
        } else {
            None
        };
        Some(Self { few: [0; WORDS], many, segments, blobs, astray: false })
    }

    fn words(&self) -> &[u64] {
        match &self.many {
            Some(many) => many,
            None => &self.few,
        }
    }

    fn words_mut(&mut self) -> &mut [u64] {
        match &mut self.many {
            Some(many) => many,
            None => &mut self.few,
        }
    }

    fn roles(&self, index: usize) -> u64 {
        self.words()[index / 16] >> (index % 16 * 4) & 0xf
    }

    /// Whether the segment has been referred to as this.
    pub(super) fn has(&self, index: u32, role: Role) -> bool {
        let index = index as usize;
        index < self.segments && self.roles(index) >> role as u64 & 1 != 0
    }

    /// Notes a reference; returns the roles that the segment has had before, as bits, when this one is new to it.
    pub(super) fn note(&mut self, index: u32, role: Role) -> Option<u64> {
        let index = index as usize;
        if index >= self.segments {
            return None;
        }
        let before = self.roles(index);
        let bit = 1 << role as u64;
        self.words_mut()[index / 16] |= bit << (index % 16 * 4);
        (before != 0 && before & bit == 0).then_some(before)
    }

    /// Notes a reference to an inline blob.
    pub(super) fn note_inline(&mut self, index: u32) {
        let index = index as usize;
        if index >= self.blobs {
            self.astray = true;
            return;
        }
        let first = self.segments.div_ceil(16);
        self.words_mut()[first + index / 64] |= 1 << (index % 64);
    }

    /// Segments that nothing refers to.
    pub(super) fn unreferenced(&self) -> impl Iterator<Item = usize> {
        (0..self.segments).filter(|index| self.roles(*index) == 0)
    }

    /// Inline blobs that nothing refers to.
    pub(super) fn unreferenced_inline(&self) -> impl Iterator<Item = usize> {
        let first = self.segments.div_ceil(16);
        (0..self.blobs).filter(move |index| self.words()[first + index / 64] >> (index % 64) & 1 == 0)
    }
}
