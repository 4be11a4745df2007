//! **Reader starts**: failures and time limits, shared by all threads.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of consecutive failed starts after which the runner gives up.
pub(super) const MAX_FAILED_STARTS: u32 = 3;
/// The factor by which a later start may be slower than the first, because readers start in parallel.
const SLOWER: u32 = 10;

#[derive(Clone, Debug, Default)]
pub struct ReaderStarts(Arc<Mutex<HashMap<Vec<OsString>, History>>>);

#[derive(Debug, Default)]
struct History {
    /// The time of the first successful start.
    first: Option<Duration>,
    /// Failures since the last success.
    failures: u32,
    error: String,
}

impl ReaderStarts {
    /// Returns the error of the last failed start, if the runner has given up.
    pub(super) fn given_up(&self, argv: &[OsString]) -> Option<String> {
        let starts = self.lock();
        starts.get(argv).filter(|starts| starts.failures >= MAX_FAILED_STARTS).map(|starts| starts.error.clone())
    }

    /// Returns the time limit for the next start, which is at least `given`.
    pub(super) fn limit(&self, argv: &[OsString], given: Duration) -> Duration {
        let first = self.lock().get(argv).and_then(|starts| starts.first);
        first.map_or(given, |first| given.max(first.saturating_mul(SLOWER)))
    }

    pub(super) fn succeeded(&self, argv: &[OsString], time: Duration) {
        let mut starts = self.lock();
        let history = starts.entry(argv.to_vec()).or_default();
        history.first.get_or_insert(time);
        history.failures = 0;
    }

    pub(super) fn failed(&self, argv: &[OsString], error: &str, count: u32) {
        let mut starts = self.lock();
        let history = starts.entry(argv.to_vec()).or_default();
        history.failures = history.failures.saturating_add(count);
        error.clone_into(&mut history.error);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<OsString>, History>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_grows_with_the_first_start_only() {
        let (starts, argv, given) = (ReaderStarts::default(), [OsString::from("reader")], Duration::from_secs(10));
        assert_eq!(starts.limit(&argv, given), given);
        starts.succeeded(&argv, Duration::from_secs(3));
        starts.succeeded(&argv, Duration::from_secs(30));
        assert_eq!(starts.limit(&argv, given), Duration::from_secs(30));
        assert_eq!(starts.limit(&[OsString::from("other")], given), given);
    }
}
