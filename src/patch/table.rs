//! Changes tables and vtables by position, or appends bytes to the FlatBuffer.

use alloc::vec::Vec;

use super::Patcher;
use crate::flatbuffer::{i32_at, identifier, u16_at};
use crate::{ptd, pte};

/// Where the FlatBuffer ends, and the header fields that say so.
#[derive(Clone, Copy, Debug)]
struct Region {
    /// The header field with the FlatBuffer's size, or `None` if there is no header.
    size_at: Option<usize>,
    /// The header field with the segment base.
    base_at: usize,
    /// The number of bytes at the start of the file that the header does not count as part of the FlatBuffer.
    before: usize,
    end: usize,
}

impl Patcher<'_> {
    fn region(&self) -> Region {
        let bytes = self.bytes();
        let whole = Region { size_at: None, base_at: 0, before: 0, end: bytes.len() };
        match identifier(bytes) {
            Some(pte::IDENTIFIER) if matches!(pte::ExtendedHeader::find(bytes), Ok(Some(_))) => {
                Region { size_at: Some(16), base_at: 24, before: 0, end: self.u64_at(16) }
            }
            Some(id) if id == ptd::IDENTIFIER => {
                let before = self.u64_at(16);
                Region { size_at: Some(24), base_at: 32, before, end: before.saturating_add(self.u64_at(24)) }
            }
            _ => whole,
        }
    }

    /// Where [`append_to_flatbuffer`](Self::append_to_flatbuffer) would write.
    pub(crate) fn appendix(&self, align: usize) -> usize {
        self.region().end.saturating_add(align - 1) / align * align
    }

    /// Updates the header. The bytes replace the padding before the segments. If it is too short, the segments move.
    pub(crate) fn append_to_flatbuffer(&mut self, new: &[u8], align: usize) {
        let Region { size_at, base_at, before, end } = self.region();
        let at = self.appendix(align);
        if end > self.len() {
            return self.fail(|| alloc::format!("the FlatBuffer ends at {end}, past the end of the file"));
        }
        let mut inserted = alloc::vec![0; at - end];
        inserted.extend_from_slice(new);
        let Some(size_at) = size_at else { return self.insert(end, &inserted) };
        let size = ((at + new.len()).saturating_sub(before) as u64).to_le_bytes();
        let base = self.u64_at(base_at);
        let room = self.bytes().get(at..at + new.len()).is_some_and(|room| room.iter().all(|byte| *byte == 0));
        if room && (base == 0 || at + new.len() <= base) {
            self.put(at, new);
            return self.put(size_at, &size);
        }
        // Round up the number of inserted bytes so that the segments stay aligned.
        let unit = (1_usize << base.trailing_zeros().min(12)).max(16);
        inserted.resize(inserted.len().next_multiple_of(unit), 0);
        let Some(moved) = base.checked_add(inserted.len()) else {
            return self.fail(|| alloc::format!("segments at {base} cannot move"));
        };
        self.put(size_at, &size);
        if base > 0 {
            self.put(base_at, &(moved as u64).to_le_bytes());
        }
        self.insert(end, &inserted);
    }

    pub(crate) fn vtable_of(&self, table: usize) -> usize {
        let back = i32_at(self.bytes(), table).unwrap_or(0);
        usize::try_from(table as i64 - i64::from(back)).unwrap_or(usize::MAX)
    }

    /// Returns two zero lengths if the vtable is outside the file.
    pub(crate) fn vtable_bytes(&self, table: usize) -> Vec<u8> {
        let at = self.vtable_of(table);
        let len = usize::from(u16_at(self.bytes(), at).unwrap_or(0));
        let vtable = self.bytes().get(at..).and_then(|rest| rest.get(..len)).filter(|vtable| vtable.len() >= 4);
        vtable.unwrap_or(&[0; 4]).to_vec()
    }

    /// Replaces a table's vtable with a changed copy, and returns the length of the old vtable.
    pub(crate) fn change_vtable_of(&mut self, table: usize, change: impl FnOnce(&mut Vec<u8>)) -> usize {
        let mut vtable = self.vtable_bytes(table);
        let old_len = vtable.len();
        change(&mut vtable);
        let len = u16::try_from(vtable.len()).unwrap_or(u16::MAX);
        vtable[..2].copy_from_slice(&len.to_le_bytes());
        vtable.resize(vtable.len().next_multiple_of(8), 0);
        self.lead_to_vtable(table, self.appendix(2));
        self.append_to_flatbuffer(&vtable, 2);
        old_len
    }

    pub(crate) fn own_slot_at(&mut self, table: usize, slot: usize, offset: u16) {
        self.change_vtable_of(table, |vtable| {
            if let Some(entry) = vtable.get_mut(4 + 2 * slot..6 + 2 * slot) {
                entry.copy_from_slice(&offset.to_le_bytes());
            }
        });
    }

    pub(crate) fn lead_to_vtable(&mut self, table: usize, vtable: usize) {
        match i32::try_from(table as i64 - vtable as i64) {
            Ok(back) => self.put(table, &back.to_le_bytes()),
            Err(_) => self.fail(|| alloc::format!("the table at {table} cannot point to a vtable at {vtable}")),
        }
    }

    /// Adds fields, each given as a slot and eight bytes, and gives the table a new vtable of its own. If `object` is
    /// not empty, appends it and makes the first field an offset to it. Returns the position of the first new field.
    pub(crate) fn add_fields(&mut self, table: usize, fields: &[(u16, [u8; 8])], object: &[u8]) -> usize {
        const ALIGN: usize = 16;
        let at = self.appendix(ALIGN);
        let mut vtable = self.vtable_bytes(table);
        // The values of the fields come first, because a 16-bit vtable entry can refer only to something near the
        // table. The vtable may be at any distance.
        let mut new = Vec::new();
        for (slot, value) in fields {
            let entry = 4 + 2 * usize::from(*slot);
            vtable.resize(vtable.len().max(entry + 2), 0);
            // According to a broken header, the FlatBuffer may end before the table.
            let offset = at.saturating_add(new.len()).checked_sub(table);
            let Some(offset) = offset.and_then(|offset| u16::try_from(offset).ok()) else {
                self.fail(|| alloc::format!("the table at {table} cannot have a field at {at}"));
                return at;
            };
            vtable[entry..entry + 2].copy_from_slice(&offset.to_le_bytes());
            new.extend_from_slice(value);
        }
        let len = u16::try_from(vtable.len()).unwrap_or(u16::MAX);
        vtable[..2].copy_from_slice(&len.to_le_bytes());
        self.lead_to_vtable(table, at + new.len());
        new.extend_from_slice(&vtable);
        if !object.is_empty() {
            new.resize(new.len().next_multiple_of(ALIGN), 0);
            let distance = u32::try_from(new.len()).unwrap_or(u32::MAX);
            new[..4].copy_from_slice(&distance.to_le_bytes());
            new.extend_from_slice(object);
        }
        self.append_to_flatbuffer(&new, ALIGN);
        at
    }
}
