//! Blobs with keys. The packers store each blob as one segment.

use std::borrow::ToOwned;
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::{SegmentExtent, WriteCause, WriteError, zero_alignment};
use crate::flatbuffer::tree::TableTree;

/// A list of blobs with keys, in insertion order. As in the official writers, equal blobs are stored only once.
///
/// The store borrows the bytes. For data that is larger than memory, use a memory-mapped file.
///
/// ```
/// use torchproof::write::NamedDataStore;
///
/// # fn main() -> Result<(), torchproof::write::WriteError> {
/// let mut store = NamedDataStore::new();
/// store.add("a", b"abcd", 16, None)?;
/// store.add("b", b"abcd", 1, None)?; // shares the blob of `a`, and its alignment
/// store.add("a", b"abcd", 1, None)?; // no effect
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
    /// The index of the blob in the store's list of blobs.
    pub(crate) blob: usize,
    pub(crate) layout: Option<TableTree>,
}

#[derive(Debug)]
pub(crate) struct Blob<'s> {
    pub(crate) bytes: &'s [u8],
    pub(crate) alignment: u64,
}

impl From<&Blob<'_>> for SegmentExtent {
    fn from(blob: &Blob<'_>) -> Self {
        Self { len: blob.bytes.len() as u64, alignment: blob.alignment }
    }
}

impl<'s> NamedDataStore<'s> {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a blob under a key.
    ///
    /// `alignment` applies to the segment and must be at least 1. A blob that the store already has keeps its
    /// alignment, as in the official writers. `layout` is a [`TensorLayout`](crate::ptd::schema::TensorLayout), for
    /// data files only. Adding a key again with an equal blob and layout has no effect.
    ///
    /// # Errors
    ///
    /// Fails, without changing the store, if the alignment is 0 or the key exists with another blob or layout.
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

    /// The number of keys.
    #[must_use]
    pub const fn key_count(&self) -> usize {
        self.entries.len()
    }

    /// The number of blobs.
    #[must_use]
    pub const fn blob_count(&self) -> usize {
        self.blobs.len()
    }

    fn entry(&self, key: &str) -> Option<&NamedDataEntry> {
        self.keys.get(key).and_then(|index| self.entries.get(*index))
    }
}

impl NamedDataEntry {
    /// If the key is repeated, its blob and layout must be the same.
    fn repeated(&self, blob: Option<usize>, layout: Option<&TableTree>) -> Result<(), WriteError> {
        if blob == Some(self.blob) && layout == self.layout.as_ref() {
            Ok(())
        } else {
            Err(WriteError::new(WriteCause::Tree, place(&self.key), "has two values"))
        }
    }
}

fn place(key: &str) -> String {
    format!("key `{}`", key.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_key_with_another_blob() {
        let mut store = NamedDataStore::new();
        assert_eq!(store.add("a", b"a", 0, None).unwrap_err().cause, WriteCause::Layout);
        assert_eq!((store.key_count(), store.blob_count()), (0, 0));
        store.add("a", b"a", 1, None).unwrap();
        let two = store.add("a", b"b", 1, None).unwrap_err();
        assert_eq!((two.cause, two.path()), (WriteCause::Tree, "key `a`"));
        assert_eq!((store.key_count(), store.blob_count()), (1, 1));
    }
}
