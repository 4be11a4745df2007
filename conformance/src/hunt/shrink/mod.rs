//! **Shrinking**: makes a file smaller while it stays interesting.
//!
//! The caller decides whether a candidate is interesting, usually by running a reader on it. A file whose FlatBuffer can be
//! decoded is written again with fewer tables, fields and segment bytes. Any file is truncated and its bytes set to zero, large
//! pieces first. The result is never larger than the input and still interesting.

mod best;
mod bytes;
mod rewrite;

use std::time::{Duration, Instant};

use best::{Best, weight};

/// The limits of shrinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The largest number of candidates.
    pub tries: u64,
    /// The time limit; the last candidate may exceed it.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Self { tries: 5000, time: Duration::from_secs(60) }
    }
}

/// The result of shrinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The file, never larger than the input.
    pub bytes: Vec<u8>,
    /// The number of candidates tried.
    pub tries: u64,
    /// Whether no further candidate is smaller; `false` if the effort was used up.
    pub finished: bool,
}

/// Shrinks an interesting file.
///
/// Equal inputs and decisions give equal results, unless the time limit applies. The input itself is not tested: an input
/// that is not interesting is normally returned unchanged.
///
/// ```
/// use torchproof_cli::hunt::shrink::{Effort, shrink};
///
/// let file = torchproof::corpus::find("pte/valid/constants").unwrap().build().bytes;
/// let shrunk = shrink(&file, Effort::default(), &mut |bytes| bytes.windows(4).any(|own| own == b"ET12"));
/// assert_eq!(shrunk.bytes.len(), 8); // The identifier follows the first four bytes, which are zeros.
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
/// The files share the effort. As with [`shrink`], the input itself is not tested.
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
        // A single file cannot get smaller in a second round.
        let is_over = best.len() < 2 || tries == 0 || begin.elapsed() >= effort.time;
        if is_over || best.iter().map(|file| weight(file)).eq(before) {
            return best;
        }
    }
}

#[cfg(test)]
mod tests;
