//! Shrinks the base of an attacked file: applies the same attack to smaller files.

use std::time::Instant;

use torchproof::attack::{Attack, Base};
use torchproof::check::Checker;
use torchproof::corpus::{self, Verdict};

use super::single::{Effort, shrink};

#[derive(Clone, Debug)]
pub struct Origin {
    /// The file before the attack.
    pub base: Vec<u8>,
    pub attack: &'static Attack,
}

/// The number of seeds to try for each base; the seed selects the place of an attack.
const SEEDS: u64 = 4;
const BASES: usize = 24;
/// A base of at most this number of bytes needs no shrinking.
const SMALL: usize = 1024;
/// A larger base is not shrunk, because each candidate needs its own byte map.
const LARGE: usize = 256 << 10;

/// Returns a smaller interesting file that the same attack produces, and the number of tries. It first tries the
/// smallest accepted cases of the corpus as bases, then the file's own base with less content.
pub(super) fn rebase(
    file: &[u8],
    origin: &Origin,
    effort: Effort,
    interesting: &mut dyn FnMut(&[u8]) -> bool,
) -> (Option<Vec<u8>>, u64) {
    let end = Instant::now().checked_add(effort.time);
    let mut tries = 0;
    let mut best: Option<Vec<u8>> = None;
    // Returns the attacked base if it is interesting and smaller than the best file.
    let mut attacked = |base: &Base, best: &Option<Vec<u8>>| {
        let most = best.as_ref().map_or(file.len(), Vec::len);
        (0..SEEDS).find_map(|seed| {
            if tries >= effort.tries || end.is_some_and(|end| Instant::now() >= end) {
                return None;
            }
            let made = origin.attack.apply(base, seed).filter(|made| made.bytes.len() < most)?;
            tries += 1;
            interesting(&made.bytes).then_some(made.bytes)
        })
    };
    let kind = Checker::new().check(&origin.base).kind;
    let accepted = corpus::all().filter(|case| case.verdict == Verdict::Accept).map(|case| case.build().bytes);
    let mut bases: Vec<Vec<u8>> = accepted.filter(|bytes| bytes.len() < file.len()).collect();
    bases.sort_by_key(Vec::len);
    let bases = bases.into_iter().map(Base::of).filter(|base| base.kind() == kind).take(BASES);
    for base in bases {
        if let Some(made) = attacked(&base, &best) {
            best = Some(made);
            break;
        }
    }
    if best.as_ref().map_or(file.len(), Vec::len) > SMALL && origin.base.len() <= LARGE {
        let left = Effort { time: effort.time / 2, tries: effort.tries / 2 };
        shrink(&origin.base, left, &mut |candidate| {
            let made = attacked(&Base::of(candidate.to_vec()), &best);
            let found = made.is_some();
            best = made.or_else(|| best.take());
            found
        });
    }
    (best, tries)
}
