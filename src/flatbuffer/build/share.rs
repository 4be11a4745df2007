//! Finds written parts by their content, so that equal parts are written only once.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

#[derive(Default)]
pub(super) struct SharedParts(BTreeMap<Key, u32>);

/// The key of a written part: its contents. Children are written before their parents, so a child's position stands for
/// its contents.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    String(Vec<u8>),
    /// The alignment, the count and the bytes of a vector of numbers.
    Elements(usize, usize, Vec<u8>),
    /// The name of a table's type, and the field contents. For a vector of tables, the name is empty.
    Tables(&'static str, Vec<Content>),
}

/// The inline content of a field. The field's child, if any, is already written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Content {
    pub(super) slot: u16,
    /// The width of the number in bytes, or [`Content::OFFSET`] if the field contains an offset.
    pub(super) width: usize,
    /// The little-endian number, or the position of the offset's target.
    pub(super) bytes: [u8; 8],
}

impl Content {
    /// The `width` of a field that contains an offset.
    pub(super) const OFFSET: usize = 0;

    pub(super) fn offset(slot: u16, position: u32) -> Self {
        Self { slot, width: Self::OFFSET, bytes: u64::from(position).to_le_bytes() }
    }
}

impl SharedParts {
    pub(super) fn position(&self, key: &Key) -> Option<u32> {
        self.0.get(key).copied()
    }

    pub(super) fn add(&mut self, key: Key, position: u32) {
        self.0.insert(key, position);
    }
}

pub(super) fn offsets_key(positions: &[u32]) -> Key {
    Key::Tables("", positions.iter().map(|position| Content::offset(0, *position)).collect())
}
