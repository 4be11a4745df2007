//! **What is to be done, and by which thread**: each task once, and for each thread the one that it will most likely do next.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Numbered tasks for some threads.
///
/// A thread can ask what comes next for it and prepare that; nobody waits for it, since a thread with nothing left takes what
/// another has only prepared.
#[derive(Debug)]
pub(super) struct Tasks {
    count: usize,
    left: Mutex<Left>,
}

/// What no thread has begun.
#[derive(Debug)]
struct Left {
    /// The first that no thread has asked for.
    next: usize,
    /// What comes next for each thread, if it has asked.
    coming: Vec<Option<usize>>,
}

impl Tasks {
    pub(super) fn new(count: usize, threads: usize) -> Self {
        Self { count, left: Mutex::new(Left { next: 0, coming: vec![None; threads] }) }
    }

    /// What the thread is to do now; nothing once all is done or being done.
    pub(super) fn take(&self, thread: usize) -> Option<usize> {
        let mut left = self.left();
        let own = left.coming[thread].take();
        own.or_else(|| left.unasked(self.count)).or_else(|| left.coming.iter_mut().find_map(Option::take))
    }

    /// What comes next for the thread, unless another has done everything else by then.
    pub(super) fn coming(&self, thread: usize) -> Option<usize> {
        let mut left = self.left();
        left.coming[thread] = left.coming[thread].or_else(|| left.unasked(self.count));
        left.coming[thread]
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Left {
    fn unasked(&mut self, count: usize) -> Option<usize> {
        let task = Some(self.next).filter(|task| *task < count)?;
        self.next += 1;
        Some(task)
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
