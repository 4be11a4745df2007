//! Shrinks one file.

use std::time::{Duration, Instant};

use super::smallest_file::SmallestFile;
use super::{bytes, rewrite};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The maximum number of candidates.
    pub tries: u64,
    /// The time limit. A test that starts before the limit can end after it.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Self { tries: 5000, time: Duration::from_secs(60) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShrinkResult {
    /// The shrunk file, which is never larger than the input.
    pub bytes: Vec<u8>,
    /// The number of candidates tried.
    pub tries: u64,
    /// `true` if all candidates were tried before a limit was reached.
    pub finished: bool,
}

/// Shrinks an interesting file.
///
/// Unless time runs out, the result depends only on the file and on what `interesting` returns. The input itself is not
/// tested; if it is uninteresting, it is normally returned unchanged.
///
/// ```
/// use torchproof_harness::hunt::shrink::{Effort, shrink};
///
/// let file = torchproof::corpus::find("pte/valid/constants").unwrap().build().bytes;
/// let shrunk = shrink(&file, Effort::default(), &mut |bytes| bytes.windows(4).any(|own| own == b"ET12"));
/// assert_eq!(shrunk.bytes.len(), 8); // The identifier follows the first four bytes, which are zeros.
/// assert!(shrunk.finished);
/// ```
pub fn shrink(file: &[u8], effort: Effort, interesting: &mut dyn FnMut(&[u8]) -> bool) -> ShrinkResult {
    let end = Instant::now().checked_add(effort.time);
    let mut best = SmallestFile { bytes: file.to_vec(), tries: 0, most: effort.tries, end, interesting };
    loop {
        let before = best.weight();
        rewrite::reduce(&mut best);
        bytes::reduce(&mut best);
        if best.weight() == before || best.is_over() {
            break;
        }
    }
    let finished = !best.is_over();
    ShrinkResult { bytes: best.bytes, tries: best.tries, finished }
}
