//! Shrinks the base of an attacked file: applies the same attack to smaller files.

use std::time::Instant;

use torchproof::attack::{Attack, Base};
use torchproof::check::Checker;
use torchproof::corpus::{self, Verdict};

use super::single::{Effort, shrink};

/// The origin of an attacked file.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The file before the attack.
    pub base: Vec<u8>,
    /// The attack.
    pub attack: &'static Attack,
}

/// The number of seeds to try for each base. The seed selects the place of an attack.
const SEEDS: u64 = 4;
/// The maximum number of accepted files to try as the base.
const BASES: usize = 24;
/// Bases that are not larger than this number of bytes need no shrinking.
const SMALL: usize = 1024;
/// Bases that are larger than this number of bytes are not shrunk, because each candidate needs a byte map of its own.
const LARGE: usize = 256 << 10;

/// Returns a smaller interesting file that the same attack produces, and the number of tries.
///
/// First tries the smallest accepted cases of the corpus as bases, then removes content from the base of the file.
pub(super) fn rebase(
    file: &[u8],
    origin: &Origin,
    effort: Effort,
    interesting: &mut dyn FnMut(&[u8]) -> bool,
) -> (Option<Vec<u8>>, u64) {
    let end = Instant::now().checked_add(effort.time);
    let mut tries = 0;
    let mut best: Option<Vec<u8>> = None;
    // Returns the attacked base if the attacked base is interesting and smaller than the best file.
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
