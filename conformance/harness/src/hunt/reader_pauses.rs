//! Pauses after adapter errors, so that a broken adapter does not produce thousands of findings.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The length of the first pause; each further adapter error doubles it.
const FIRST: Duration = Duration::from_millis(50);
const DOUBLINGS: u32 = 7;
/// How often a pausing thread checks whether the campaign has ended.
const TICK: Duration = Duration::from_millis(50);

/// The number of consecutive adapter errors of each reader, counted over all threads.
#[derive(Debug, Default)]
pub(super) struct ReaderPauses(Mutex<BTreeMap<String, Errors>>);

#[derive(Clone, Copy, Debug)]
struct Errors {
    count: u32,
    until: Instant,
}

impl ReaderPauses {
    /// Waits until the reader's pause ends, or until `is_over` returns `true`.
    pub(super) fn wait(&self, reader: &str, is_over: &dyn Fn() -> bool) {
        while let Some(left) = self.left(reader).filter(|_| !is_over()) {
            sleep(left.min(TICK));
        }
    }

    /// Records whether a run of the reader ended with an adapter error.
    pub(super) fn record(&self, reader: &str, failed: bool) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failed {
            let count = all.get(reader).map_or(0, |errors| errors.count);
            let until = Instant::now() + FIRST * 2_u32.pow(count.min(DOUBLINGS));
            all.insert(reader.to_owned(), Errors { count: count.saturating_add(1), until });
        } else {
            all.remove(reader);
        }
    }

    fn left(&self, reader: &str) -> Option<Duration> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(reader)?.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapter_errors_lengthen_the_pause_of_one_reader_until_a_read_succeeds() {
        let pauses = ReaderPauses::default();
        assert_eq!(pauses.left("one"), None);
        (0..20).for_each(|_| pauses.record("one", true));
        assert!(pauses.left("one").unwrap() > FIRST * 2);
        assert_eq!(pauses.left("two"), None);
        pauses.wait("one", &|| true);
        pauses.record("one", false);
        assert_eq!(pauses.left("one"), None);
    }
}
