//! Configurations out of a fuzzer's bytes or a seed: of most things few, of some many.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::{Choice, Config, Count, Member, Percent};
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
        Self { explicit_zeros: Percent::new(0), ..drawn }
    }
}

impl<'a> Arbitrary<'a> for Count {
    /// Up to some power of two, each power as likely as any other.
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let power = bytes.int_in_range(0_u32..=7)?;
        let most = bytes.int_in_range(0..=1_u32 << power)?;
        let least = if bytes.arbitrary()? { most } else { bytes.int_in_range(0..=most)? };
        Ok(Count::new(least, most))
    }
}

impl<'a> Arbitrary<'a> for Percent {
    /// Never, always or at times.
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Percent::new(match bytes.int_in_range(0..=3)? {
            0 => 0,
            1 => 100,
            _ => bytes.int_in_range(0..=100)?,
        }))
    }
}

impl<'a, T: Member> Arbitrary<'a> for Choice<T> {
    /// One, or any.
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        if bytes.arbitrary()? {
            return Ok(Choice::of(&[*bytes.choose(T::ALL)?]));
        }
        let all: u64 = (1 << T::ALL.len()) - 1;
        match bytes.arbitrary::<u64>()? & all {
            0 => Ok(Choice::all()),
            bits => Ok(Choice::of_bits(bits)),
        }
    }
}
