//! The share of the fuzzer's own mutation: by which of the two mutations found coverage, and by their time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use torchproof::random::Random;

/// The maximum number of remembered results; the oldest half of a campaign is too old to be drawn for the first time.
const MOST: usize = 1 << 16;
/// The number of results that the first guess, equal shares, weighs.
const GUESS: f64 = 2048.0;
/// The bounds of the share, so that each mutation can show again that it finds coverage.
const BOUNDS: (f64, f64) = (0.25, 0.75);
/// A mutation takes at most this part of the time of an execution.
const PART: u32 = 5;

/// The origin of a result: the fuzzer's own mutation, or this mutator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Engine,
    Mutator,
}

/// The results of each origin so far.
#[derive(Debug)]
pub(crate) struct Share {
    /// The origins of results, by hash.
    made: HashMap<u64, Origin>,
    last: u64,
    /// The numbers of results and of results with new coverage, for each origin.
    counts: [(f64, f64); 2],
    begin: Instant,
    /// The time that mutations of this mutator took since `begin`.
    spent: Duration,
}

impl Share {
    pub(crate) fn new() -> Self {
        let (counts, begin) = ([(GUESS, 1.0); 2], Instant::now());
        Self { made: HashMap::new(), last: 0, counts, begin, spent: Duration::ZERO }
    }

    /// Chooses the mutation of an input.
    ///
    /// A fuzzer draws only inputs with new coverage, except that it can mutate the last result once more.
    pub(crate) fn choose(&mut self, input: &[u8], random: &mut Random) -> Origin {
        let hash = hash(input);
        if hash != self.last
            && let Some(origin) = self.made.remove(&hash)
        {
            self.counts[origin as usize].1 += 1.0;
        }
        let rates = self.counts.map(|(made, found)| found / made);
        let share = (rates[0] / (rates[0] + rates[1])).clamp(BOUNDS.0, BOUNDS.1);
        let is_over = self.spent * (PART + 1) > self.begin.elapsed();
        #[expect(clippy::cast_precision_loss, reason = "a share needs few digits")]
        let drawn = random.below(1 << 16) as f64 / 65536.0;
        if is_over || drawn < share { Origin::Engine } else { Origin::Mutator }
    }

    /// Adds a result and the time that it took.
    pub(crate) fn add(&mut self, origin: Origin, result: &[u8], time: Duration) {
        if self.made.len() >= MOST {
            self.made.clear();
        }
        self.last = hash(result);
        self.made.insert(self.last, origin);
        self.counts[origin as usize].0 += 1.0;
        if origin == Origin::Mutator {
            self.spent += time;
        }
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

    /// Counts how often the engine is chosen, if the given origin finds coverage with every result.
    fn chosen(finds: Option<Origin>, time: Duration) -> usize {
        let (mut share, mut random, mut count) = (Share::new(), Random::new(1), 0);
        share.begin = Instant::now().checked_sub(Duration::from_secs(60)).unwrap_or(share.begin);
        for at in 0..4000_u32 {
            let origin = share.choose(&(at.wrapping_sub(2)).to_le_bytes(), &mut random);
            count += usize::from(origin == Origin::Engine);
            let result = if finds == Some(origin) { at } else { u32::MAX / 2 + at };
            share.add(origin, &result.to_le_bytes(), time);
        }
        count
    }

    #[test]
    fn the_share_starts_at_a_half_and_follows_coverage() {
        assert!((1850..2150).contains(&chosen(None, Duration::ZERO)));
        assert!(chosen(Some(Origin::Engine), Duration::ZERO) > 2700);
        assert!(chosen(Some(Origin::Mutator), Duration::ZERO) < 1300);
    }

    #[test]
    fn a_slow_mutation_leaves_five_sixths_of_the_time() {
        // 100 mutations of 0.1 s fill a sixth of a minute.
        assert!((3850..3950).contains(&chosen(None, Duration::from_millis(100))));
    }
}
