//! **Reproducible random numbers**: a seed yields the same numbers in every release.
//!
//! The file generator, the attacks, the edits and the campaigns all draw from it.
//!
//! The algorithm is SplitMix64, whose state is one word. It is fast but not cryptographic.

use core::ops::RangeInclusive;

/// 2^64 divided by the golden ratio, rounded to an odd number.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The random number generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates the generator for a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub const fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        // The upper half of the product is evenly distributed and is computed without a division.
        ((self.word() as u128 * bound as u128) >> 64) as u64
    }

    /// Returns a uniformly distributed number from a range, or the range's start if it is empty.
    pub fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        let (start, end) = range.into_inner();
        match end.saturating_sub(start).checked_add(1) {
            Some(count) => start + self.below(count),
            None => self.word(),
        }
    }

    /// Returns an index below `len`, or 0 if `len` is 0.
    pub fn index(&mut self, len: usize) -> usize {
        // The result is less than `len`, so it fits in a `usize`.
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }

    /// Returns a random byte.
    pub const fn byte(&mut self) -> u8 {
        self.word().to_le_bytes()[7]
    }

    /// Returns `true` with a probability of 1 in `times`.
    pub const fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Returns a random element, or `None` if the slice is empty.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        let index = self.index(from.len());
        from.get(index)
    }

    /// Fills a slice with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.word().to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Derives one part's seed from a common seed. `index` identifies the part. The derived seed does not depend on the
/// random numbers that other parts use.
#[must_use]
pub const fn part(seed: u64, index: u64) -> u64 {
    mix(seed ^ mix(index.wrapping_add(STEP)))
}

const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the algorithm changed, existing seeds would yield different files.
    #[test]
    fn sequence_matches_the_published_one() {
        let mut random = Random::new(1_234_567);
        let words: [u64; 3] = core::array::from_fn(|_| random.word());
        assert_eq!(words, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn ranges_include_both_ends() {
        let mut random = Random::new(3);
        let mut seen = [0_u32; 4];
        for _ in 0..400 {
            seen[usize::try_from(random.within(5..=8) - 5).unwrap()] += 1;
        }
        assert!(seen.iter().all(|times| (60..140).contains(times)), "{seen:?}");
        assert_eq!(random.within(9..=9), 9);
        assert_eq!(random.below(0), 0);
        assert_ne!(random.within(0..=u64::MAX), random.within(0..=u64::MAX));
        assert_eq!(random.pick::<u8>(&[]), None);
    }

    #[test]
    fn fill_writes_little_endian_words() {
        let mut bytes = [0; 11];
        Random::new(2).fill(&mut bytes);
        let mut random = Random::new(2);
        assert_eq!(bytes[..8], random.word().to_le_bytes());
        assert_eq!(bytes[8..], random.word().to_le_bytes()[..3]);
    }
}
