//! A cache of checked vtables. It pays off because the many tables of a file share a few vtables.

use core::fmt;

use crate::Span;
use crate::flatbuffer::schema::MAX_FIELDS;

/// The offset of each field in the object, from a checked vtable; 0 if the field is absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) offsets: [u16; MAX_FIELDS],
}

impl Fields {
    pub(crate) const NONE: Fields = Fields { offsets: [0; MAX_FIELDS] };

    #[inline]
    pub(crate) fn offset(&self, slot: usize) -> u16 {
        self.offsets.get(slot).copied().unwrap_or(0)
    }

    pub(super) fn clear(&mut self, slot: usize) {
        if let Some(offset) = self.offsets.get_mut(slot) {
            *offset = 0;
        }
    }
}

/// How far a table's known fields extend, according to its vtable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) fields: Fields,
    /// The end of the last field, relative to the start of the table.
    pub(super) end: u32,
    /// The start of the first field, relative to the start of the table.
    pub(super) first: u16,
    /// The bitwise OR of the offsets of all fields with 4 or more bytes. It is a multiple of 4 if and only if every
    /// such offset is.
    pub(super) joined: u16,
}

impl Extent {
    pub(super) const NONE: Extent = Extent { fields: Fields::NONE, end: 4, first: u16::MAX, joined: 0 };

    /// Computes the extent from a vtable's entries and the widths of the table type's fields.
    pub(super) fn of(entries: &[[u8; 2]], widths: &[u8; MAX_FIELDS]) -> Self {
        let mut extent = Self::NONE;
        for ((entry, width), field) in entries.iter().zip(widths).zip(&mut extent.fields.offsets) {
            let offset = u16::from_le_bytes(*entry);
            if offset == 0 || *width == 0 {
                continue;
            }
            *field = offset;
            extent.end = extent.end.max(u32::from(offset) + u32::from(*width));
            extent.first = extent.first.min(offset);
            if *width >= 4 {
                extent.joined |= offset;
            }
        }
        extent
    }
}

/// A vtable that was checked for one table type. A `Memo` has 32 bytes, so copies are cheap.
#[derive(Clone, Copy)]
pub(super) struct Memo {
    /// The vtable's position, which is below 2^31.
    pub(super) vtable: u32,
    /// The end of the last known field, relative to the start of the table.
    pub(super) end: u32,
    pub(super) slots: u16,
    /// The table type's id, or 0 in an empty entry.
    pub(super) id: u8,
    /// `true` if a field is outside the object, or a field of 4 or more bytes is misaligned. This is reported for each
    /// table with this vtable.
    pub(super) odd: bool,
    pub(super) fields: Fields,
}

pub(super) const EMPTY: Memo = Memo { vtable: 0, end: 0, slots: 0, id: 0, odd: false, fields: Extent::NONE.fields };

impl Memo {
    pub(super) fn entry(&self, slot: usize) -> Span {
        Span::of(self.vtable as usize + 4 + 2 * slot, 2)
    }

    #[inline]
    fn is(&self, vtable: u32, id: u8) -> bool {
        self.vtable == vtable && self.id == id
    }
}

/// The number of sets in the cache, and of vtables in a set. The table type's id selects the set.
const SETS: usize = if cfg!(target_os = "none") { 4 } else { 16 };
const WAYS: usize = if cfg!(target_os = "none") { 2 } else { 4 };

/// The cache: the last few vtables of each set. Other vtables are checked again, so results do not depend on the cache.
#[derive(Clone, Copy)]
pub(super) struct Memos([[Memo; WAYS]; SETS]);

impl Memos {
    pub(super) const NONE: Memos = Memos([[EMPTY; WAYS]; SETS]);

    /// Returns the cached result of checking a vtable for a table type, if there is one.
    #[inline]
    pub(super) fn find(&self, vtable: u32, id: u8) -> Option<&Memo> {
        self.0[usize::from(id) % SETS].iter().find(|memo| memo.is(vtable, id))
    }

    /// Adds a vtable. If the set is full, evicts another vtable.
    pub(super) fn keep(&mut self, memo: Memo) {
        let set = &mut self.0[usize::from(memo.id) % SETS];
        let free = set.iter().position(|memo| memo.id == EMPTY.id);
        set[free.unwrap_or(memo.vtable as usize / 2 % WAYS)] = memo;
    }
}

impl fmt::Debug for Memos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.0.iter().flatten().filter(|memo| memo.id != EMPTY.id);
        f.debug_list().entries(known.map(|memo| (memo.id, memo.vtable))).finish()
    }
}

/// Converts a position to 32 bits. It always fits, because a verified buffer is shorter than 2^31 bytes.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "it is below 2^31")]
pub(super) const fn to_u32(position: usize) -> u32 {
    position as u32
}
