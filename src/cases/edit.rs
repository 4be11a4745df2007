//! Placing a defect: a base case's bytes, changed at named parts, with every change recorded.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::Span;
use crate::annotate::{ByteMap, What};
use crate::corpus;

/// The bytes of a base case on their way to a case of their own.
///
/// Parts are named by field path, as findings name them, and looked up in the bytes as they are at that moment. A part that is
/// not there is remembered as an error, and building the case fails with it.
#[derive(Debug)]
pub struct Edit {
    bytes: Vec<u8>,
    edits: Vec<corpus::Edit>,
    at: Option<Span>,
    path: Option<String>,
    error: Option<String>,
}

/// What an edit has come to.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) bytes: Vec<u8>,
    pub(super) edits: Vec<corpus::Edit>,
    /// Where the first change was made.
    pub(super) at: Option<Span>,
    /// The field that it was made in.
    pub(super) path: Option<String>,
}

impl Edit {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        Self { bytes, edits: Vec::new(), at: None, path: None, error: None }
    }

    pub(super) fn finish(self) -> Result<Edited, String> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(Edited { bytes: self.bytes, edits: self.edits, at: self.at, path: self.path }),
        }
    }

    /// The file's length so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing is left of the file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The `u64` at `at`, as a position; 0 past the end.
    #[must_use]
    pub fn u64_at(&self, at: usize) -> usize {
        crate::flatbuffer::u64_at(&self.bytes, at).and_then(|value| usize::try_from(value).ok()).unwrap_or(0)
    }

    /// Where a part begins.
    pub fn at(&mut self, path: &str, what: What) -> usize {
        usize::try_from(self.place(path, what).offset).unwrap_or(usize::MAX)
    }

    fn place(&mut self, path: &str, what: What) -> Span {
        let map = ByteMap::of(&self.bytes);
        let found = match what {
            What::Table(_) => map.table(path),
            _ => map.find(path, what),
        };
        match found {
            Some(entry) => entry.span,
            None => {
                self.error.get_or_insert_with(|| format!("there is no {what} at `{path}`"));
                Span::new(0, 0)
            }
        }
    }

    fn start(&mut self, path: &str, what: What) -> usize {
        self.path.get_or_insert_with(|| path.to_string());
        self.at(path, what)
    }

    /// Replaces `len` bytes at `at` by `now`.
    pub fn splice(&mut self, at: usize, len: usize, now: &[u8]) {
        let Some(was) = self.bytes.get(at..).and_then(|rest| rest.get(..len)) else {
            self.error.get_or_insert_with(|| format!("{len} bytes at {at} are not inside the file"));
            return;
        };
        self.edits.push(corpus::Edit { at: at as u64, was: hex(was), now: hex(now) });
        self.at.get_or_insert(Span::of(at, now.len()));
        self.bytes.splice(at..at + len, now.iter().copied());
    }

    /// Overwrites bytes at `at`.
    pub fn put(&mut self, at: usize, now: &[u8]) {
        self.splice(at, now.len(), now);
    }

    /// Puts bytes in before the one at `at`.
    pub fn insert(&mut self, at: usize, now: &[u8]) {
        self.splice(at, 0, now);
    }

    /// Ends the file at `len`.
    pub fn truncate(&mut self, len: usize) {
        self.splice(len, self.bytes.len().saturating_sub(len), &[]);
    }

    /// Adds bytes at the end.
    pub fn append(&mut self, now: &[u8]) {
        self.insert(self.bytes.len(), now);
    }

    /// Sets a field of the header, as many bytes of it as `value` has.
    pub fn header(&mut self, field: &str, value: impl LittleEndian) {
        let at = self.start(&format!("header.{field}"), What::Header);
        self.put(at, value.bytes().as_ref());
    }

    /// Sets an inline number, bool, enum value or union tag.
    pub fn scalar(&mut self, path: &str, value: impl LittleEndian) {
        let at = self.start(path, What::Scalar);
        self.put(at, value.bytes().as_ref());
    }

    /// Sets a reference's raw value.
    pub fn reference(&mut self, path: &str, value: u32) {
        let at = self.start(path, What::Reference);
        self.put(at, &value.to_le_bytes());
    }

    /// Sets the root offset.
    pub fn root(&mut self, target: usize) {
        match u32::try_from(target) {
            Ok(target) => self.put(0, &target.to_le_bytes()),
            Err(_) => {
                self.error.get_or_insert_with(|| format!("{target} is no root offset"));
            }
        }
    }

    /// Makes a reference lead to `target`, which must be behind it.
    pub fn point(&mut self, path: &str, target: usize) {
        let at = self.start(path, What::Reference);
        match target.checked_sub(at).and_then(|distance| u32::try_from(distance).ok()) {
            Some(distance) => self.put(at, &distance.to_le_bytes()),
            None => {
                self.error.get_or_insert_with(|| format!("`{path}` at {at} cannot lead to {target}"));
            }
        }
    }

    /// Sets the count of a vector or string.
    pub fn count(&mut self, path: &str, value: u32) {
        let at = self.start(path, What::Count);
        self.put(at, &value.to_le_bytes());
    }

    /// Overwrites a vector's elements or a string's bytes, from byte `skip` of them on.
    pub fn elements(&mut self, path: &str, skip: usize, now: &[u8]) {
        let at = self.start(path, What::Elements);
        self.put(at.saturating_add(skip), now);
    }

    /// Overwrites the zero byte behind a string.
    pub fn terminator(&mut self, path: &str, now: u8) {
        let at = self.start(path, What::Terminator);
        self.put(at, &[now]);
    }

    /// Sets a table's first word, its distance back to its vtable.
    pub fn table(&mut self, path: &str, back: i32) {
        let at = self.start(path, What::Table(""));
        self.put(at, &back.to_le_bytes());
    }

    /// Moves where a table looks for its vtable, by this many bytes.
    pub fn shift_vtable(&mut self, path: &str, by: i32) {
        let at = self.start(path, What::Table(""));
        let back = crate::flatbuffer::i32_at(&self.bytes, at).unwrap_or(0);
        self.put(at, &back.wrapping_sub(by).to_le_bytes());
    }

    /// Where the vtable of the table at `path` is.
    fn vtable(&mut self, path: &str) -> usize {
        let at = self.start(path, What::Table(""));
        let back = crate::flatbuffer::i32_at(&self.bytes, at).unwrap_or(0);
        usize::try_from(at as i64 - i64::from(back)).unwrap_or(usize::MAX)
    }

    /// Sets a vtable's length.
    pub fn vtable_len(&mut self, path: &str, len: u16) {
        let at = self.vtable(path);
        self.put(at, &len.to_le_bytes());
    }

    /// Sets the object length in a vtable.
    pub fn object_len(&mut self, path: &str, len: u16) {
        let at = self.vtable(path);
        self.put(at.saturating_add(2), &len.to_le_bytes());
    }

    /// Gives the root table a vtable with one slot more than the schema has, as a newer writer would.
    pub(super) fn grow_root_vtable(&mut self, schema_slots: usize) {
        let old = self.vtable("");
        let len = self.grow_vtable("", schema_slots);
        self.put(old, &alloc::vec![0; len]);
    }

    /// Gives any table such a vtable, of its own; returns the old one's length.
    pub(super) fn grow_vtable(&mut self, path: &str, schema_slots: usize) -> usize {
        self.new_vtable(path, |vtable| {
            vtable.resize(4 + 2 * schema_slots, 0);
            // The new field shares bytes with another: nobody who ignores it can tell.
            vtable.extend(4_u16.to_le_bytes());
        })
    }

    /// Sets a slot of a table's vtable, in a vtable of the table's own, so that no other table is changed with it.
    pub fn own_slot(&mut self, path: &str, slot: usize, offset: u16) {
        self.new_vtable(path, |vtable| {
            if let Some(entry) = vtable.get_mut(4 + 2 * slot..6 + 2 * slot) {
                entry.copy_from_slice(&offset.to_le_bytes());
            }
        });
    }

    /// Moves an inline field by half its width, where it is not aligned, in a vtable of the table's own; the object grows
    /// around it as needed. The field is named by where it is and what it is.
    pub(super) fn misalign(&mut self, path: &str, field: &str, what: What) {
        let table = self.start(path, What::Table(""));
        let dot = if path.is_empty() { "" } else { "." };
        let place = self.place(&format!("{path}{dot}{field}"), what);
        let half = u16::try_from(place.len / 2).unwrap_or(0);
        let offset = u16::try_from(place.offset.saturating_sub(table as u64)).unwrap_or(0);
        let moved = if offset < 4 + half { offset + half } else { offset - half };
        self.new_vtable(path, |vtable| {
            let (lengths, slots) = vtable.split_at_mut(4);
            let object = u16::from_le_bytes([lengths[2], lengths[3]]).max(moved + 2 * half);
            lengths[2..].copy_from_slice(&object.to_le_bytes());
            for slot in slots.chunks_exact_mut(2).filter(|slot| **slot == offset.to_le_bytes()) {
                slot.copy_from_slice(&moved.to_le_bytes());
            }
        });
    }

    /// Makes byte 12, where the header has its length, the root table: its first word leads to the vtable that it has, and
    /// its fields stay where they are.
    pub(super) fn root_into_header(&mut self) {
        const PLACE: usize = 12;
        let (root, vtable) = (self.start("", What::Table("")), self.vtable(""));
        let word = |bytes: &[u8], at| crate::flatbuffer::u16_at(bytes, at).unwrap_or(0);
        let farther = u16::try_from(root.saturating_sub(PLACE)).unwrap_or(0);
        // Behind the vtable's own length stand the object's, and the fields' offsets.
        for at in (vtable + 2..vtable + usize::from(word(&self.bytes, vtable))).step_by(2) {
            let now = match word(&self.bytes, at) {
                0 => continue,
                offset => offset.wrapping_add(farther),
            };
            self.put(at, &now.to_le_bytes());
        }
        let back = i32::try_from(PLACE as i64 - vtable as i64).unwrap_or(i32::MIN);
        self.put(PLACE, &back.to_le_bytes());
        self.root(PLACE);
    }

    /// Gives a table a changed copy of its vtable; returns the old one's length.
    ///
    /// The copy goes into the padding between the FlatBuffer and the segments, which moves nothing else; the header's size of
    /// the FlatBuffer grows by it. In a bundled program, which is a FlatBuffer and nothing else, it goes to the end.
    fn new_vtable(&mut self, path: &str, change: impl FnOnce(&mut Vec<u8>)) -> usize {
        let old = self.vtable(path);
        let table = self.start(path, What::Table(""));
        let old_len = usize::from(crate::flatbuffer::u16_at(&self.bytes, old).unwrap_or(0));
        let mut vtable = self.bytes.get(old..).and_then(|rest| rest.get(..old_len)).unwrap_or(&[0; 4]).to_vec();
        change(&mut vtable);
        let len = u16::try_from(vtable.len()).unwrap_or(u16::MAX);
        vtable[..2].copy_from_slice(&len.to_le_bytes());
        vtable.resize(vtable.len().next_multiple_of(8), 0);
        let identifier = crate::flatbuffer::identifier(&self.bytes);
        if identifier == Some(crate::bundled::IDENTIFIER) {
            let end = self.bytes.len().next_multiple_of(2);
            vtable.splice(..0, core::iter::repeat_n(0, end - self.bytes.len()));
            let back = i32::try_from(table as i64 - end as i64).unwrap_or(i32::MIN);
            self.put(table, &back.to_le_bytes());
            self.append(&vtable);
            return old_len;
        }
        let program = identifier == Some(crate::pte::IDENTIFIER);
        let (size_at, inserted) = if program { (16, 0) } else { (24, self.u64_at(16)) };
        let end = self.u64_at(size_at) + inserted;
        let back = i32::try_from(table as i64 - end as i64).unwrap_or(i32::MIN);
        self.put(table, &back.to_le_bytes());
        if self
            .bytes
            .get(end..)
            .and_then(|rest| rest.get(..vtable.len()))
            .is_none_or(|room| room.iter().any(|byte| *byte != 0))
        {
            self.error
                .get_or_insert_with(|| format!("there is no room for a vtable of {} bytes at {end}", vtable.len()));
        }
        self.put(end, &vtable);
        let size = (end - inserted + vtable.len()) as u64;
        self.put(size_at, &size.to_le_bytes());
        old_len
    }

    /// Sets a slot of a vtable: the field's offset in the object, 0 to make it absent.
    ///
    /// Every table that shares the vtable is changed with it.
    pub fn slot(&mut self, path: &str, slot: usize, offset: u16) {
        let at = self.vtable(path);
        self.put(at.saturating_add(4 + 2 * slot), &offset.to_le_bytes());
    }
}

/// Numbers as the files hold them.
pub trait LittleEndian {
    /// The bytes, least significant first.
    fn bytes(self) -> impl AsRef<[u8]>;
}

macro_rules! little_endian {
    ($($type:ty),*) => {$(
        impl LittleEndian for $type {
            fn bytes(self) -> impl AsRef<[u8]> {
                self.to_le_bytes()
            }
        }
    )*};
}
little_endian!(u8, i8, u16, i16, u32, i32, u64, i64);

impl<const N: usize> LittleEndian for &[u8; N] {
    fn bytes(self) -> impl AsRef<[u8]> {
        *self
    }
}

/// Lower-case hex.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
