//! Attacks on a file, with a cache of byte maps.

use std::array::from_fn;
use std::collections::VecDeque;

use torchproof::attack::{Attack, AttackedFile, Base, all};
use torchproof::random::Random;

/// The largest file whose byte map does not take too much time.
const LONGEST: usize = 1 << 18;

const MOST_FILES: usize = 8;

/// The total length of files with byte maps in memory. A map needs up to fifty times the memory of its file.
const LARGEST: usize = 1 << 20;

/// How many attacks to try, because most apply only to files with a certain table or field.
const TRIES: usize = 12;

/// The byte maps of the most recently attacked files, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Bases(VecDeque<Base>);

impl Bases {
    /// Returns `None` if the drawn attacks do not apply to the file.
    pub(crate) fn attack(&mut self, bytes: &[u8], random: &mut Random) -> Option<AttackedFile> {
        if bytes.len() > LONGEST {
            return None;
        }
        let attacks: Vec<&'static Attack> = all().collect();
        let drawn: [_; TRIES] = from_fn(|_| attacks[random.index(attacks.len())]);
        let (seed, base) = (random.word(), self.base(bytes));
        drawn.iter().find_map(|attack| attack.apply(base, seed))
    }

    fn base(&mut self, bytes: &[u8]) -> &Base {
        let known = self.0.iter().position(|base| base.bytes() == bytes).and_then(|at| self.0.remove(at));
        let base = known.unwrap_or_else(|| Base::of(bytes.to_vec()));
        let total = |all: &VecDeque<Base>| all.iter().map(|base| base.bytes().len()).sum::<usize>();
        while self.0.len() >= MOST_FILES || total(&self.0) + bytes.len() > LARGEST {
            self.0.pop_front();
        }
        self.0.push_back(base);
        &self.0[self.0.len() - 1]
    }
}
