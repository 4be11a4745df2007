//! The random choices of a campaign: SplitMix64, so that a seed and a number give the same file for ever.

/// What each state differs by from the one before it: 2^64 over the golden ratio, made odd.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The choices of one seed.
pub(crate) struct Choice(u64);

impl Choice {
    pub(crate) const fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`; 0 if that is 0.
    pub(super) const fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        ((mix(self.0) as u128 * bound as u128) >> 64) as u64
    }

    /// An index into something of this length; 0 if it is empty.
    pub(super) fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }
}

/// The seed of one part of what a seed makes.
pub(crate) const fn part(seed: u64, index: u64) -> u64 {
    mix(seed ^ mix(index.wrapping_add(STEP)))
}

const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}
