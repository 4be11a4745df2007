//! Lists whose entries have keys: searched, or looked up in an index that is in memory that the caller lends.

use core::cmp::Ordering;
use core::fmt;

use crate::check::names::{INDEX, equal_words, word};
use crate::flatbuffer::schema::Element;
use crate::flatbuffer::{Fault, Str, Vector};
use crate::ptd::older_schema::{OlderNamedData, TensorMetadata};
use crate::{Error, ErrorCode, Limit, Stage, ptd, pte};

/// An entry that has a key.
pub(crate) trait Keyed<'a>: Element<'a, Item = Result<Self, Fault>> + Copy + 'a {
    /// The key; `None` when it is absent.
    fn key_of(self) -> Result<Option<Str<'a>>, Fault>;
}

macro_rules! keyed {
    ($($entry:ty: $key:ident;)*) => {$(
        impl<'a> Keyed<'a> for $entry {
            fn key_of(self) -> Result<Option<Str<'a>>, Fault> {
                self.$key()
            }
        }
    )*};
}

keyed! {
    pte::schema::NamedData<'a>: key;
    ptd::schema::NamedData<'a>: key;
    OlderNamedData<'a>: key;
    TensorMetadata<'a>: fully_qualified_name;
}

/// The first entry with this key, found by asking each in turn.
pub(crate) fn search<'a, T: Keyed<'a>>(list: Option<Vector<'a, T>>, key: &[u8]) -> Result<Option<T>, Error> {
    for entry in list.iter().flat_map(|entries| entries.iter()) {
        let entry = entry?;
        if entry.key_of()?.is_some_and(|own| own.as_bytes() == key) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// A list with an index of its keys.
#[derive(Clone, Copy)]
pub(crate) struct Indexed<'a, 'm, T> {
    entries: Option<Vector<'a, T>>,
    /// A word for each key, by half its hash, then by key, then by the entry's index, which is the other half.
    words: &'m [u64],
}

impl<'a, 'm, T: Keyed<'a>> Indexed<'a, 'm, T> {
    /// Reads each key; takes a word an entry of `memory`, and gives the rest back.
    pub(crate) fn new(entries: Option<Vector<'a, T>>, memory: &'m mut [u64]) -> Result<(Self, &'m mut [u64]), Error> {
        let count = entries.map_or(0, Vector::len);
        let have = memory.len() as u64;
        let Some((words, rest)) = memory.split_at_mut_checked(count) else {
            let span = entries.map_or(crate::Span::new(0, 0), Vector::span);
            let error = Error::new(ErrorCode::Limit(Limit::Scratch), Stage::Meta, span, "");
            return Err(error.measured(have, count as u64));
        };
        let mut held = 0;
        for (index, entry) in entries.iter().flat_map(|entries| entries.iter()).enumerate() {
            if let Some(key) = entry?.key_of()? {
                words[held] = word(key.as_bytes(), index);
                held += 1;
            }
        }
        let words = &mut words[..held];
        // Equal keys stop nothing here.
        let _ = equal_words(words, &|index| key_at(entries, index), &mut |_, _| Ok(()));
        Ok((Self { entries, words }, rest))
    }

    /// As [`search`].
    pub(crate) fn find(&self, key: &[u8]) -> Result<Option<T>, Error> {
        let half = word(key, 0) & !INDEX;
        let order = |word: u64| match (word & !INDEX).cmp(&half) {
            Ordering::Equal => key_at(self.entries, index_of(word)).map(Str::as_bytes).cmp(&Some(key)),
            other => other,
        };
        let first = near(self.words, half, |word| order(word).is_lt());
        let Some(found) = self.words.get(first).filter(|word| order(**word).is_eq()) else { return Ok(None) };
        let entry = self.entries.and_then(|entries| entries.get(index_of(*found)));
        entry.transpose().map_err(Error::from)
    }
}

impl<T> fmt::Debug for Indexed<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexed").field("keys", &self.words.len()).finish_non_exhaustive()
    }
}

/// Where the words end that come `before`, which are the first ones: looked for from where an even spread would put `half`, so
/// that few places far apart in memory are read. Hashes that are not spread evenly cost as many steps as any search does.
fn near(words: &[u64], half: u64, before: impl Fn(u64) -> bool) -> usize {
    let guess = (u128::from(half) * words.len() as u128) >> u64::BITS;
    let guess = usize::try_from(guess).unwrap_or(0);
    // Everything below `low` comes before, and nothing from `high` on.
    let (mut low, mut high, mut step) = (0, words.len(), 8);
    let up = words.get(guess).is_some_and(|word| before(*word));
    let mut at = guess;
    while let Some(word) = words.get(at) {
        match (up, before(*word)) {
            (true, true) => low = at + 1,
            (true, false) => {
                high = at;
                break;
            }
            (false, false) => high = at,
            (false, true) => {
                low = at + 1;
                break;
            }
        }
        let Some(next) = (if up { at.checked_add(step) } else { at.checked_sub(step) }) else { break };
        (at, step) = (next, step * 2);
    }
    low + words[low..high].partition_point(|word| before(*word))
}

fn index_of(word: u64) -> usize {
    usize::try_from(word & INDEX).unwrap_or(usize::MAX)
}

fn key_at<'a, T: Keyed<'a>>(entries: Option<Vector<'a, T>>, index: usize) -> Option<Str<'a>> {
    entries?.get(index)?.ok()?.key_of().ok()?
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
