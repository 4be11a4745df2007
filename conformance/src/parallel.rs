//! **Parallel work with ordered results.** To save memory, [`in_order`] limits the number of items in progress and of
//! results that wait for output.

use std::collections::VecDeque;
use std::iter;
use std::num::NonZero;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The maximum number of items per thread that are in progress or wait for output.
const WINDOW: usize = 16;

/// Calls `work` on all items in parallel, and passes the results to `consume` in order. Once `consume` has returned,
/// threads finish the items that they have taken, but take no more.
pub(crate) fn in_order<T: Send, R: Send, O>(
    mut items: impl Iterator<Item = T>,
    jobs: NonZero<usize>,
    work: impl Fn(T) -> R + Sync,
    consume: impl FnOnce(&mut dyn Iterator<Item = R>) -> O,
) -> O {
    let window = jobs.get().saturating_mul(WINDOW);
    let (give, tasks) = channel::<(T, Sender<R>)>();
    let tasks = Mutex::new(tasks);
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
    thread::scope(|scope| {
        for _ in 0..jobs.get() {
            scope.spawn(|| {
                while let Ok((item, done)) = next() {
                    // `consume` may already have dropped the receiver.
                    let _ = done.send(work(item));
                }
            });
        }
        let mut waiting = VecDeque::new();
        let mut results = iter::from_fn(|| {
            while waiting.len() < window
                && let Some(item) = items.next()
            {
                let (done, result) = channel();
                give.send((item, done)).ok()?;
                waiting.push_back(result);
            }
            // A thread that panicked sends no result, and the scope propagates its panic.
            waiting.pop_front()?.recv().ok()
        });
        let consumed = consume(&mut results);
        drop(give);
        while next().is_ok() {}
        consumed
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn jobs(count: usize) -> NonZero<usize> {
        NonZero::new(count).unwrap()
    }

    #[test]
    fn results_have_the_order_of_the_items() {
        let slow_first = |item: u64| {
            thread::sleep(Duration::from_micros(500 * (item % 7)));
            item * 2
        };
        for count in [1, 3, 16] {
            let all: Vec<u64> = in_order(0..200, jobs(count), slow_first, |results| results.collect());
            assert!(all.into_iter().eq((0..200).map(|item| item * 2)), "{count} threads");
        }
        assert_eq!(in_order(0..0, jobs(4), slow_first, |results| results.count()), 0);
    }

    #[test]
    fn only_a_window_of_items_starts_early() {
        let begun = AtomicUsize::new(0);
        let work = |item: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            item
        };
        in_order(0..10_000, jobs(4), work, |results| {
            for item in results.take(100) {
                let ahead = begun.load(Ordering::SeqCst) - item;
                assert!(ahead <= 4 * WINDOW + 5, "{ahead} ahead of {item}");
            }
        });
        assert!(begun.into_inner() < 100 + 4 * WINDOW + 5, "items started after `consume` returned");
    }

    #[test]
    fn a_panic_in_work_propagates() {
        let work = |item: usize| assert_ne!(item, 50, "expected panic");
        let caught = std::panic::catch_unwind(|| in_order(0..100, jobs(3), work, |results| results.count()));
        assert!(caught.is_err());
    }
}
