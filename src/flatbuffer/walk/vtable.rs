//! Vtables that have been checked, remembered: a file's many tables share few of them.

use core::fmt;

use crate::Span;

/// The most fields that a table here has.
pub(crate) const MAX_FIELDS: usize = 10;

/// A checked vtable: each field's offset in the object, 0 when absent.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    pub(super) offsets: [u16; MAX_FIELDS],
}

impl Fields {
    /// The offset of the field in `slot`.
    #[inline]
    pub(crate) fn offset(&self, slot: usize) -> u16 {
        self.offsets.get(slot).copied().unwrap_or(0)
    }
}

/// Where the known fields of a table are, as its vtable says.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub(super) fields: Fields,
    /// Where the last one ends, from the table's start.
    pub(super) end: u32,
    /// Where the first one begins.
    pub(super) first: u16,
    /// The offsets of those of four bytes and more, joined bit by bit: a multiple of four if each of them is one.
    pub(super) joined: u16,
}

impl Extent {
    pub(crate) const NONE: Extent =
        Extent { fields: Fields { offsets: [0; MAX_FIELDS] }, end: 4, first: u16::MAX, joined: 0 };

    /// Adds the field in `slot`, of `width` bytes, if the vtable's entries have it.
    #[inline]
    pub(crate) fn add(&mut self, entries: &[[u8; 2]], slot: usize, width: usize) {
        let Some(entry) = entries.get(slot) else { return };
        let offset = u16::from_le_bytes(*entry);
        if offset == 0 {
            return;
        }
        self.fields.offsets[slot] = offset;
        self.end = self.end.max(u32::from(offset) + narrow(width));
        self.first = self.first.min(offset);
        if width >= 4 {
            self.joined |= offset;
        }
    }
}

/// A vtable that has been checked for one type of table: 32 bytes, so that keeping and copying it is cheap.
#[derive(Clone, Copy)]
pub(super) struct Memo {
    /// Position of the vtable, which is below 2^31.
    pub(super) vtable: u32,
    /// Where the last known field ends, from the table's start.
    pub(super) end: u32,
    pub(super) slots: u16,
    /// The type of table; 0 in an empty entry, since no type has it.
    pub(super) id: u8,
    /// Some field is outside the object, or not at a multiple of four and four bytes or longer: each table is told of.
    pub(super) odd: bool,
    pub(super) fields: Fields,
}

pub(super) const EMPTY: Memo = Memo { vtable: 0, end: 0, slots: 0, id: 0, odd: false, fields: Extent::NONE.fields };

impl Memo {
    /// The place of a slot's entry in the vtable.
    pub(super) fn entry(&self, slot: usize) -> Span {
        Span::of(self.vtable as usize + 4 + 2 * slot, 2)
    }

    #[inline]
    fn is(&self, vtable: u32, id: u8) -> bool {
        self.vtable == vtable && self.id == id
    }
}

/// Sets of remembered vtables, and vtables in each: a type of table has its set by its id, known when this is compiled.
const SETS: usize = 16;
const WAYS: usize = 4;

/// The last few vtables of each set. A file has few vtables, and a miss only costs the check again: no answer depends on it.
#[derive(Clone, Copy)]
pub(super) struct Memos([[Memo; WAYS]; SETS]);

impl Memos {
    pub(super) const NONE: Memos = Memos([[EMPTY; WAYS]; SETS]);

    /// What is remembered of the vtable at this position for this type of table.
    #[inline]
    pub(super) fn find(&self, vtable: u32, id: u8) -> Option<Memo> {
        self.0[usize::from(id) % SETS].iter().find(|memo| memo.is(vtable, id)).copied()
    }

    /// Remembers a vtable, and when its set is full forgets another.
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

/// A position in 32 bits: a buffer here is shorter than 2^31 bytes.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "it is below 2^31")]
pub(super) const fn narrow(position: usize) -> u32 {
    position as u32
}
