//! Vtables that have been checked, remembered: a file's many tables share few of them.

use core::fmt;

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

/// A vtable that has been checked for one type of table: 32 bytes, so that keeping and copying it is cheap.
#[derive(Clone, Copy)]
pub(super) struct Memo {
    /// Position of the vtable, which is below 2^31; `u32::MAX` in an empty entry.
    pub(super) vtable: u32,
    /// Where the last known field ends, from the table's start.
    pub(super) end: u32,
    pub(super) slots: u16,
    pub(super) id: u8,
    /// Every field of four bytes or more is at a multiple of four from the table's start.
    pub(super) aligned: bool,
    pub(super) fields: Fields,
}

/// Checked vtables kept at a time; a file's tables share few, and a miss only costs the check again.
pub(super) const MEMOS: usize = 32;

pub(super) const EMPTY: Memo =
    Memo { vtable: u32::MAX, end: 0, slots: 0, id: 0, aligned: true, fields: Fields { offsets: [0; MAX_FIELDS] } };

/// Where a vtable is kept: types are kept apart, because tables of different types may share one vtable.
#[inline]
pub(super) fn memo_slot(vtable: u32, id: u8) -> usize {
    const MULTIPLIER: u32 = 0x9e37_79b1;
    ((vtable ^ u32::from(id)).wrapping_mul(MULTIPLIER) >> 27) as usize % MEMOS
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memo({:#x})", self.vtable)
    }
}
