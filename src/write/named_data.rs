//! Blobs looked up by key, before they are segments.

use std::borrow::ToOwned;
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::{Shape, WriteCause, WriteError, zero_alignment};
use crate::flatbuffer::tree::TableTree;

/// Blobs looked up by key, in the order in which they were added; equal blobs are kept once, as in the official writers.
///
/// The store borrows the bytes: map a file that is larger than memory.
///
/// ```
/// use torchproof::write::NamedDataStore;
///
/// # fn main() -> Result<(), torchproof::write::WriteError> {
/// let mut store = NamedDataStore::new();
/// store.add("a", b"abcd", 16, None)?;
/// store.add("b", b"abcd", 1, None)?; // shares the blob of `a`, and its alignment
/// store.add("a", b"abcd", 1, None)?; // is there already
/// assert!(store.add("a", b"efgh", 1, None).is_err());
/// assert_eq!((store.key_count(), store.blob_count()), (2, 1));
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct NamedDataStore<'s> {
    pub(crate) entries: Vec<NamedDataEntry>,
    pub(crate) blobs: Vec<Blob<'s>>,
    keys: BTreeMap<String, usize>,
    known: BTreeMap<&'s [u8], usize>,
}

#[derive(Debug)]
pub(crate) struct NamedDataEntry {
    pub(crate) key: String,
    /// Index of its blob.
    pub(crate) blob: usize,
    pub(crate) layout: Option<TableTree>,
}

#[derive(Debug)]
pub(crate) struct Blob<'s> {
    pub(crate) bytes: &'s [u8],
    pub(crate) alignment: u64,
}

impl From<&Blob<'_>> for Shape {
    fn from(blob: &Blob<'_>) -> Self {
        Self { len: blob.bytes.len() as u64, alignment: blob.alignment }
    }
}

impl<'s> NamedDataStore<'s> {
    /// A store without blobs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a blob under a key.
    ///
    /// The alignment is that of the segment, from 1 on; a blob that is there already keeps the alignment that it has, as in the official
    /// writers. The layout, a tree of [`TensorLayout`](crate::ptd::schema::TensorLayout), is written in data files only. A key that is there already with an equal blob and layout is left as
    /// it is.
    ///
    /// # Errors
    ///
    /// When the alignment is 0, or the key is there with another blob or layout; the store is then unchanged.
    pub fn add(
        &mut self,
        key: &str,
        bytes: &'s [u8],
        alignment: u64,
        layout: Option<TableTree>,
    ) -> Result<(), WriteError> {
        if alignment == 0 {
            return Err(zero_alignment(&place(key)));
        }
        let known = self.known.get(bytes).copied();
        if let Some(entry) = self.entry(key) {
            return entry.repeated(known, layout.as_ref());
        }
        let blob = known.unwrap_or(self.blobs.len());
        if known.is_none() {
            self.blobs.push(Blob { bytes, alignment });
            self.known.insert(bytes, blob);
        }
        self.keys.insert(key.to_owned(), self.entries.len());
        self.entries.push(NamedDataEntry { key: key.to_owned(), blob, layout });
        Ok(())
    }

    /// How many keys there are.
    #[must_use]
    pub const fn key_count(&self) -> usize {
        self.entries.len()
    }

    /// How many blobs there are.
    #[must_use]
    pub const fn blob_count(&self) -> usize {
        self.blobs.len()
    }

    fn entry(&self, key: &str) -> Option<&NamedDataEntry> {
        self.keys.get(key).and_then(|index| self.entries.get(*index))
    }
}

impl NamedDataEntry {
    /// The key once more, with this blob.
    fn repeated(&self, blob: Option<usize>, layout: Option<&TableTree>) -> Result<(), WriteError> {
        if blob == Some(self.blob) && layout == self.layout.as_ref() {
            Ok(())
        } else {
            Err(WriteError::new(WriteCause::Tree, place(&self.key), "has two values"))
        }
    }
}

/// A key as the path of an error.
fn place(key: &str) -> String {
    format!("key `{}`", key.escape_debug())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use super::*;

    #[test]
    fn a_key_is_added_once() {
        let mut store = NamedDataStore::new();
        assert_eq!(store.add("a", b"a", 0, None).unwrap_err().cause, WriteCause::Layout);
        assert_eq!((store.key_count(), store.blob_count()), (0, 0));
        store.add("a", b"a", 1, None).unwrap();
        let two = store.add("a", b"b", 1, None).unwrap_err();
        assert_eq!((two.cause, two.path()), (WriteCause::Tree, "key `a`"));
        assert_eq!((store.key_count(), store.blob_count()), (1, 1));
    }
}
