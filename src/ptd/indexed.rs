//! A data file with an index of its keys.

use super::legacy_schema::{LegacyNamedData, TensorMetadata};
use super::read::{Layout, Ptd};
use super::schema::NamedData;
use crate::Error;
use crate::flatbuffer::Vector;
use crate::key_index::KeyIndex;

/// A data file with an index of its keys, created by [`Ptd::indexed`].
///
/// The index is stored in the caller's memory. Lookups return the same results as [`Ptd`], but in logarithmic time.
///
/// ```
/// use torchproof::ptd::Ptd;
/// # use torchproof::{ptd::{DataLayout, pack}, write::NamedDataStore};
/// # let mut store = NamedDataStore::new();
/// # store.add("k", b"blob", 1, None)?;
/// # store.add("other", b"more", 1, None)?;
/// # let bytes = pack(store, &DataLayout::CURRENT)?.to_bytes()?;
/// let file = Ptd::open(&bytes)?;
/// let mut memory = [0; 16];
/// let indexed = file.indexed(&mut memory[..file.keys()?])?;
/// assert_eq!(indexed.named_data(b"other")?, Some(&b"more"[..]));
/// assert_eq!(indexed.named_data(b"none")?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct IndexedPtd<'a, 'm> {
    file: Ptd<'a>,
    lists: Lists<'a, 'm>,
}

/// A [`KeyIndex`] for each list whose entries have keys. The layout of the file determines which lists exist.
#[derive(Clone, Copy, Debug)]
enum Lists<'a, 'm> {
    Current(KeyIndex<'a, 'm, NamedData<'a>>),
    Legacy(KeyIndex<'a, 'm, TensorMetadata<'a>>, KeyIndex<'a, 'm, LegacyNamedData<'a>>),
}

impl<'a> Ptd<'a> {
    /// Returns the number of words that [`Ptd::indexed`] needs: one word for each entry of `named_data`. In the legacy
    /// layout, each entry of `tensors` needs one more word.
    ///
    /// # Errors
    ///
    /// Returns the fault of the failed access.
    pub fn keys(&self) -> Result<usize, Error> {
        Ok(match self.layout() {
            Layout::Current(root) => root.named_data()?.map_or(0, Vector::len),
            Layout::Legacy(root) => root.tensors()?.map_or(0, Vector::len) + root.named_data()?.map_or(0, Vector::len),
        })
    }

    /// Builds an index of the file's keys in `memory`.
    ///
    /// `memory` must have at least [`Ptd::keys`] words.
    ///
    /// Usually, each key is read once. If many of the `n` keys have equal hashes, keys are read at most `n log n` times
    /// in total.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Limit`](crate::ErrorCode::Limit) if `memory` is too small. `indexed` reads all entries; if
    /// an entry has a fault, returns the first fault.
    pub fn indexed<'m>(&self, memory: &'m mut [u64]) -> Result<IndexedPtd<'a, 'm>, Error> {
        let lists = match self.layout() {
            Layout::Current(root) => Lists::Current(KeyIndex::new(root.named_data()?, memory)?.0),
            Layout::Legacy(root) => {
                let (tensors, rest) = KeyIndex::new(root.tensors()?, memory)?;
                Lists::Legacy(tensors, KeyIndex::new(root.named_data()?, rest)?.0)
            }
        };
        Ok(IndexedPtd { file: *self, lists })
    }
}

impl<'a> IndexedPtd<'a, '_> {
    /// Returns the indexed file.
    #[must_use]
    pub fn file(&self) -> Ptd<'a> {
        self.file
    }

    /// Returns the same result as [`Ptd::named_data`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Ptd::segment_bytes`].
    pub fn named_data(&self, key: &[u8]) -> Result<Option<&'a [u8]>, Error> {
        match self.lists {
            Lists::Current(entries) => self.file.entry_bytes(entries.find(key)?),
            Lists::Legacy(tensors, entries) => match tensors.find(key)? {
                Some(tensor) => self.file.legacy_tensor_bytes(tensor).map(Some),
                None => self.file.legacy_entry_bytes(entries.find(key)?),
            },
        }
    }

    /// Returns the same result as [`Ptd::tensor_bytes`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Ptd::tensor_bytes`], but never a fault of an entry with another key.
    pub fn tensor_bytes(&self, key: &[u8]) -> Result<Option<&'a [u8]>, Error> {
        match self.lists {
            Lists::Current(entries) => self.file.entry_tensor_bytes(entries.find(key)?),
            Lists::Legacy(tensors, _) => {
                tensors.find(key)?.map(|tensor| self.file.legacy_tensor_bytes(tensor)).transpose()
            }
        }
    }
}
