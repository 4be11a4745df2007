//! **What is to be done, and by which thread**: each task once, and for each thread the one that it will most likely do next.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Numbered tasks for some threads.
///
/// A thread can ask what comes next for it and prepare that; nobody waits for it, since a thread with nothing left takes what
/// another has only prepared.
#[derive(Debug)]
pub(super) struct Tasks {
    count: usize,
    /// The first that no thread has asked for.
    next: AtomicUsize,
    /// What comes next for each thread, if it has asked.
    coming: Vec<AtomicUsize>,
}

/// No task has this number.
const NONE: usize = usize::MAX;

impl Tasks {
    pub(super) fn new(count: usize, threads: usize) -> Self {
        let coming = (0..threads).map(|_| AtomicUsize::new(NONE)).collect();
        Self { count, next: AtomicUsize::new(0), coming }
    }

    /// What the thread is to do now; nothing once all is done or being done.
    pub(super) fn take(&self, thread: usize) -> Option<usize> {
        let own = || self.taken(thread);
        let others = || (0..self.coming.len()).find_map(|other| self.taken(other));
        own().or_else(|| self.unasked()).or_else(others)
    }

    /// What comes next for the thread, unless another has done everything else by then.
    pub(super) fn coming(&self, thread: usize) -> Option<usize> {
        let coming = self.taken(thread).or_else(|| self.unasked())?;
        self.coming[thread].store(coming, Ordering::Relaxed);
        Some(coming)
    }

    fn taken(&self, thread: usize) -> Option<usize> {
        // To swap it is enough that nobody else has it: what a task needs was there before the threads were.
        Some(self.coming[thread].swap(NONE, Ordering::Relaxed)).filter(|task| *task != NONE)
    }

    fn unasked(&self) -> Option<usize> {
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|task| *task < self.count)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_does_what_was_to_come_and_in_the_end_what_was_to_come_for_others() {
        let tasks = Tasks::new(5, 3);
        assert_eq!((tasks.take(0), tasks.coming(0), tasks.coming(0)), (Some(0), Some(1), Some(1)));
        assert_eq!((tasks.take(1), tasks.coming(1)), (Some(2), Some(3)));
        assert_eq!((tasks.take(1), tasks.coming(1)), (Some(3), Some(4)));
        // The first is still at work on its first.
        assert_eq!((tasks.take(2), tasks.coming(2)), (Some(1), None));
        assert_eq!((tasks.take(0), tasks.take(0), tasks.take(1), tasks.take(2)), (Some(4), None, None, None));
        assert_eq!(tasks.coming(0), None);
    }

    #[test]
    fn each_task_is_done_once() {
        const COUNT: usize = 10_000;
        let (tasks, done) = (&Tasks::new(COUNT, 4), &Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    while let Some(task) = tasks.take(thread) {
                        tasks.coming(thread);
                        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(task);
                    }
                });
            }
        });
        let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        done.sort_unstable();
        assert!(done.into_iter().eq(0..COUNT));
    }
}
