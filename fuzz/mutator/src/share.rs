//! The share of the fuzzer's own mutation. It depends on the coverage that the engine and this mutator find, and on their time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use torchproof::random::Random;

/// The maximum number of remembered results. It is enough, because a fuzzer soon draws a new input for the first time.
const MOST_MADE: usize = 1 << 16;
/// The number of results that count as much as the first guess, which is equal shares.
const GUESS: u64 = 2048;
/// A mutation may take at most this fraction of an execution's time.
const PART: u32 = 5;

/// What the fuzzer's own mutation and this mutator have achieved so far.
#[derive(Debug)]
pub(crate) struct Share {
    /// For the hash of each result, whether the engine made it.
    made: HashMap<u64, bool>,
    last: u64,
    /// The number of results, and the number of results with new coverage, for this mutator and for the engine.
    counts: [(u64, u64); 2],
    begin: Instant,
    /// How long this mutator's mutations have taken since `begin`.
    spent: Duration,
}

impl Share {
    pub(crate) fn new() -> Self {
        let (counts, begin) = ([(GUESS, 1); 2], Instant::now());
        Self { made: HashMap::new(), last: 0, counts, begin, spent: Duration::ZERO }
    }

    /// Returns whether the engine mutates the input. The engine and this mutator each get at least a quarter of the
    /// inputs, so that both always have a chance to find coverage.
    pub(crate) fn draws_engine(&mut self, input: &[u8], random: &mut Random) -> bool {
        let hash = hash(input);
        // A fuzzer draws only inputs with new coverage, except that it can mutate the last result once more.
        if let Some(by_engine) = if hash == self.last { None } else { self.made.remove(&hash) } {
            self.counts[usize::from(by_engine)].1 += 1;
        }
        let [(ours, our_finds), (own, own_finds)] = self.counts;
        let (own_rate, our_rate) = (own_finds * ours, our_finds * own);
        let share = (own_rate / (own_rate + our_rate).div_ceil(256)).clamp(64, 192);
        self.spent * (PART + 1) > self.begin.elapsed() || random.below(256) < share
    }
    pub(crate) fn add(&mut self, by_engine: bool, result: &[u8], time: Duration) {
        if self.made.len() >= MOST_MADE {
            self.made.clear();
        }
        self.last = hash(result);
        self.made.insert(self.last, by_engine);
        self.counts[usize::from(by_engine)].0 += 1;
        self.spent += if by_engine { Duration::ZERO } else { time };
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts how often the engine is drawn if either the engine or this mutator finds coverage with every result.
    fn drawn(finds: Option<bool>, time: Duration) -> usize {
        let (mut share, mut random, mut count) = (Share::new(), Random::new(1), 0);
        share.begin = Instant::now().checked_sub(Duration::from_secs(60)).unwrap_or(share.begin);
        for at in 0..4000_u32 {
            let by_engine = share.draws_engine(&at.wrapping_sub(2).to_le_bytes(), &mut random);
            count += usize::from(by_engine);
            let result = if finds == Some(by_engine) { at } else { u32::MAX / 2 + at };
            share.add(by_engine, &result.to_le_bytes(), time);
        }
        count
    }

    #[test]
    fn the_share_follows_coverage_and_time() {
        assert!((1850..2150).contains(&drawn(None, Duration::ZERO)));
        assert!(drawn(Some(true), Duration::ZERO) > 2700);
        assert!(drawn(Some(false), Duration::ZERO) < 1300);
        // 100 mutations of 0.1 s fill a sixth of a minute.
        assert!((3850..3950).contains(&drawn(None, Duration::from_millis(100))));
    }
}
