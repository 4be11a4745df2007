//! The smallest interesting file so far.

use std::time::Instant;

use crate::reader::interrupt::is_interrupted;

/// The smallest interesting file so far, with the limits and the number of tries.
pub(super) struct SmallestFile<'f> {
    pub(super) bytes: Vec<u8>,
    pub(super) tries: u64,
    pub(super) most: u64,
    pub(super) end: Option<Instant>,
    pub(super) interesting: &'f mut dyn FnMut(&[u8]) -> bool,
}

impl SmallestFile<'_> {
    /// Replaces the best file if the candidate is simpler and interesting, and returns whether it did so.
    pub(super) fn take(&mut self, candidate: Vec<u8>) -> bool {
        let simpler = weight(&candidate) < self.weight();
        let taken = simpler && self.holds(&candidate);
        if taken {
            self.bytes = candidate;
        }
        taken
    }

    /// [Takes](Self::take) a changed copy of the best file.
    pub(super) fn patch(&mut self, change: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut bytes = self.bytes.clone();
        change(&mut bytes);
        self.take(bytes)
    }

    /// Returns whether a candidate is interesting; always `false` after a limit has been reached.
    pub(super) fn holds(&mut self, candidate: &[u8]) -> bool {
        if self.is_over() {
            return false;
        }
        self.tries += 1;
        (self.interesting)(candidate)
    }

    pub(super) fn is_over(&self) -> bool {
        self.tries >= self.most || self.end.is_some_and(|end| Instant::now() >= end) || is_interrupted()
    }

    pub(super) fn weight(&self) -> (usize, usize) {
        weight(&self.bytes)
    }
}

/// Returns the size of a file and its number of nonzero bytes. A file is simpler if this pair is smaller.
pub(super) fn weight(bytes: &[u8]) -> (usize, usize) {
    (bytes.len(), bytes.iter().filter(|byte| **byte != 0).count())
}
