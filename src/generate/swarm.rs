//! Configurations out of a fuzzer's bytes or a seed: of most things few, of some many.

use arbitrary::{Arbitrary, Unstructured};

use super::Config;
use crate::random::Random;

/// More bytes than all settings together take.
const ENOUGH: usize = 4096;

impl Config {
    /// A configuration of its own for each seed, for files that differ from each other in kind and not only in detail.
    ///
    /// A file has 2000 tables and 16 KiB of data at most.
    ///
    /// ```
    /// use torchproof::generate::Config;
    /// assert_eq!(Config::swarm(1), Config::swarm(1));
    /// assert_ne!(Config::swarm(1), Config::swarm(2));
    /// ```
    #[must_use]
    pub fn swarm(seed: u64) -> Self {
        let mut bytes = [0; ENOUGH];
        Random::new(seed).fill(&mut bytes);
        // Where bytes run out, which they do not, settings are the least that they can be.
        let drawn = Self::arbitrary(&mut Unstructured::new(&bytes)).unwrap_or_default();
        // Releases without this setting draw the same files for the seed.
        Self { explicit_zeros: 0, ..drawn }
    }
}
