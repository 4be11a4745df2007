//! Names: hashes of names, and a set that finds names that may be equal.

use super::require;
use crate::names::last_word;

/// A set of hashes in scratch memory, to find names that may be equal. Call [`NameHashes::finish`] after the last name.
pub(super) struct NameHashes<'m> {
    /// One word for each hash; zero is a free place.
    words: &'m mut [u64],
    /// The number of places that the set may still look at, so that chosen hashes cannot make the set slow.
    left: usize,
    /// The hashes that are not in `words` yet. The set adds several hashes at once, so that the processor loads their
    /// places in parallel.
    waiting: [u64; WAITING],
    waiting_count: usize,
}

/// The number of hashes that the set collects before it adds them to `words`.
const WAITING: usize = 16;

/// The number of words that a set of `count` hashes needs.
pub(super) const fn words_for(count: usize) -> usize {
    count + count / 2 + 1
}

impl<'m> NameHashes<'m> {
    /// Creates an empty set in `words`.
    pub(super) fn new(words: &'m mut [u64]) -> Self {
        words.fill(0);
        let left = 16 * words.len();
        Self { words, left, waiting: [0; WAITING], waiting_count: 0 }
    }

    /// Collects the hash of a name. Returns `None` if the set finds two equal hashes; [`Self::finish`] finds the others.
    #[inline]
    pub(super) fn add(&mut self, hash: u64) -> Option<()> {
        if self.waiting_count == WAITING {
            self.add_waiting()?;
        }
        *self.waiting.get_mut(self.waiting_count)? = hash;
        self.waiting_count += 1;
        Some(())
    }

    /// Adds the waiting hashes. Returns `None` if two hashes are equal, because the names may be equal.
    pub(super) fn finish(mut self) -> Option<()> {
        self.add_waiting()
    }

    #[inline(never)]
    fn add_waiting(&mut self) -> Option<()> {
        let places = self.words.len();
        for hash in self.waiting.iter().take(self.waiting_count) {
            let hash = (*hash).max(1);
            // The upper half of the hash selects the first place.
            let mut at = usize::try_from(((hash >> 32) * places as u64) >> 32).ok()?;
            loop {
                let place = self.words.get_mut(at)?;
                if *place == 0 {
                    *place = hash;
                    break;
                }
                require!(*place != hash);
                self.left = self.left.checked_sub(1)?;
                at = if at + 1 == places { 0 } else { at + 1 };
            }
        }
        self.waiting_count = 0;
        Some(())
    }
}

/// The multiplier of the hash. A multiplication by an odd number is a bijection.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the hash of a name that consists of nonzero ASCII characters; `None` for other names.
#[inline]
pub(super) fn hash_of(name: &[u8]) -> Option<u64> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const LOW: u64 = 0x0101_0101_0101_0101;
    let (mut state, mut unusual) = ((name.len() as u64).wrapping_mul(MULTIPLIER), 0);
    let mut mix = |word: u64| {
        unusual |= word.wrapping_sub(LOW) | word;
        state = (state.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    };
    let (words, _) = name.as_chunks::<8>();
    words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
    mix(last_word(name));
    require!(unusual & HIGH == 0);
    Some(state ^ state >> 29)
}

/// Returns a number that differs for each value, as a hash for [`NameHashes`].
#[inline]
pub(super) fn hash_of_number(value: u32) -> u64 {
    (u64::from(value) + 1).wrapping_mul(MULTIPLIER)
}
