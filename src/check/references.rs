//! Which segments something refers to, and as what.

use super::finding::Memory;

/// As what a segment is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Constant,
    Mutable,
    Delegate,
    Named,
}

/// Segments whose roles are kept without lent memory.
const FEW: usize = 1024;

/// Four bits a segment, one a role.
pub(super) struct References<'m> {
    few: [u64; FEW / 16],
    many: Option<&'m mut [u64]>,
    count: usize,
}

impl<'m> References<'m> {
    /// Roles for `count` segments; `None` when the memory lent is too small.
    pub(super) fn new(count: usize, memory: &'m mut dyn Memory) -> Option<Self> {
        let many = if count > FEW {
            let words = memory.words(count.div_ceil(16))?;
            words.fill(0);
            Some(words)
        } else {
            None
        };
        Some(Self { few: [0; FEW / 16], many, count })
    }

    /// Notes a reference; returns the roles that the segment has had before, as bits, when this one is new to it.
    pub(super) fn note(&mut self, index: u32, role: Role) -> Option<u64> {
        let index = index as usize;
        if index >= self.count {
            return None;
        }
        let shift = index % 16 * 4;
        let words = match &mut self.many {
            Some(many) => many,
            None => &mut self.few[..],
        };
        let word = &mut words[index / 16];
        let before = *word >> shift & 0xf;
        let bit = 1 << role as u64;
        *word |= bit << shift;
        (before != 0 && before & bit == 0).then_some(before)
    }

    /// Segments that nothing refers to.
    pub(super) fn unreferenced(&self) -> impl Iterator<Item = usize> {
        let words = match &self.many {
            Some(many) => many,
            None => &self.few[..],
        };
        (0..self.count).filter(|index| words[index / 16] >> (index % 16 * 4) & 0xf == 0)
    }
}
