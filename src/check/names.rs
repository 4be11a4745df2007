//! Equal names: found by their hashes, sorted or in a table, in memory that the caller lends.

use crate::Limit;
use crate::flatbuffer::Str;
use crate::flatbuffer::walk::{Flow, Stop};

use super::finding::Scratch;

/// So few names are compared without any memory.
pub(super) const FEW: usize = 32;

/// The half of a word that holds an index; the other holds the upper half of a hash.
pub(crate) const INDEX: u64 = 0xffff_ffff;

/// Calls `equal(later, earlier)` for each name that stands in the list before it, the first of its kind being `earlier`.
///
/// `name` gives the name at an index below `count`, or `None` for an entry to leave out. A name is read once, in order, and
/// again only where another has half its hash; names chosen to have equal hashes are sorted themselves, which no choice makes
/// slower than `n log n`. Needs a word for each name.
pub(super) fn equal_names<'a>(
    count: usize,
    name: &dyn Fn(usize) -> Option<Str<'a>>,
    scratch: &mut dyn Scratch,
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    let mut few = [0; FEW];
    let words = match few.get_mut(..count) {
        Some(words) => words,
        None => scratch.words(count).and_then(|words| words.get_mut(..count)).ok_or(Stop::Limit(Limit::Scratch))?,
    };
    equal_names_in(words, name, equal)
}

/// As [`equal_names`], of as many names as there are words.
fn equal_names_in<'a>(
    words: &mut [u64],
    name: &dyn Fn(usize) -> Option<Str<'a>>,
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    let mut held = 0;
    for index in 0..words.len() {
        if let Some(own) = name(index) {
            words[held] = word(own.as_bytes(), index);
            held += 1;
        }
    }
    equal_words(&mut words[..held], name, equal)
}

/// A name's word: the upper half of its hash, and its index.
#[inline]
pub(crate) fn word(name: &[u8], index: usize) -> u64 {
    hash(name) & !INDEX | index as u64
}

/// As [`equal_names`], of names whose words have been made already.
pub(crate) fn equal_words<'a>(
    words: &mut [u64],
    name: &dyn Fn(usize) -> Option<Str<'a>>,
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    words.sort_unstable();
    for alike in words.chunk_by_mut(|one, other| (*one ^ *other) & !INDEX == 0) {
        if alike.len() > 1 {
            by_name(alike, name, equal)?;
        }
    }
    Ok(())
}

/// Finds the equal ones among names of which half the hash is equal.
#[cold]
fn by_name<'a>(
    alike: &mut [u64],
    name: &dyn Fn(usize) -> Option<Str<'a>>,
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    let index = |word: u64| usize::try_from(word & INDEX).unwrap_or(usize::MAX);
    let bytes = |word: u64| name(index(word)).map(Str::as_bytes);
    alike.sort_unstable_by(|one, other| bytes(*one).cmp(&bytes(*other)).then(one.cmp(other)));
    for same in alike.chunk_by(|one, other| bytes(*one) == bytes(*other)) {
        for later in &same[1..] {
            equal(index(*later), index(same[0]))?;
        }
    }
    Ok(())
}

/// Names as they are met one by one, in memory of a word for each.
///
/// Where the memory is small enough to be close to the processor, a name is looked up by its hash as it is met, and whether any two
/// may be equal is known at once; in larger memory the names' words are noted, and sorted in the end.
pub(super) struct Met<'m> {
    pub(super) words: &'m mut [u64],
    pub(super) so_far: SoFar,
}

/// What is known of names that were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SoFar {
    /// The words are a table of half hashes, two in a word, and no two are equal.
    Differ,
    /// Two half hashes are equal, or names were chosen to crowd one place of the table.
    Alike,
    /// So many words are noted.
    Noted(usize),
}

impl<'m> Met<'m> {
    /// Words of the table that are looked at for one name: beyond what the names of any file come to by chance.
    const PLACES: usize = 64;

    /// Words that a processor has close by. In a larger table each name would wait for memory for longer than sorting takes.
    const CLOSE: usize = 1 << 17;

    /// None as yet; as many names as words can be met.
    pub(super) fn none(words: &'m mut [u64]) -> Self {
        if words.len() > Self::CLOSE {
            return Self { words, so_far: SoFar::Noted(0) };
        }
        words.fill(0);
        Self { words, so_far: SoFar::Differ }
    }

    /// The name at `index` of its list.
    #[inline]
    pub(super) fn meet(&mut self, name: &[u8], index: usize) {
        match self.so_far {
            SoFar::Differ => {
                if !self.is_new(hash(name)) {
                    self.so_far = SoFar::Alike;
                }
            }
            SoFar::Alike => {}
            SoFar::Noted(count) => {
                if let Some(noted) = self.words.get_mut(count) {
                    *noted = word(name, index);
                    self.so_far = SoFar::Noted(count + 1);
                }
            }
        }
    }

    /// Whether it is known that no name with this hash was met, which is one of them from now on.
    #[inline]
    fn is_new(&mut self, hash: u64) -> bool {
        // Half a hash that is not an empty half of a word.
        let own = hash & INDEX | 1;
        let count = self.words.len();
        let share = (hash >> 32) * (count as u64 & INDEX);
        #[allow(clippy::cast_possible_truncation, reason = "it is below the count")]
        let mut place = (share >> 32) as usize;
        for _ in 0..Self::PLACES {
            let Some(word) = self.words.get_mut(place) else { break };
            let [first, second] = [*word & INDEX, *word >> 32];
            if first == 0 {
                *word = own;
                return true;
            }
            if first == own || second == own {
                break;
            }
            if second == 0 {
                *word |= own << 32;
                return true;
            }
            place = if place + 1 == count { 0 } else { place + 1 };
        }
        false
    }

    /// As [`equal_names`], of the list whose names were met.
    pub(super) fn equal_names<'a>(
        &mut self,
        name: &dyn Fn(usize) -> Option<Str<'a>>,
        equal: &mut dyn FnMut(usize, usize) -> Flow,
    ) -> Flow {
        match self.so_far {
            SoFar::Differ => Ok(()),
            SoFar::Alike => equal_names_in(self.words, name, equal),
            SoFar::Noted(count) => equal_words(&mut self.words[..count], name, equal),
        }
    }
}

/// Spreads what it is multiplied with over the upper bits of a word.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash that spreads ordinary names; it needs not resist chosen ones.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut state = (bytes.len() as u64).wrapping_mul(MULTIPLIER);
    let (words, _) = bytes.as_chunks::<8>();
    for word in words {
        state = (state.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER);
    }
    state = (state.rotate_left(23) ^ last_word(bytes)).wrapping_mul(MULTIPLIER);
    state ^ state >> 29
}

/// The last eight bytes of a string; of a shorter one all its bytes, some of them twice, and ones.
///
/// With the words before it, it has every byte of the string, and no other byte but ones.
#[inline]
pub(super) fn last_word(bytes: &[u8]) -> u64 {
    if let Some(last) = bytes.last_chunk() {
        return u64::from_le_bytes(*last);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    let byte = |index: usize| bytes.get(index).copied().unwrap_or(1);
    u64::from_le_bytes([byte(0), byte(1), byte(2), 1, 1, 1, 1, 1])
}

#[cfg(test)]
#[cfg(feature = "std")]
pub(crate) mod tests;
