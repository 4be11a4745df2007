//! The written vtables. Tables with equal vtables share one copy.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

const RECENT: usize = 256;

#[derive(Clone, Copy)]
pub(super) struct Vtable<'s> {
    /// For each slot, the distance from the field's start to the table's end, or 0 if the field is absent.
    slots: &'s [u16],
    object_len: u16,
    len: u16,
    hash: u32,
}

impl<'s> Vtable<'s> {
    /// Creates the vtable for a table of `object_len` bytes. Returns `None` if the table or the vtable is too large.
    /// `hash` is the [mix](Self::mix) of the present fields, in slot order, so equal vtables have equal hashes.
    pub(super) fn new(slots: &'s [u16], object_len: usize, hash: u32) -> Option<Self> {
        let len = u16::try_from(4 + 2 * slots.len()).ok()?;
        Some(Self { slots, object_len: u16::try_from(object_len).ok()?, len, hash })
    }

    pub(super) fn len(&self) -> usize {
        self.len.into()
    }

    /// Adds a field to a vtable's hash. `hash` covers the fields before it.
    #[inline]
    pub(super) fn mix(hash: u32, slot: u16, begin: u16) -> u32 {
        hash.rotate_left(5) ^ (u32::from(slot) << 16 | u32::from(begin))
    }

    /// The bytes of the vtable, last byte first.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> + use<'s> {
        // A vtable begins with its length, so the reversed bytes end with the length.
        self.offsets().chain([self.object_len, self.len]).flat_map(u16::to_be_bytes)
    }

    /// The offsets of the fields from the table's start, last field first.
    #[inline]
    fn offsets(&self) -> impl Iterator<Item = u16> + use<'s> {
        let Self { slots, object_len, .. } = *self;
        slots.iter().rev().map(move |begin| if *begin == 0 { 0 } else { object_len - begin })
    }

    /// Returns whether `written` contains an equal vtable that ends at `end`. A loop is faster than calling a
    /// comparison function.
    #[inline]
    fn ends_at(&self, end: usize, written: &[u8]) -> bool {
        let written = end.checked_sub(self.len()).and_then(|start| written.get(start..end));
        let Some((offsets, lengths)) = written.and_then(<[u8]>::split_last_chunk) else { return false };
        let is_same = |(bytes, offset): (&[u8; 2], u16)| u16::from_be_bytes(*bytes) == offset;
        u32::from_be_bytes(*lengths) == u32::from(self.object_len) << 16 | u32::from(self.len)
            && offsets.as_chunks().0.iter().zip(self.offsets()).all(is_same)
    }

    #[inline]
    fn place(&self) -> usize {
        let mixed = self.hash ^ u32::from(self.object_len);
        (mixed.wrapping_mul(0x9e37_79b1) >> (u32::BITS - RECENT.ilog2())) as usize
    }
}

/// Where the written vtables are. Most lookups need one comparison, and the slowest take logarithmic time.
pub(super) struct Vtables {
    /// For each index that [`Vtable::place`] can return, the position of the vtable that was last written or found. 0
    /// means that there is none, because no vtable ends there.
    recent: [u32; RECENT],
    /// The positions of vtables displaced from `recent`. The keys are the bytes of the vtables, last byte first.
    displaced: BTreeMap<Vec<u8>, u32>,
}

impl Vtables {
    pub(super) fn new() -> Self {
        Self { recent: [0; RECENT], displaced: BTreeMap::new() }
    }

    /// Returns where in `written` an equal vtable ends, or `None` if none is known.
    #[inline]
    pub(super) fn find(&mut self, vtable: &Vtable<'_>, written: &[u8]) -> Option<u32> {
        match self.recent[vtable.place()] {
            // The entry is empty, because no vtable with this index has been written yet.
            0 => None,
            recent if vtable.ends_at(recent as usize, written) => Some(recent),
            _ => self.make_room(vtable, written),
        }
    }

    /// Makes room for a vtable in `recent` by moving the entry at its index to `displaced`. If `displaced` already has
    /// an equal vtable, moves that one back to `recent` and returns its position.
    fn make_room(&mut self, vtable: &Vtable<'_>, written: &[u8]) -> Option<u32> {
        let place = vtable.place();
        let recent = self.recent[place];
        let bytes = vtable_before(written, recent as usize);
        if !self.displaced.contains_key(bytes) {
            self.displaced.insert(bytes.to_vec(), recent);
        }
        let known = self.displaced.get(&vtable.bytes().collect::<Vec<u8>>()).copied();
        self.recent[place] = known.unwrap_or(recent);
        known
    }

    pub(super) fn add(&mut self, vtable: &Vtable<'_>, position: u32) {
        self.recent[vtable.place()] = position;
    }
}

/// Returns the bytes of the vtable that ends at `end`, last byte first. The last two bytes are its length.
fn vtable_before(written: &[u8], end: usize) -> &[u8] {
    let [.., high, low] = written[..end] else { return &[] };
    &written[end - usize::from(u16::from_be_bytes([high, low]))..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vtable_rejects_lengths_above_16_bits() {
        let slots = [0; 32766];
        assert!(Vtable::new(&slots[..1], 65535, 0).is_some() && Vtable::new(&slots[..1], 65536, 0).is_none());
        assert!(Vtable::new(&slots[..32765], 4, 0).is_some() && Vtable::new(&slots, 4, 0).is_none());
    }

    #[test]
    fn ends_at_compares_lengths_and_all_offsets() {
        let of = |slots: &'static [u16], object_len| {
            Vtable::new(slots, object_len, 0).map(|vtable| vtable.bytes().collect::<Vec<u8>>())
        };
        // The reversed bytes are the field offsets 12, 0 (absent) and 4, the object length 16, and the vtable length
        // 10.
        let own = of(&[12, 0, 4], 16);
        assert_eq!(own.as_deref(), Some(&[0, 12, 0, 0, 0, 4, 0, 16, 0, 10][..]));
        let Some(vtable) = Vtable::new(&[12, 0, 4], 16, 0) else { return };
        let others: [&[u16]; 5] = [&[12, 0, 5], &[12, 1, 4], &[11, 0, 4], &[12, 0], &[12, 0, 4, 2]];
        for other in others.into_iter().filter_map(|slots| of(slots, 16)).chain(of(&[8, 0, 0], 12)) {
            let written = [&[0; 20][..], &other].concat();
            assert!(!vtable.ends_at(written.len(), &written), "{other:?}");
        }
        let written = [&[0; 20][..], own.as_deref().unwrap_or_default(), &[0; 20]].concat();
        let ends: Vec<usize> = (0..=written.len() + 1).filter(|end| vtable.ends_at(*end, &written)).collect();
        assert_eq!(ends, [30]);
    }
}
