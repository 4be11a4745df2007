//! **Changes the bytes of a file** at a field path or a position, and records every change.
//!
//! Corpus cases and attacks use this module. A path has the same notation as in findings, and identifies a part of the
//! current bytes. [`Patcher::finish`] returns the first impossible change as an error.

mod table;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::Span;
use crate::annotate::{ByteMap, PartKind};
use crate::flatbuffer::{i32_at, u32_at, u64_at};

/// One change to a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The position of the change in the old file.
    pub at: u64,
    /// The old bytes.
    pub was: Vec<u8>,
    /// The new bytes, of any length.
    pub now: Vec<u8>,
}

impl Splice {
    /// Converts a span before this change to the span after it.
    pub(crate) fn moved(&self, span: Span) -> Span {
        span.spliced(self.at, self.was.len() as u64, self.now.len() as u64)
    }
}

/// A file that is being changed. The bytes are copied at the first change.
#[derive(Debug)]
pub(crate) struct Patcher<'b> {
    bytes: Cow<'b, [u8]>,
    splices: Vec<Splice>,
    /// The byte map of the current bytes.
    map: Option<ByteMap>,
    path: Option<String>,
    error: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct PatchedFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) splices: Vec<Splice>,
    /// The first change's path.
    pub(crate) path: Option<String>,
}

impl<'b> Patcher<'b> {
    pub(crate) fn new(bytes: impl Into<Cow<'b, [u8]>>) -> Self {
        Self { bytes: bytes.into(), splices: Vec::new(), map: None, path: None, error: None }
    }

    /// If a change was impossible, returns the first such change as an error.
    pub(crate) fn finish(self) -> Result<PatchedFile, String> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(PatchedFile { bytes: self.bytes.into_owned(), splices: self.splices, path: self.path }),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Returns whether all changes so far were possible.
    pub(crate) fn is_sound(&self) -> bool {
        self.error.is_none()
    }

    fn fail(&mut self, message: impl FnOnce() -> String) {
        self.error.get_or_insert_with(message);
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns 0 if the number does not fit in the file or in a `usize`.
    pub(crate) fn u64_at(&self, at: usize) -> usize {
        u64_at(&self.bytes, at).and_then(|value| usize::try_from(value).ok()).unwrap_or(0)
    }

    /// Returns 0 if the number does not fit in the file.
    pub(crate) fn u32_at(&self, at: usize) -> usize {
        u32_at(&self.bytes, at).map_or(0, |value| value as usize)
    }

    pub(crate) fn splice(&mut self, at: usize, len: usize, now: &[u8]) {
        let Some(was) = self.bytes.get(at..).and_then(|rest| rest.get(..len)) else {
            return self.fail(|| format!("{len} bytes at {at} are not inside the file"));
        };
        self.splices.push(Splice { at: at as u64, was: was.to_vec(), now: now.to_vec() });
        self.map = None;
        let bytes = self.bytes.to_mut();
        if len == now.len() {
            bytes[at..at + len].copy_from_slice(now);
        } else {
            bytes.splice(at..at + len, now.iter().copied());
        }
    }

    pub(crate) fn put(&mut self, at: usize, now: &[u8]) {
        self.splice(at, now.len(), now);
    }

    pub(crate) fn insert(&mut self, at: usize, now: &[u8]) {
        self.splice(at, 0, now);
    }

    pub(crate) fn remove(&mut self, at: usize, len: usize) {
        self.splice(at, len, &[]);
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.remove(len, self.bytes.len().saturating_sub(len));
    }

    pub(crate) fn append(&mut self, now: &[u8]) {
        self.insert(self.bytes.len(), now);
    }

    pub(crate) fn span(&mut self, path: &str, kind: PartKind) -> Span {
        let map = self.map.get_or_insert_with(|| ByteMap::of(&self.bytes));
        let item = || map.find(path, PartKind::Item).filter(|_| kind == PartKind::Offset);
        let found = map.find(path, kind).or_else(item).map(|entry| entry.span);
        if found.is_none() {
            self.fail(|| format!("`{path}`: the file has no {kind} there"));
        }
        found.unwrap_or(Span::new(0, 0))
    }

    pub(crate) fn at(&mut self, path: &str, kind: PartKind) -> usize {
        usize::try_from(self.span(path, kind).offset).unwrap_or(usize::MAX)
    }

    /// Like [`at`](Self::at), but also records `path` if it is the first changed path.
    pub(crate) fn target(&mut self, path: &str, kind: PartKind) -> usize {
        self.path.get_or_insert_with(|| path.to_string());
        self.at(path, kind)
    }

    /// Sets the first bytes of a header field without any check.
    pub(crate) fn header(&mut self, field: &str, value: impl LittleEndian) {
        let at = self.target(&format!("header.{field}"), PartKind::Header);
        self.put(at, value.bytes().as_ref());
    }

    pub(crate) fn scalar(&mut self, path: &str, value: impl LittleEndian) {
        let at = self.target(path, PartKind::Scalar);
        self.put(at, value.bytes().as_ref());
    }

    pub(crate) fn offset(&mut self, path: &str, value: u32) {
        let at = self.target(path, PartKind::Offset);
        self.put(at, &value.to_le_bytes());
    }

    pub(crate) fn root(&mut self, target: usize) {
        match u32::try_from(target) {
            Ok(target) => self.put(0, &target.to_le_bytes()),
            Err(_) => self.fail(|| format!("root offset {target} exceeds 32 bits")),
        }
    }

    /// `target` must be after the offset.
    pub(crate) fn point(&mut self, path: &str, target: usize) {
        let at = self.target(path, PartKind::Offset);
        match target.checked_sub(at).and_then(|distance| u32::try_from(distance).ok()) {
            Some(distance) => self.put(at, &distance.to_le_bytes()),
            None => self.fail(|| format!("`{path}` at {at} cannot point to {target}")),
        }
    }

    pub(crate) fn count(&mut self, path: &str, value: u32) {
        let at = self.target(path, PartKind::Count);
        self.put(at, &value.to_le_bytes());
    }

    /// Overwrites elements of a vector or bytes of a string, starting at byte `skip`.
    pub(crate) fn elements(&mut self, path: &str, skip: usize, now: impl LittleEndian) {
        let at = self.target(path, PartKind::Elements);
        self.put(at.saturating_add(skip), now.bytes().as_ref());
    }

    pub(crate) fn terminator(&mut self, path: &str, now: u8) {
        let at = self.target(path, PartKind::Terminator);
        self.put(at, &[now]);
    }

    /// Sets the first word of a table, which is the offset to its vtable.
    pub(crate) fn table(&mut self, path: &str, back: i32) {
        let at = self.target(path, PartKind::Table);
        self.put(at, &back.to_le_bytes());
    }

    /// Makes the vtable offset of a table point `by` bytes later in the file.
    pub(crate) fn shift_vtable(&mut self, path: &str, by: i32) {
        let at = self.target(path, PartKind::Table);
        let back = i32_at(&self.bytes, at).unwrap_or(0);
        self.put(at, &back.wrapping_sub(by).to_le_bytes());
    }

    pub(crate) fn vtable(&mut self, path: &str) -> usize {
        let at = self.target(path, PartKind::Table);
        self.vtable_of(at)
    }

    pub(crate) fn vtable_len(&mut self, path: &str, len: u16) {
        let at = self.vtable(path);
        self.put(at, &len.to_le_bytes());
    }

    pub(crate) fn object_len(&mut self, path: &str, len: u16) {
        let at = self.vtable(path);
        self.put(at.saturating_add(2), &len.to_le_bytes());
    }

    /// Sets the field's offset in the object for every table that shares the vtable; 0 removes the field.
    pub(crate) fn slot(&mut self, path: &str, slot: usize, offset: u16) {
        let at = self.vtable(path);
        self.put(at.saturating_add(4 + 2 * slot), &offset.to_le_bytes());
    }

    /// The table gets its own copy of the vtable.
    pub(crate) fn own_slot(&mut self, path: &str, slot: usize, offset: u16) {
        let table = self.target(path, PartKind::Table);
        self.own_slot_at(table, slot, offset);
    }

    /// Replaces a table's vtable with a changed copy, and returns the length of the old vtable.
    pub(crate) fn change_vtable(&mut self, path: &str, change: impl FnOnce(&mut Vec<u8>)) -> usize {
        let table = self.target(path, PartKind::Table);
        self.change_vtable_of(table, change)
    }
}

pub(crate) trait LittleEndian {
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

impl<const N: usize> LittleEndian for [i32; N] {
    fn bytes(self) -> impl AsRef<[u8]> {
        self.map(i32::to_le_bytes).as_flattened().to_vec()
    }
}

impl<const N: usize> LittleEndian for &[u8; N] {
    fn bytes(self) -> impl AsRef<[u8]> {
        *self
    }
}
