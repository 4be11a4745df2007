//! **Observation of a run**: its progress, and its early end.

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// The number of results.
    pub done: usize,
    /// The number of results that a complete run has.
    pub planned: usize,
    /// The number of unexpected results.
    pub failed: usize,
}

/// An observer of a run, which can end the run early.
pub trait Observer: Sync {
    /// Receives the progress after each result.
    fn progress(&self, progress: RunProgress);

    /// Returns whether the run must end before its next result.
    fn is_interrupted(&self) -> bool;
}

/// An observer that ignores the progress and never ends a run.
#[derive(Clone, Copy, Debug)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn progress(&self, _: RunProgress) {}

    fn is_interrupted(&self) -> bool {
        false
    }
}
