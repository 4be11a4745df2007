//! Configurations from a fuzzer's bytes or a seed: few of most things, many of some.

use arbitrary::{Arbitrary, Unstructured};

use super::Config;
use crate::random::Random;

/// More bytes than all settings together consume.
const ENOUGH: usize = 4096;

impl Config {
    /// Returns a different configuration for each seed, so that files differ in structure and not only in detail.
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
        // If bytes run out, which does not happen, settings take their minimum.
        let drawn = Self::arbitrary(&mut Unstructured::new(&bytes)).unwrap_or_default();
        // Seeds give the same files as in releases without this setting.
        Self { explicit_zeros: 0, ..drawn }
    }
}
