//! Hands out a campaign's indexes to threads, and updates base and attack weights after each block.

use std::sync::Arc;

use super::draw::{Draw, Weights};
use super::feedback::{BLOCK, Feedback, Trial};

#[derive(Debug)]
pub(super) struct Blocks<'d> {
    draw: &'d Draw,
    feedback: Arc<Feedback>,
    weights: Arc<Weights>,
    /// The trial for each file in the block; `None` until the readers have run on the file.
    trials: Vec<Option<Trial>>,
    /// The number of files that threads have taken.
    taken: u64,
}

impl<'d> Blocks<'d> {
    /// Creates the block that follows the complete blocks in `feedback`.
    pub(super) fn after(feedback: Arc<Feedback>, draw: &'d Draw) -> Self {
        let weights = Arc::new(draw.weights(&feedback));
        Self { draw, feedback, weights, trials: empty(), taken: 0 }
    }

    /// Takes the next index. Returns `None` if another thread is still testing a file from this block, so the next
    /// block cannot begin yet.
    pub(super) fn take(&mut self) -> Option<(u64, Arc<Weights>)> {
        if self.taken == BLOCK {
            return None;
        }
        self.taken += 1;
        Some((self.feedback.blocks * BLOCK + self.taken - 1, Arc::clone(&self.weights)))
    }

    /// Adds a file's trial. Returns the feedback if this completes the block.
    pub(super) fn add(&mut self, index: u64, trial: Trial) -> Option<Arc<Feedback>> {
        let at = usize::try_from(index % BLOCK).unwrap_or_default();
        self.trials[at] = Some(trial);
        if self.trials.iter().any(Option::is_none) {
            return None;
        }
        let block: Vec<Trial> = std::mem::replace(&mut self.trials, empty()).into_iter().flatten().collect();
        Arc::make_mut(&mut self.feedback).add(&block);
        self.weights = Arc::new(self.draw.weights(&self.feedback));
        self.taken = 0;
        Some(Arc::clone(&self.feedback))
    }
}

fn empty() -> Vec<Option<Trial>> {
    (0..BLOCK).map(|_| None).collect()
}
