//! **The tasks of a run**: each reader on each case, distributed over threads.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;
use torchproof::random::part;

use super::reader_under_test::ReaderUnderTest;
use super::staged::Staging;
use super::stream::ResultStream;
use super::watch::{Observer, RunProgress};
use crate::reader::{Reader, Settings};
use crate::run::record::Record;

/// The tasks and the results of a run, by reader and case.
pub(super) struct RunTasks<'w, 'a> {
    readers: &'w [ReaderUnderTest<'a>],
    /// The selected cases, as indexes into the manifest.
    chosen: &'w [usize],
    /// The expected value of each accept case, if it is known.
    expects: &'w [Option<Value>],
    stream: &'w ResultStream,
    watch: &'w dyn Observer,
    /// The index of a reader, and the index of a case in `chosen`.
    tasks: Vec<(usize, usize)>,
    /// The indexes of the tasks, in the order in which they start.
    order: Vec<usize>,
    /// The index in `order` of the first task that no thread has started.
    next: AtomicUsize,
    done: AtomicUsize,
    failed: AtomicUsize,
    results: Vec<OnceLock<Record>>,
    /// The error for the first result that could not be written.
    unwritten: OnceLock<io::Error>,
}

impl<'w, 'a> RunTasks<'w, 'a> {
    pub(super) fn new(
        readers: &'w [ReaderUnderTest<'a>],
        chosen: &'w [usize],
        tasks: Vec<(usize, usize)>,
        seed: Option<u64>,
        expects: &'w [Option<Value>],
        stream: &'w ResultStream,
        watch: &'w dyn Observer,
    ) -> Self {
        let order = order(&tasks, seed);
        let results = tasks.iter().map(|_| OnceLock::new()).collect();
        let [done, failed] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        Self {
            readers,
            chosen,
            expects,
            stream,
            watch,
            tasks,
            order,
            next: AtomicUsize::new(0),
            done,
            failed,
            results,
            unwritten: OnceLock::new(),
        }
    }

    /// Runs all tasks in parallel, with one thread per element of `staging`. The results are sorted by reader and case.
    pub(super) fn run(self, settings: &Settings, staging: Vec<Staging<'a>>) -> io::Result<Vec<Record>> {
        thread::scope(|scope| {
            let work = &self;
            for staging in staging {
                scope.spawn(move || work.by_one_thread(settings, staging));
            }
        });
        match self.unwritten.into_inner() {
            Some(error) => Err(error),
            None => Ok(self.results.into_iter().filter_map(OnceLock::into_inner).collect()),
        }
    }

    fn by_one_thread(&self, settings: &Settings, mut staging: Staging<'a>) {
        let mut current: Option<(usize, Box<dyn Reader>)> = None;
        while !self.watch.is_interrupted() {
            let Some(&task) = self.order.get(self.next.fetch_add(1, Ordering::Relaxed)) else { break };
            let Some((&(which, case), result)) = self.tasks.get(task).zip(self.results.get(task)) else { break };
            if let Some((before, process)) = current.take_if(|(before, _)| *before != which) {
                self.readers[before].dismiss(process);
            }
            let reader = &self.readers[which];
            let (_, process) = current.get_or_insert_with(|| (which, reader.process(settings)));
            let expect = self.expects[case].as_ref();
            let record = reader.judge(process.as_mut(), &mut staging, self.chosen[case], expect);
            // The signal may also have ended the reader, so discard the last result.
            if self.watch.is_interrupted() {
                return;
            }
            if let Err(error) = self.stream.add(&record) {
                let _ = self.unwritten.set(error);
            }
            let failed = self.failed.fetch_add(usize::from(record.grade.is_unexpected()), Ordering::Relaxed)
                + usize::from(record.grade.is_unexpected());
            let _ = result.set(record);
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            self.watch.progress(RunProgress { done, planned: self.tasks.len(), failed });
        }
        if let Some((which, process)) = current {
            self.readers[which].dismiss(process);
        }
    }
}

/// Returns the indexes of the tasks. If there is a seed, each reader's cases are in a random order.
fn order(tasks: &[(usize, usize)], seed: Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    let Some(seed) = seed else { return order };
    // Sort by the reader first, so that the tasks of a reader stay together.
    order.sort_by_cached_key(|task| (tasks[*task].0, part(seed, *task as u64)));
    order
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn a_seed_changes_the_order_of_the_cases_of_each_reader() {
        let tasks: Vec<(usize, usize)> = (0..2).flat_map(|reader| (0..50).map(move |case| (reader, case))).collect();
        let in_order: Vec<usize> = (0..100).collect();
        assert_eq!(order(&tasks, None), in_order);
        for seed in [0, 1, u64::MAX] {
            let found = order(&tasks, Some(seed));
            assert_eq!(found, order(&tasks, Some(seed)));
            assert!(found != in_order && found != order(&tasks, Some(seed ^ 2)));
            for (reader, part) in found.chunks(50).enumerate() {
                let mut part = part.to_vec();
                part.sort_unstable();
                assert!(part.iter().copied().eq(50 * reader..50 * (reader + 1)));
            }
        }
    }
}
