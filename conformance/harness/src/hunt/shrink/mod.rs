//! **Shrinking**: makes a file smaller as long as the file stays interesting.
//!
//! The caller decides whether a candidate is interesting, usually by running a reader. For an attacked file, shrinking
//! first applies the same attack to smaller bases. If the FlatBuffer of a file can be decoded, shrinking rewrites the file
//! with fewer tables, fields and segment bytes. Then shrinking truncates the file, removes pieces, and sets bytes to zero,
//! large pieces first. The result is still interesting and never larger than the input.

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

/// Shrinks a group of files, one file after another, until no file becomes smaller.
///
/// If the origin of a file is known, the function first applies the same attack to smaller bases.
///
/// The limits apply to all files together. The function does not test the input files themselves; neither does
/// [`shrink`].
pub fn shrink_together(
    files: &[Vec<u8>],
    origin: Option<(usize, &Origin)>,
    effort: Effort,
    interesting: &mut dyn FnMut(&[&[u8]]) -> bool,
) -> Vec<Vec<u8>> {
    let begin = Instant::now();
    let mut best = files.to_vec();
    let mut tries = effort.tries;
    // Tests the candidate together with the other files; `at` is the index of the file that the candidate replaces.
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
        // For a single file, one round is enough, because `shrink` already repeats its steps.
        let is_over = best.len() < 2 || tries == 0 || begin.elapsed() >= effort.time;
        if is_over || best.iter().map(|file| weight(file)).eq(before) {
            return best;
        }
    }
}

#[cfg(test)]
mod tests;
