//! Attacks on a file, with a cache of byte maps.

use std::collections::VecDeque;

use fastrand::Rng;
use torchproof::attack::{Attack, Attacked, Base, all, compose};

/// The maximum length of a file that attacks mutate. The byte map of a larger file costs too much time.
const LONGEST: usize = 1 << 18;

/// The maximum number of byte maps in memory.
const MOST: usize = 8;

/// The maximum total length of the files whose byte maps are in memory. A byte map needs up to about fifty times the memory of
/// its file.
const LARGEST: usize = 1 << 20;

/// The number of attacks to try on a file. Most attacks apply only to files with a certain table or field.
const TRIES: usize = 12;

/// The attacks, and the byte maps of the files that were attacked last.
#[derive(Debug)]
pub(crate) struct Bases {
    attacks: Vec<&'static Attack>,
    /// The bases, the most recent last.
    recent: VecDeque<Base>,
}

impl Bases {
    pub(crate) fn new() -> Self {
        Self { attacks: all().collect(), recent: VecDeque::new() }
    }

    /// Applies one attack, or sometimes three attacks. Returns `None` if the drawn attacks do not apply to the file.
    pub(crate) fn attack(&mut self, bytes: &[u8], random: &mut Rng) -> Option<Attacked> {
        if bytes.len() > LONGEST {
            return None;
        }
        let mut drawn = [&self.attacks[0]; TRIES];
        drawn.fill_with(|| &self.attacks[random.usize(..self.attacks.len())]);
        let drawn = drawn.map(|attack| *attack);
        let seed = random.u64(..);
        let several = random.u8(..16) == 0;
        let base = self.base(bytes);
        if several {
            return compose(base, &drawn[..3], seed);
        }
        drawn.iter().find_map(|attack| attack.apply(base, seed))
    }

    /// Returns the base of a file, from the cache if possible.
    fn base(&mut self, bytes: &[u8]) -> &Base {
        let known = self.recent.iter().position(|base| base.bytes() == bytes);
        let base = match known.and_then(|at| self.recent.remove(at)) {
            Some(base) => base,
            None => Base::of(bytes.to_vec()),
        };
        let mut total = base.bytes().len();
        let mut left = MOST;
        // Keep the most recent bases while their number and their total length are within the limits.
        let kept = self.recent.iter().rev().take_while(|base| {
            total += base.bytes().len();
            left -= 1;
            left > 0 && total <= LARGEST
        });
        let kept = kept.count();
        self.recent.drain(..self.recent.len() - kept);
        self.recent.push_back(base);
        &self.recent[kept]
    }
}
