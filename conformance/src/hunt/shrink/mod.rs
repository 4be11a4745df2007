//! **Makes a file smaller while it stays interesting**: what a person looks at when a reader fails.
//!
//! Whether a candidate is interesting is the caller's question, most often whether a reader does the same with it. A file whose
//! FlatBuffer can be followed is taken apart and written anew with less in it; any file is cut, and its bytes are made zeros, first
//! in large pieces and then in small ones. What comes out is no larger than what went in, and as interesting.

mod best;
mod bytes;
mod rewrite;

use std::time::{Duration, Instant};

use best::{Best, weight};

/// How much work shrinking may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Candidates that are tried, at most.
    pub tries: u64,
    /// How long it takes, at most, and the last candidate.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Self { tries: 5000, time: Duration::from_secs(60) }
    }
}

/// What came of shrinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The file, never larger than it was.
    pub bytes: Vec<u8>,
    /// How many candidates were tried.
    pub tries: u64,
    /// Whether nothing that is tried makes it smaller; not when the effort was used up.
    pub finished: bool,
}

/// Shrinks a file that is interesting.
///
/// The same file and the same answers give the same result, but for a limit on time. The file itself is not asked about: where it
/// is not interesting, nothing made of it may be either, and it comes back as it is.
///
/// ```
/// use torchproof_cli::hunt::shrink::{Effort, shrink};
///
/// let file = torchproof::corpus::find("pte/valid/constants").unwrap().build().bytes;
/// let shrunk = shrink(&file, Effort::default(), &mut |bytes| bytes.windows(4).any(|own| own == b"ET12"));
/// assert_eq!(shrunk.bytes.len(), 8); // The identifier is behind the first four bytes, which are zeros.
/// assert!(shrunk.finished);
/// ```
pub fn shrink(file: &[u8], effort: Effort, interesting: &mut dyn FnMut(&[u8]) -> bool) -> Shrunk {
    let end = Instant::now().checked_add(effort.time);
    let mut best = Best { bytes: file.to_vec(), tries: 0, most: effort.tries, end, interesting };
    loop {
        let before = best.weight();
        rewrite::reduce(&mut best);
        bytes::reduce(&mut best);
        if best.weight() == before || best.is_over() {
            break;
        }
    }
    let finished = !best.is_over();
    Shrunk { bytes: best.bytes, tries: best.tries, finished }
}

/// Shrinks files that are interesting together, in turn, until none of them gets smaller.
///
/// They have the effort together. As with [`shrink`], they are not asked about as they are.
pub fn shrink_together(
    files: &[Vec<u8>],
    effort: Effort,
    interesting: &mut dyn FnMut(&[&[u8]]) -> bool,
) -> Vec<Vec<u8>> {
    let begin = Instant::now();
    let mut best = files.to_vec();
    let mut tries = effort.tries;
    loop {
        let before: Vec<_> = best.iter().map(|file| weight(file)).collect();
        for at in 0..best.len() {
            let left = Effort { tries, time: effort.time.saturating_sub(begin.elapsed()) };
            let shrunk = shrink(&best[at], left, &mut |candidate| {
                let with = |(other, file)| if other == at { candidate } else { Vec::as_slice(file) };
                interesting(&best.iter().enumerate().map(with).collect::<Vec<_>>())
            });
            tries -= shrunk.tries;
            best[at] = shrunk.bytes;
        }
        // One file alone is as small as it gets.
        let is_over = best.len() < 2 || tries == 0 || begin.elapsed() >= effort.time;
        if is_over || best.iter().map(|file| weight(file)).eq(before) {
            return best;
        }
    }
}

#[cfg(test)]
mod tests;
