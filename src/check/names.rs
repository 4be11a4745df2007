//! Equal names: found by sorting their hashes, in memory that the caller lends.

use crate::Limit;
use crate::flatbuffer::Str;
use crate::flatbuffer::walk::{Flow, Stop};

use super::finding::Memory;

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
    memory: &mut dyn Memory,
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    let mut few = [0; FEW];
    let words = match few.get_mut(..count) {
        Some(words) => words,
        None => memory.words(count).and_then(|words| words.get_mut(..count)).ok_or(Stop::Limit(Limit::Scratch))?,
    };
    let mut held = 0;
    for index in 0..count {
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

/// A hash that spreads ordinary names; it needs not resist chosen ones.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = (state.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER);
    }
    let tail = rest.iter().fold(0_u64, |tail, byte| tail << 8 | u64::from(*byte));
    state = (state.rotate_left(23) ^ tail).wrapping_mul(MULTIPLIER);
    state ^ state >> 29
}
