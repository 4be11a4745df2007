//! **Random numbers that never change**: what a seed gives is part of what this library promises.
//!
//! The generator is SplitMix64, whose whole state is one word. It is fast and spreads well, and is no secret: do not make keys
//! with it.

use core::ops::RangeInclusive;

/// What each word's state differs by from the one before it: 2^64 over the golden ratio, made odd.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A sequence of random numbers, from its seed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The sequence of this seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub(crate) const fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// A number below `bound`; 0 if that is 0.
    pub(crate) const fn below(&mut self, bound: u64) -> u64 {
        // The high half of the product: as even as 64 bits can be spread over the bound, without a division.
        ((self.word() as u128 * bound as u128) >> 64) as u64
    }

    /// A number of a range, each as likely as any other; the start of an empty range.
    pub(crate) fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        let (start, end) = range.into_inner();
        match end.saturating_sub(start).checked_add(1) {
            Some(count) => start + self.below(count),
            None => self.word(),
        }
    }

    /// An index into something of this length; 0 if it is empty.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        // Below a `usize`.
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }

    /// `true` once in `times`.
    pub(crate) const fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of these, each as likely as any other.
    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        let index = self.index(from.len());
        from.get(index)
    }

    /// Overwrites all of these bytes.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.word().to_le_bytes()[..chunk.len()]);
        }
    }
}

/// The seed of one part of what a seed makes, so that what another part draws does not change it.
#[cfg(feature = "attack")]
pub(crate) const fn part(seed: u64, index: u64) -> u64 {
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

    /// The published sequence of SplitMix64 from 1234567: another generator would give other files for old seeds.
    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        let words: [u64; 3] = core::array::from_fn(|_| random.word());
        assert_eq!(words, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_range_is_met_at_both_ends_and_not_left() {
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
    fn bytes_are_the_words_in_file_order() {
        let mut bytes = [0; 11];
        Random::new(2).fill(&mut bytes);
        let mut random = Random::new(2);
        assert_eq!(bytes[..8], random.word().to_le_bytes());
        assert_eq!(bytes[8..], random.word().to_le_bytes()[..3]);
    }
}
