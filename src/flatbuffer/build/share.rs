//! The parts that are written, by their contents, so that nothing equal is written twice.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The positions of what an encoding has written.
#[derive(Default)]
pub(super) struct Shared(BTreeMap<Key, u32>);

/// The contents of a part. What the part leads to is written before it, so positions identify that.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// A string.
    String(Vec<u8>),
    /// A vector of numbers, by its alignment, its count and its bytes.
    Elements(usize, usize, Vec<u8>),
    /// A table, by its type's name; a vector of tables has none.
    Tables(&'static str, Vec<Content>),
}

/// The content of a field, once what it leads to is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Content {
    pub(super) slot: u16,
    /// Of the number, in bytes; or [`Content::REFERENCE`].
    pub(super) width: usize,
    /// The number, little-endian, or the position that the field leads to.
    pub(super) bytes: [u8; 8],
}

impl Content {
    /// The width of an offset.
    pub(super) const REFERENCE: usize = 0;

    pub(super) fn reference(slot: u16, position: u32) -> Self {
        Self { slot, width: Self::REFERENCE, bytes: u64::from(position).to_le_bytes() }
    }
}

impl Shared {
    pub(super) fn position(&self, key: &Key) -> Option<u32> {
        self.0.get(key).copied()
    }

    pub(super) fn add(&mut self, key: Key, position: u32) {
        self.0.insert(key, position);
    }
}

/// The key of a vector of the tables at these positions.
pub(super) fn references(positions: &[u32]) -> Key {
    Key::Tables("", positions.iter().map(|position| Content::reference(0, *position)).collect())
}
