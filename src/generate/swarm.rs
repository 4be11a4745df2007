//! Draws configurations from a fuzzer's bytes or from a seed. Most settings get low counts; some get high counts.

use arbitrary::{Arbitrary, Unstructured};

use super::Config;
use crate::random::Random;

/// The settings never need more random bytes than this.
const ENOUGH: usize = 4096;

impl Config {
    /// Returns a different configuration for each seed, so the files of different seeds differ in structure.
    ///
    /// A file has at most 2000 tables and 16 KiB of data.
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
        // `arbitrary` does not fail, because there are enough bytes for all settings.
        let drawn = Self::arbitrary(&mut Unstructured::new(&bytes)).unwrap_or_default();
        // Keep this setting at 0 so that a seed produces the same files as in releases without the setting.
        Self { explicit_zeros: 0, ..drawn }
    }
}
