//! A file with an index of its keys.

use core::fmt;

use crate::entry::Lists;
use crate::names::{SeenNames, find};
use crate::ptd::Ptd;
use crate::pte::Pte;
use crate::{DataEntry, Error, ErrorCode, Limit, Span, Stage};

/// A program or data file with an index of its keys, created by [`Pte::indexed`] or [`Ptd::indexed`].
///
/// The index is in the caller's memory. Lookups find what a scan of the file would, in logarithmic time.
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
/// assert_eq!(indexed.find(b"other")?.unwrap().bytes()?, b"more");
/// assert!(indexed.find(b"none")?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct KeyIndex<'a, 'm> {
    lists: Lists<'a>,
    /// See [`SeenNames::sorted`].
    words: &'m [u64],
}

impl<'a, 'm> KeyIndex<'a, 'm> {
    fn new(lists: Lists<'a>, memory: &'m mut [u64]) -> Result<Self, Error> {
        let (have, count) = (memory.len() as u64, lists.len());
        let Some(words) = memory.get_mut(..count) else {
            let error = Error::new(ErrorCode::Limit(Limit::Scratch), Stage::Meta, Span::new(0, 0), "");
            return Err(error.measured(have, count as u64));
        };
        lists.entries().try_for_each(|entry| entry?.stored_key().map(drop))?;
        let key = |at| lists.get(at)?.ok()?.stored_key().ok()?;
        Ok(Self { lists, words: SeenNames::of_list(words, &key).sorted(&key) })
    }

    /// Returns the entry with this key, or `None` if there is none. If several entries have the key, the first one
    /// wins.
    ///
    /// # Errors
    ///
    /// Returns the entry's own fault, but never the fault of an entry with another key.
    pub fn find(&self, key: &[u8]) -> Result<Option<DataEntry<'a>>, Error> {
        let own = |at| self.lists.get(at)?.ok()?.stored_key().ok()?;
        find(self.words, &own, key).and_then(|at| self.lists.get(at)).transpose()
    }
}

impl<'a> Pte<'a> {
    /// Returns how many words [`Pte::indexed`] needs: one per entry of [`Pte::named_data`].
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn keys(&self) -> Result<usize, Error> {
        Ok(self.lists()?.len())
    }

    /// Builds an index of the file's keys in `memory`, which must have at least [`Pte::keys`] words.
    ///
    /// If many of the `n` keys have equal hashes, keys are read at most `n log n` times.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Limit`] if `memory` is too small, or the first fault of an entry.
    pub fn indexed<'m>(&self, memory: &'m mut [u64]) -> Result<KeyIndex<'a, 'm>, Error> {
        KeyIndex::new(self.lists()?, memory)
    }
}

impl<'a> Ptd<'a> {
    /// Returns how many words [`Ptd::indexed`] needs: one per entry of [`Ptd::entries`].
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn keys(&self) -> Result<usize, Error> {
        Ok(self.lists()?.len())
    }

    /// Builds an index of the file's keys in `memory`, which must have at least [`Ptd::keys`] words.
    ///
    /// If many of the `n` keys have equal hashes, keys are read at most `n log n` times.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Limit`] if `memory` is too small, or the first fault of an entry.
    pub fn indexed<'m>(&self, memory: &'m mut [u64]) -> Result<KeyIndex<'a, 'm>, Error> {
        KeyIndex::new(self.lists()?, memory)
    }
}

impl fmt::Debug for KeyIndex<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyIndex").field("keys", &self.words.len()).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
