//! Blobs looked up by key, before they are segments.

use std::borrow::ToOwned;
use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::{Identity, Source, WriteCause, WriteError, zero_alignment};
use crate::flatbuffer::tree::TableTree;

/// Blobs looked up by key, in the order in which they were added; blobs that are known to be equal are kept once.
///
/// Nothing is read to compare them: [`Source::Bytes`] are compared, a [`Source::File`] equals the same range of the same path, and a
/// [`Source::Reader`] equals nothing. The official writers compare all contents; [`NamedDataStore::share`] is for what is not seen.
///
/// ```
/// use torchproof::write::{NamedDataStore, Source};
///
/// # fn main() -> Result<(), torchproof::write::WriteError> {
/// let mut store = NamedDataStore::new();
/// store.add("a", Source::Bytes(b"abcd"), 16, None)?;
/// store.add("b", Source::Bytes(b"abcd"), 1, None)?; // shares the blob of `a`, and its alignment
/// store.add("a", Source::Bytes(b"abcd"), 1, None)?; // is there already
/// assert!(store.add("a", Source::Bytes(b"efgh"), 1, None).is_err());
/// assert_eq!((store.key_count(), store.blob_count()), (2, 1));
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct NamedDataStore<'s> {
    pub(crate) entries: Vec<NamedDataEntry>,
    pub(crate) blobs: Vec<Blob<'s>>,
    keys: BTreeMap<String, usize>,
    known: BTreeMap<Identity<'s>, usize>,
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
    pub(crate) source: Source<'s>,
    pub(crate) alignment: u64,
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
        source: Source<'s>,
        alignment: u64,
        layout: Option<TableTree>,
    ) -> Result<(), WriteError> {
        if alignment == 0 {
            return Err(zero_alignment(&place(key)));
        }
        let identity = source.identity();
        let known = identity.as_ref().and_then(|identity| self.known.get(identity)).copied();
        if let Some(entry) = self.entry(key) {
            return entry.repeated(known, layout.as_ref());
        }
        let blob = known.unwrap_or(self.blobs.len());
        if known.is_none() {
            self.blobs.push(Blob { source, alignment });
            if let Some(identity) = identity {
                self.known.insert(identity, blob);
            }
        }
        self.push(key, blob, layout);
        Ok(())
    }

    /// Adds a key for the blob that is under another.
    ///
    /// ```
    /// use torchproof::write::{NamedDataStore, Source};
    ///
    /// # fn main() -> Result<(), torchproof::write::WriteError> {
    /// let mut store = NamedDataStore::new();
    /// let reader = Box::new(&b"weights"[..]);
    /// store.add("embedding", Source::Reader { reader, len: 7 }, 16, None)?;
    /// store.share("head", "embedding", None)?; // tied to it, and read once
    /// assert_eq!((store.key_count(), store.blob_count()), (2, 1));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is no such other key, or the key is there with another blob or layout.
    pub fn share(&mut self, key: &str, other: &str, layout: Option<TableTree>) -> Result<(), WriteError> {
        let unknown = || WriteError::new(WriteCause::Tree, place(other), "has no value");
        let blob = self.entry(other).ok_or_else(unknown)?.blob;
        if let Some(entry) = self.entry(key) {
            return entry.repeated(Some(blob), layout.as_ref());
        }
        self.push(key, blob, layout);
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

    fn push(&mut self, key: &str, blob: usize, layout: Option<TableTree>) {
        self.keys.insert(key.to_owned(), self.entries.len());
        self.entries.push(NamedDataEntry { key: key.to_owned(), blob, layout });
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
pub(crate) fn place(key: &str) -> String {
    format!("key `{}`", key.escape_debug())
}

#[cfg(test)]
mod tests;
