//! **Observation of a run**: its progress, and its early end.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// The number of results.
    pub done: usize,
    /// The number of results that a complete run has.
    pub planned: usize,
    /// The number of unexpected results.
    pub failed: usize,
}

pub trait Observer: Sync {
    /// Receives the progress after each result.
    fn progress(&self, progress: RunProgress);

    /// Returns whether the run must end before its next result.
    fn is_interrupted(&self) -> bool;
}

#[derive(Clone, Copy, Debug)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn progress(&self, _: RunProgress) {}

    fn is_interrupted(&self) -> bool {
        false
    }
}
