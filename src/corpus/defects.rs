//! Table edits shared by cases on several topics.

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

    /// Points the offset at `path` to `skip` bytes after the start of the vector or string at `to`.
    pub(super) fn lead(&mut self, path: &str, to: &str, skip: usize) {
        let target = self.at(to, PartKind::Count) + skip;
        self.point(path, target);
    }

    /// Moves a vector's count by 4 bytes, over the first elements, and sets it.
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

    /// Replaces a vector of 8-byte elements with a copy that is aligned to 4 bytes.
    pub(super) fn misalign_elements(&mut self, path: &str) {
        let (count, elements) = (self.span(path, PartKind::Count), self.span(path, PartKind::Elements));
        let whole = Span::new(count.offset, elements.end() - count.offset);
        let copy = whole.slice(self.bytes()).unwrap_or_default().to_vec();
        self.point(path, self.appendix(8));
        self.append_to_flatbuffer(&copy, 8);
    }

    /// Adds a slot after those of the schema, as newer writers do.
    pub(super) fn grow_root_vtable(&mut self, schema_slots: usize) {
        let old = self.vtable("");
        let len = self.grow_vtable("", schema_slots);
        self.put(old, &alloc::vec![0; len]);
    }

    /// Adds a slot to the table's own copy of its vtable, and returns the vtable's old length.
    pub(super) fn grow_vtable(&mut self, path: &str, schema_slots: usize) -> usize {
        self.change_vtable(path, |vtable| {
            vtable.resize(4 + 2 * schema_slots, 0);
            // The new slot points to an existing field's bytes, which does not affect readers that ignore unknown
            // fields.
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

/// Moves the root table to the header's length field. Its first word points to the old vtable, and its fields stay.
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
