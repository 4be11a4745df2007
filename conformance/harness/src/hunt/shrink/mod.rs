//! **Shrinking**: makes a file smaller as long as it stays interesting. The caller decides what is interesting, usually
//! by running a reader.
//!
//! For an attacked file, the same attack is first applied to smaller bases. A file whose FlatBuffer can be decoded is then
//! rewritten with fewer tables, fields and segment bytes. Finally, every file is truncated, pieces of it are removed, and
//! bytes are set to zero, large pieces first. The result is still interesting and never larger than the input.

mod bytes;
mod rebase;
mod rewrite;
mod single;
mod smallest_file;

use std::time::Instant;

pub use rebase::Origin;
use rebase::rebase;
pub use single::{Effort, ShrinkResult, shrink};
use smallest_file::weight;

/// Shrinks a group of files, one after another, until none becomes smaller. If there is an origin, first applies the
/// same attack to smaller bases.
///
/// The limits are for all files together. Like [`shrink`], the function does not test the input itself.
pub fn shrink_together(
    files: &[Vec<u8>],
    origin: Option<(usize, &Origin)>,
    effort: Effort,
    interesting: &mut dyn FnMut(&[&[u8]]) -> bool,
) -> Vec<Vec<u8>> {
    let begin = Instant::now();
    let mut best = files.to_vec();
    let mut tries = effort.tries;
    // Tests the candidate in place of the file with the index `at`.
    let mut together = |best: &[Vec<u8>], at: usize, candidate: &[u8]| {
        let with = |(other, file)| if other == at { candidate } else { Vec::as_slice(file) };
        interesting(&best.iter().enumerate().map(with).collect::<Vec<_>>())
    };
    if let Some((at, origin)) = origin {
        let (made, tried) = rebase(&best[at], origin, effort, &mut |candidate| together(&best, at, candidate));
        tries -= tried;
        if let Some(bytes) = made {
            best[at] = bytes;
        }
    }
    loop {
        let before: Vec<_> = best.iter().map(|file| weight(file)).collect();
        for at in 0..best.len() {
            let left = Effort { tries, time: effort.time.saturating_sub(begin.elapsed()) };
            let shrunk = shrink(&best[at], left, &mut |candidate| together(&best, at, candidate));
            tries -= shrunk.tries;
            best[at] = shrunk.bytes;
        }
        // `shrink` already repeats its steps, so a single file needs only one round.
        let is_over = best.len() < 2 || tries == 0 || begin.elapsed() >= effort.time;
        if is_over || best.iter().map(|file| weight(file)).eq(before) {
            return best;
        }
    }
}

#[cfg(test)]
mod tests;
