//! The random numbers of a campaign. The generator, SplitMix64, is deterministic: a seed and an index always produce
//! the same file.

/// The difference between successive states of the generator. The value is 2^64 divided by the golden ratio, rounded to
/// an odd number.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A random number generator.
pub(crate) struct Choice(u64);

impl Choice {
    /// Creates a generator whose first state is `seed`.
    pub(crate) const fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the seed of a generator that returns the same numbers as this generator returns from now on.
    pub(crate) const fn seed(&self) -> u64 {
        self.0
    }

    /// Returns a random number below `bound`, or 0 if `bound` is 0.
    pub(crate) const fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        ((mix(self.0) as u128 * bound as u128) >> 64) as u64
    }

    /// Returns a random index into a list of length `len`, or 0 if `len` is 0.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }
}

/// Derives a seed from `seed` and `index`.
pub(crate) const fn part(seed: u64, index: u64) -> u64 {
    mix(seed ^ mix(index.wrapping_add(STEP)))
}

const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}
