//! Lookup of list entries by key: linear search, or an index in the caller's memory.

use core::fmt;

use crate::flatbuffer::schema::Element;
use crate::flatbuffer::{Fault, Str, Vector};
use crate::names::{self, SeenNames};
use crate::{Error, ErrorCode, Limit, Stage};

/// A list entry that can have a key.
pub(crate) trait Keyed<'a>: Element<'a, Item = Result<Self, Fault>> + Copy + 'a {
    /// The key, or `None` if the entry has no key.
    fn key_of(self) -> Result<Option<Str<'a>>, Fault>;
}

/// Searches a list linearly, and returns the first entry with this key.
pub(crate) fn search<'a, T: Keyed<'a>>(list: Option<Vector<'a, T>>, key: &[u8]) -> Result<Option<T>, Error> {
    for entry in list.iter().flat_map(|entries| entries.iter()) {
        let entry = entry?;
        if entry.key_of()?.is_some_and(|own| own.as_bytes() == key) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// A list of entries, with an index of their keys.
#[derive(Clone, Copy)]
pub(crate) struct KeyIndex<'a, 'm, T> {
    entries: Option<Vector<'a, T>>,
    /// One word for each key. The upper 32 bits are the upper half of the key's hash, and the lower 32 bits are the
    /// index of the entry. The words are sorted by hash, then by key, then by index.
    words: &'m [u64],
}

impl<'a, 'm, T: Keyed<'a>> KeyIndex<'a, 'm, T> {
    /// Builds an index of the keys of `entries`. The index needs one word of `memory` for each entry.
    ///
    /// Returns the index and the unused part of `memory`.
    pub(crate) fn new(entries: Option<Vector<'a, T>>, memory: &'m mut [u64]) -> Result<(Self, &'m mut [u64]), Error> {
        let count = entries.map_or(0, Vector::len);
        let have = memory.len() as u64;
        let Some((words, rest)) = memory.split_at_mut_checked(count) else {
            let span = entries.map_or(crate::Span::new(0, 0), Vector::span);
            let error = Error::new(ErrorCode::Limit(Limit::Scratch), Stage::Meta, span, "");
            return Err(error.measured(have, count as u64));
        };
        let mut seen = SeenNames::new(words);
        for (index, entry) in entries.iter().flat_map(|entries| entries.iter()).enumerate() {
            if let Some(key) = entry?.key_of()? {
                seen.insert(key.as_bytes(), index);
            }
        }
        let words = seen.sorted(&|index| key_at(entries, index));
        Ok((Self { entries, words }, rest))
    }

    /// Returns the first entry whose key is `key`, which is the entry that [`search`] returns.
    pub(crate) fn find(&self, key: &[u8]) -> Result<Option<T>, Error> {
        let found = names::find(self.words, &|index| key_at(self.entries, index), key);
        let entry = found.and_then(|index| self.entries?.get(index));
        entry.transpose().map_err(Error::from)
    }
}

impl<T> fmt::Debug for KeyIndex<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyIndex").field("keys", &self.words.len()).finish_non_exhaustive()
    }
}

fn key_at<'a, T: Keyed<'a>>(entries: Option<Vector<'a, T>>, index: usize) -> Option<Str<'a>> {
    entries?.get(index)?.ok()?.key_of().ok()?
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
