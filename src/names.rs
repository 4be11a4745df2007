//! Finds equal names by sorting their hashes in the caller's scratch memory.

use core::cmp::Ordering;

use crate::flatbuffer::Str;
use crate::flatbuffer::walk::Flow;
use crate::sort::sort_by;

/// The bits of a word that contain an index. The other bits contain the upper half of a name's hash.
pub(crate) const INDEX: u64 = 0xffff_ffff;

/// The names of a list, each recorded in one word of the caller's memory.
pub(crate) struct SeenNames<'m> {
    words: &'m mut [u64],
    count: usize,
}

impl<'m> SeenNames<'m> {
    pub(crate) const fn new(words: &'m mut [u64]) -> Self {
        Self { words, count: 0 }
    }

    /// Entries for which `name` returns `None` are skipped.
    pub(crate) fn of_list<'a>(words: &'m mut [u64], name: &dyn Fn(usize) -> Option<Str<'a>>) -> Self {
        let mut seen = Self::new(words);
        for index in 0..seen.words.len() {
            if let Some(own) = name(index) {
                seen.insert(own.as_bytes(), index);
            }
        }
        seen
    }

    /// If the memory is full, the name is dropped.
    #[inline]
    pub(crate) fn insert(&mut self, name: &[u8], index: usize) {
        if let Some(place) = self.words.get_mut(self.count) {
            *place = word(name, index);
            self.count += 1;
        }
    }

    /// For each name that equals an earlier one, calls `equal(later, first)` with its index and the first such name's
    /// index.
    ///
    /// Only names with equal upper hash halves are compared. These are sorted by their bytes, so even names chosen by
    /// an attacker need at most `n log n` comparisons.
    pub(crate) fn equal_names<'a>(
        &mut self,
        name: &dyn Fn(usize) -> Option<Str<'a>>,
        equal: &mut dyn FnMut(usize, usize) -> Flow,
    ) -> Flow {
        let mut first: Option<u64> = None;
        for word in self.in_order(name) {
            match first.filter(|first| (first ^ *word) & !INDEX == 0 && bytes_of(*first, name) == bytes_of(*word, name))
            {
                Some(first) => equal(index_of(*word), index_of(first))?,
                None => first = Some(*word),
            }
        }
        Ok(())
    }

    /// For each name that is in both lists, calls `equal(other, own)` with its two indices.
    /// [`equal_names`](Self::equal_names) must have sorted this list.
    pub(crate) fn common_names<'a>(
        &self,
        name: &dyn Fn(usize) -> Option<Str<'a>>,
        others: &Self,
        other_name: &dyn Fn(usize) -> Option<Str<'a>>,
        equal: &mut dyn FnMut(usize, usize) -> Flow,
    ) -> Flow {
        let own = self.words.get(..self.count).unwrap_or_default();
        for other in others.words.iter().take(others.count) {
            let found = bytes_of(*other, other_name).and_then(|wanted| find(own, name, wanted));
            if let Some(found) = found {
                equal(index_of(*other), found)?;
            }
        }
        Ok(())
    }

    /// Sorts by the upper half of the hash, then by name, then by index.
    pub(crate) fn sorted<'a>(mut self, name: &dyn Fn(usize) -> Option<Str<'a>>) -> &'m mut [u64] {
        self.in_order(name);
        self.words.get_mut(..self.count).unwrap_or_default()
    }

    fn in_order<'a>(&mut self, name: &dyn Fn(usize) -> Option<Str<'a>>) -> &mut [u64] {
        let words = self.words.get_mut(..self.count).unwrap_or_default();
        sort_by(words, |one, other| {
            if (one ^ other) & !INDEX != 0 {
                return one < other;
            }
            (bytes_of(*one, name), one) < (bytes_of(*other, name), other)
        });
        words
    }
}

/// Searches words from [`SeenNames::sorted`] for the index of the first name that equals `wanted`.
pub(crate) fn find<'a>(words: &[u64], name: &dyn Fn(usize) -> Option<Str<'a>>, wanted: &[u8]) -> Option<usize> {
    let found = *words.get(position(words, name, wanted, 0))?;
    (bytes_of(found, name) == Some(wanted)).then(|| index_of(found))
}

/// Returns the position, among sorted words, of the first name that equals `wanted` and has an index of at least
/// `from`, or where such a name would be inserted.
pub(crate) fn position<'a>(
    words: &[u64],
    name: &dyn Fn(usize) -> Option<Str<'a>>,
    wanted: &[u8],
    from: usize,
) -> usize {
    let half = word(wanted, 0) & !INDEX;
    words.partition_point(|word| match (word & !INDEX).cmp(&half) {
        Ordering::Equal => (bytes_of(*word, name), index_of(*word)) < (Some(wanted), from),
        other => other.is_lt(),
    })
}

pub(crate) fn index_of(word: u64) -> usize {
    usize::try_from(word & INDEX).unwrap_or(usize::MAX)
}

fn bytes_of<'a>(word: u64, name: &dyn Fn(usize) -> Option<Str<'a>>) -> Option<&'a [u8]> {
    name(index_of(word)).map(Str::as_bytes)
}

#[inline]
pub(crate) fn word(name: &[u8], index: usize) -> u64 {
    hash(name) & !INDEX | index as u64
}

/// Spreads bits to the upper half of a word.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A fast hash that is not collision-resistant: an attacker can choose names with equal hashes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut state = (bytes.len() as u64).wrapping_mul(MULTIPLIER);
    let (words, _) = bytes.as_chunks::<8>();
    for word in words {
        state = (state.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER);
    }
    state = (state.rotate_left(23) ^ last_word(bytes)).wrapping_mul(MULTIPLIER);
    state ^ state >> 29
}

/// Unlike the method in `core`, this function compiles to no panicking code at any optimization level.
pub(crate) fn last_chunk<const N: usize>(bytes: &[u8]) -> Option<&[u8; N]> {
    bytes.get(bytes.len().checked_sub(N)?..)?.first_chunk()
}

/// Like [`last_chunk`], this function compiles to no panicking code.
pub(crate) fn strip_prefix<'a>(bytes: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    if bytes.starts_with(prefix) { bytes.get(prefix.len()..) } else { None }
}

/// Returns a string's last eight bytes. A shorter string is padded with repeated bytes or ones. Together with the
/// preceding words, the result covers every byte.
#[inline]
pub(crate) fn last_word(bytes: &[u8]) -> u64 {
    if let Some(last) = last_chunk(bytes) {
        return u64::from_le_bytes(*last);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), last_chunk(bytes)) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    let byte = |index: usize| bytes.get(index).copied().unwrap_or(1);
    u64::from_le_bytes([byte(0), byte(1), byte(2), 1, 1, 1, 1, 1])
}

#[cfg(test)]
#[cfg(feature = "std")]
pub(crate) mod tests;
