//! **Re-runs**: repeats a read after a termination, and remembers the results.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::crash::symbols::{Naming, Symbols};
use super::outcome::{Cause, Outcome, Rerun};
use super::site::Site;

/// The factor by which the read after a hang may take longer than the first read.
pub(crate) const HANG_FACTOR: u32 = 4;

/// The re-runs of all readers. All clones share the results.
#[derive(Clone, Debug, Default)]
pub struct Reruns {
    /// The names for each reader. They must not be used for another reader's code.
    symbols: Arc<Mutex<HashMap<String, Symbols>>>,
    /// The sites that a re-run confirmed; `None` to confirm every termination.
    confirmed: Option<Arc<Mutex<Confirmed>>>,
}

/// For each reader and site, the total size of the smallest files.
type Confirmed = HashMap<(String, Site), u64>;

impl Reruns {
    /// Repeats a crash only if no re-run has confirmed its site yet, or if its files are smaller, so that the smallest
    /// files of each site are confirmed.
    pub fn of_new_crashes() -> Self {
        Self { confirmed: Some(Arc::default()), ..Self::default() }
    }

    /// Reads files of the given total size within a time limit. A read that ends in a termination is repeated in a new
    /// process, where no earlier case can be the cause.
    ///
    /// After a hang, the second read gets [`HANG_FACTOR`] times the limit, because a busy machine can delay a read. If
    /// it ends within the original limit, its outcome counts, and the flag is true.
    ///
    /// The time that `read` returns does not include the worker's start. Only a re-run of a sanitizer report with
    /// unknown addresses names functions.
    pub(super) fn read(
        &self,
        reader: &str,
        (size, limit): (u64, Duration),
        mut read: impl FnMut(Duration, Naming) -> (Outcome, Duration),
    ) -> (Outcome, bool) {
        let symbols =
            self.symbols.lock().unwrap_or_else(PoisonError::into_inner).entry(reader.to_owned()).or_default().clone();
        let mut once = |limit, naming| {
            let (outcome, time) = read(limit, naming);
            (symbols.complete(outcome), time)
        };
        let (first, _) = once(limit, Naming::Addresses);
        let Some(termination) = first.termination() else { return (first, false) };
        let hangs = matches!(termination.cause, Cause::WallTime(_));
        let is_known = symbols.knows(&first);
        if !hangs && is_known && self.is_confirmed(reader, &first, size) {
            return (first, false);
        }
        let longer = limit.saturating_mul(if hangs { HANG_FACTOR } else { 1 });
        let (mut again, time) = once(longer, if is_known { Naming::Addresses } else { Naming::Marked });
        if is_known && !symbols.knows(&again) {
            // The new process crashed elsewhere, at a place that only one more crash can name.
            let named = once(longer, Naming::Marked).0;
            again = if named.termination().is_some() { named } else { again };
        }
        let slow = hangs && time <= limit && again.termination().is_none();
        let outcome = if slow { again } else { first.confirmed_by(again) };
        self.confirm(reader, &outcome, size);
        (outcome, slow)
    }

    fn is_confirmed(&self, reader: &str, outcome: &Outcome, size: u64) -> bool {
        self.confirmed.as_ref().is_some_and(|confirmed| {
            let confirmed = confirmed.lock().unwrap_or_else(PoisonError::into_inner);
            confirmed.get(&(reader.to_owned(), Site::of(outcome))).is_some_and(|smallest| *smallest <= size)
        })
    }

    fn confirm(&self, reader: &str, outcome: &Outcome, size: u64) {
        let is_confirmed = outcome.termination().is_some_and(|died| died.rerun == Rerun::Confirmed);
        if let Some(confirmed) = self.confirmed.as_ref().filter(|_| is_confirmed) {
            let mut confirmed = confirmed.lock().unwrap_or_else(PoisonError::into_inner);
            let smallest = confirmed.entry((reader.to_owned(), Site::of(outcome))).or_insert(size);
            *smallest = size.min(*smallest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::outcome::Termination;
    use torchproof::Stage;

    fn hang(time: Duration) -> Outcome {
        Outcome::Died(Termination::of(Cause::WallTime(time)))
    }

    fn read(limit: Duration, mut read: impl FnMut(Duration) -> (Outcome, Duration)) -> (Outcome, bool) {
        Reruns::default().read("reader", (0, limit), |limit, _| read(limit))
    }

    #[test]
    fn only_a_new_site_or_a_smaller_file_is_repeated() {
        let reads = |reruns: &Reruns, signal, size| {
            let mut count = 0;
            reruns.read("reader", (size, Duration::ZERO), |_, _| {
                count += 1;
                (Outcome::Died(Termination::of(Cause::Signal(signal))), Duration::ZERO)
            });
            count
        };
        let reruns = Reruns::of_new_crashes();
        let counts = [(11, 9), (11, 9), (11, 8), (11, 9), (6, 9)].map(|(signal, size)| reads(&reruns, signal, size));
        assert_eq!(counts, [2, 1, 2, 1, 2]);
        assert_eq!([9; 2].map(|size| reads(&Reruns::default(), 11, size)), [2; 2]);
    }

    #[test]
    fn a_hang_is_confirmed_with_a_longer_limit() {
        let time = Duration::from_millis(10);
        let confirmed = read(time, |limit| (hang(limit), limit));
        let expected = Termination { rerun: Rerun::Confirmed, ..Termination::of(Cause::WallTime(time)) };
        assert_eq!(confirmed, (Outcome::Died(expected), false));
        let mut limits = Vec::new();
        read(time, |limit| {
            limits.push(limit);
            (Outcome::Died(Termination::of(Cause::Abort)), Duration::ZERO)
        });
        assert_eq!(limits, [time; 2]);
    }

    #[test]
    fn a_slow_read_is_a_hang_only_if_the_second_read_also_exceeds_the_limit() {
        let accept = Outcome::Accept { stage: Stage::Header, value: None };
        let limit = Duration::from_millis(10);
        let slow_once = |again: Duration| {
            read(limit, |time| if time == limit { (hang(limit), limit) } else { (accept.clone(), again) })
        };
        assert_eq!(slow_once(limit), (accept.clone(), true));
        let (outcome, slow) = slow_once(Duration::from_millis(11));
        let rerun = outcome.termination().map(|died| died.rerun.clone());
        assert!(matches!(rerun, Some(Rerun::Flaky(_))) && !slow, "{outcome:?}");
    }
}
