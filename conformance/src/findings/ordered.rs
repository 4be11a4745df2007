//! **Work on many items at once, results in the items' order**: each is given out as soon as its turn comes.
//!
//! Only a window of results is held: who is far ahead of the one that everybody waits for waits too.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Results that may wait for their turn, for each thread.
const WINDOW: usize = 16;

/// Calls `work` on the items in `jobs` threads, and `consume` with the results in order.
///
/// When `consume` has seen enough and returns, no further item is begun.
pub fn in_order<T, R, O>(
    items: impl Iterator<Item = T> + Send,
    jobs: NonZero<usize>,
    work: impl Fn(T) -> R + Sync,
    consume: impl FnOnce(&mut Results<'_, R>) -> O,
) -> O
where
    T: Send,
    R: Send,
{
    let window = jobs.get().saturating_mul(WINDOW);
    let source = Mutex::new(Source { items: items.fuse(), next: 0 });
    let shared = Shared { state: Mutex::new(State::default()), room: Condvar::new(), ready: Condvar::new() };
    thread::scope(|scope| {
        for _ in 0..jobs.get() {
            scope.spawn(|| {
                let _guard = EndOnPanic(&shared);
                while let Some((index, item)) = take(&source, &shared, window) {
                    let result = work(item);
                    shared.lock().done.insert(index, result);
                    shared.ready.notify_one();
                }
            });
        }
        let mut results = Results { shared: &shared, next: 0 };
        consume(&mut results)
    })
}

/// The results, in the order of the items.
#[derive(Debug)]
pub struct Results<'s, R> {
    shared: &'s Shared<R>,
    next: usize,
}

impl<R> Iterator for Results<'_, R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        let mut state = self.shared.lock();
        loop {
            if let Some(result) = state.done.remove(&self.next) {
                self.next += 1;
                state.given = self.next;
                self.shared.room.notify_all();
                return Some(result);
            }
            if state.stopped || state.end.is_some_and(|end| end <= self.next) {
                return None;
            }
            state = self.shared.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<R> Drop for Results<'_, R> {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

/// What the threads take from.
struct Source<I> {
    items: I,
    next: usize,
}

#[derive(Debug)]
struct Shared<R> {
    state: Mutex<State<R>>,
    /// A result was given out.
    room: Condvar,
    /// A result came in, or none will.
    ready: Condvar,
}

#[derive(Debug)]
struct State<R> {
    /// Results that wait for their turn, by index.
    done: BTreeMap<usize, R>,
    /// How many were given out.
    given: usize,
    /// How many items there are, once that is known.
    end: Option<usize>,
    /// Nobody wants more, or a thread died.
    stopped: bool,
}

impl<R> Default for State<R> {
    fn default() -> Self {
        Self { done: BTreeMap::new(), given: 0, end: None, stopped: false }
    }
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.room.notify_all();
        self.ready.notify_all();
    }
}

/// The next item and its index, when there is room for its result; one thread at a time asks.
fn take<T, R>(
    source: &Mutex<Source<impl Iterator<Item = T>>>,
    shared: &Shared<R>,
    window: usize,
) -> Option<(usize, T)> {
    let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
    let mut state = shared.lock();
    while !state.stopped && source.next - state.given >= window {
        state = shared.room.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    if state.stopped {
        return None;
    }
    drop(state);
    let Some(item) = source.items.next() else {
        shared.lock().end = Some(source.next);
        shared.ready.notify_one();
        return None;
    };
    source.next += 1;
    Some((source.next - 1, item))
}

/// Lets nobody wait for the result of a thread that panicked; the scope hands the panic on.
struct EndOnPanic<'s, R>(&'s Shared<R>);

impl<R> Drop for EndOnPanic<'_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
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
    fn results_come_in_order_whatever_finishes_first() {
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
    fn no_more_than_a_window_is_begun_before_its_turn() {
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
        assert!(begun.into_inner() < 100 + 4 * WINDOW + 5, "items were begun that nobody wanted");
    }

    #[test]
    fn a_panic_is_handed_on() {
        let work = |item: usize| assert_ne!(item, 50, "as it should");
        let caught = std::panic::catch_unwind(|| in_order(0..100, jobs(3), work, |results| results.count()));
        assert!(caught.is_err());
    }
}
