//! Edits that cases on several topics share.

use crate::Span;
use crate::annotate::PartKind;
use crate::flatbuffer::u16_at;
use crate::patch::Patcher;

impl Patcher<'_> {
    /// Cuts a string to `len` bytes.
    pub(super) fn shorten(&mut self, path: &str, len: u32) {
        self.elements(path, len as usize, &[0]);
        self.count(path, len);
    }

    /// Makes the offset at `path` point `skip` bytes past the start of the vector or string at `to`.
    pub(super) fn lead(&mut self, path: &str, to: &str, skip: usize) {
        let target = self.at(to, PartKind::Count) + skip;
        self.point(path, target);
    }

    /// Moves a vector's count forward by 4 bytes, over the first elements, and sets it to `count`.
    pub(super) fn move_count(&mut self, path: &str, count: u32) {
        let start = self.at(path, PartKind::Count) + 4;
        self.point(path, start);
        self.put(start, &count.to_le_bytes());
    }

    /// Overwrites a segment's bytes from byte `skip` on.
    pub(super) fn put_segment(&mut self, index: usize, skip: usize, now: &[u8]) {
        let start = self.at(&alloc::format!("segments[{index}]"), PartKind::Segment);
        self.put(start + skip, now);
    }

    /// Replaces a vector of 8-byte elements with a copy that is aligned to only 4 bytes.
    pub(super) fn misalign_elements(&mut self, path: &str) {
        let (count, elements) = (self.span(path, PartKind::Count), self.span(path, PartKind::Elements));
        let whole = Span::new(count.offset, elements.end() - count.offset);
        let copy = whole.slice(self.bytes()).unwrap_or_default().to_vec();
        self.point(path, self.appendix(8));
        self.append_to_flatbuffer(&copy, 8);
    }

    /// Adds a slot to the root table's vtable after the schema's slots, as a newer writer would.
    pub(super) fn grow_root_vtable(&mut self, schema_slots: usize) {
        let old = self.vtable("");
        let len = self.grow_vtable("", schema_slots);
        self.put(old, &alloc::vec![0; len]);
    }

    /// Gives the table its own copy of its vtable with an extra slot, and returns the old vtable's length.
    pub(super) fn grow_vtable(&mut self, path: &str, schema_slots: usize) -> usize {
        self.change_vtable(path, |vtable| {
            vtable.resize(4 + 2 * schema_slots, 0);
            // The new slot can point to an existing field's bytes, because readers that ignore unknown fields never use
            // it.
            vtable.extend(4_u16.to_le_bytes());
        })
    }

    /// Moves an inline field by half its width. The table gets its own vtable and, if necessary, longer inline data.
    pub(super) fn misalign(&mut self, path: &str, field: &str, kind: PartKind) {
        let table = self.target(path, PartKind::Table);
        let dot = if path.is_empty() { "" } else { "." };
        let place = self.span(&alloc::format!("{path}{dot}{field}"), kind);
        let half = u16::try_from(place.len / 2).unwrap_or(0);
        let offset = u16::try_from(place.offset.saturating_sub(table as u64)).unwrap_or(0);
        let moved = if offset < 4 + half { offset + half } else { offset - half };
        self.change_vtable(path, |vtable| {
            let (lengths, slots) = vtable.split_at_mut(4);
            let object = u16::from_le_bytes([lengths[2], lengths[3]]).max(moved + 2 * half);
            lengths[2..].copy_from_slice(&object.to_le_bytes());
            for slot in slots.chunks_exact_mut(2).filter(|slot| **slot == offset.to_le_bytes()) {
                slot.copy_from_slice(&moved.to_le_bytes());
            }
        });
    }
}

/// Puts the file's size before the root offset.
pub(super) fn size_prefix(file: &mut Patcher<'_>) {
    let len = u32::try_from(file.len()).unwrap_or(0);
    file.insert(0, &len.to_le_bytes());
}

/// Moves the root table's start to the header's length field. The table keeps its vtable, and its fields stay in place.
pub(super) fn root_into_header(file: &mut Patcher<'_>) {
    const PLACE: usize = 12;
    let (root, vtable) = (file.target("", PartKind::Table), file.vtable(""));
    let word = |bytes: &[u8], at| u16_at(bytes, at).unwrap_or(0);
    let farther = u16::try_from(root.saturating_sub(PLACE)).unwrap_or(0);
    // A vtable contains its own length, then the length of the table's inline data, then the field offsets.
    for at in (vtable + 2..vtable + usize::from(word(file.bytes(), vtable))).step_by(2) {
        let now = match word(file.bytes(), at) {
            0 => continue,
            offset => offset.wrapping_add(farther),
        };
        file.put(at, &now.to_le_bytes());
    }
    file.lead_to_vtable(PLACE, vtable);
    file.root(PLACE);
}
