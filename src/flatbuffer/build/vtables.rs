//! The vtables that an encoding has written: tables of one shape have one.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Vtables that are found at once, if their hashes differ.
const RECENT: usize = 256;

/// What the vtable of a table says.
#[derive(Clone, Copy)]
pub(super) struct Vtable<'s> {
    /// Positions of the fields, by slot; 0 for one that is not there.
    slots: &'s [u32],
    /// Position of the table.
    object: u32,
    object_len: u16,
    len: u16,
}

impl<'s> Vtable<'s> {
    /// None where it or the table is too large for one.
    pub(super) fn new(slots: &'s [u32], object: u32, object_len: u32) -> Option<Self> {
        let len = u16::try_from(4 + 2 * slots.len()).ok()?;
        Some(Self { slots, object, object_len: u16::try_from(object_len).ok()?, len })
    }

    /// In bytes.
    pub(super) fn len(&self) -> usize {
        self.len.into()
    }

    /// Its bytes, last byte first.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> + use<'s> {
        self.words().flat_map(u16::to_be_bytes)
    }

    /// Its words, last word first: the length comes last.
    fn words(&self) -> impl Iterator<Item = u16> + use<'s> {
        let Self { slots, object, object_len, len } = *self;
        slots.iter().rev().map(move |position| offset(object, *position)).chain([object_len, len])
    }

    /// Whether these bytes, last byte first, are its own. They are too short for a call.
    fn is(&self, bytes: &[u8]) -> bool {
        bytes.as_chunks().0.iter().zip(self.words()).all(|(held, word)| u16::from_be_bytes(*held) == word)
    }

    /// Its place among the recent ones.
    fn place(&self) -> usize {
        let first = u32::from(self.len) << 16 | u32::from(self.object_len);
        let mix = |mixed: u32, position: &u32| mixed.rotate_left(5) ^ u32::from(offset(self.object, *position));
        let mixed = self.slots.iter().fold(first, mix);
        (mixed.wrapping_mul(0x9e37_79b1) >> (u32::BITS - RECENT.ilog2())) as usize
    }
}

/// Of a field from the table's beginning, which is no further than the table is long.
#[allow(clippy::cast_possible_truncation, reason = "the object's length fits")]
fn offset(object: u32, position: u32) -> u16 {
    if position == 0 { 0 } else { (object - position) as u16 }
}

/// Positions of the vtables that are written. One is mostly found at once, and at worst in a time that grows as the logarithm of
/// their number.
pub(super) struct Vtables {
    /// The one that was last written or found, for each hash; 0 for none, since none ends there.
    recent: [u32; RECENT],
    /// Those that had to make room there, by their bytes, last byte first.
    displaced: BTreeMap<Vec<u8>, u32>,
}

impl Vtables {
    pub(super) fn new() -> Self {
        Self { recent: [0; RECENT], displaced: BTreeMap::new() }
    }

    /// Where an equal one ends in what is written.
    #[inline]
    pub(super) fn find(&mut self, vtable: &Vtable<'_>, written: &[u8]) -> Option<u32> {
        let held = self.recent[vtable.place()];
        let end = held as usize;
        match end.checked_sub(vtable.len()).and_then(|start| written.get(start..end)) {
            Some(bytes) if vtable.is(bytes) => Some(held),
            // Of those with its hash there is none yet.
            _ if held == 0 => None,
            _ => self.make_room(vtable, written),
        }
    }

    /// Takes the one that is in its place out of it, for itself if it is known.
    fn make_room(&mut self, vtable: &Vtable<'_>, written: &[u8]) -> Option<u32> {
        let place = vtable.place();
        let held = self.recent[place];
        let bytes = vtable_before(written, held as usize);
        if !self.displaced.contains_key(bytes) {
            self.displaced.insert(bytes.to_vec(), held);
        }
        let known = self.displaced.get(&vtable.bytes().collect::<Vec<u8>>()).copied();
        self.recent[place] = known.unwrap_or(held);
        known
    }

    /// Remembers one that was not found.
    pub(super) fn add(&mut self, vtable: &Vtable<'_>, position: u32) {
        self.recent[vtable.place()] = position;
    }
}

/// The bytes of the vtable that ends there, last byte first. Its length is its first word.
fn vtable_before(written: &[u8], end: usize) -> &[u8] {
    let [.., high, low] = written[..end] else { return &[] };
    &written[end - usize::from(u16::from_be_bytes([high, low]))..end]
}
