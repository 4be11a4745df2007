//! **The tasks of a run**: each reader on each case, distributed over threads.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use super::reader_under_test::ReaderUnderTest;
use super::staged::Staging;
use super::stream::ResultStream;
use crate::reader::{Reader, Settings};
use crate::run::record::Record;

/// The tasks of a run and their results, both ordered by reader and case.
pub(super) struct Work<'w, 'a> {
    readers: &'w [ReaderUnderTest<'a>],
    /// The selected cases, as indexes into the manifest.
    chosen: &'w [usize],
    /// The expected value of each case that must be accepted, if the value is known.
    expects: &'w [Option<Value>],
    stream: &'w ResultStream,
    /// The index of the first task that no thread has started.
    next: AtomicUsize,
    /// The result of each task.
    results: Vec<OnceLock<Record>>,
    /// The error for the first result that could not be written.
    unwritten: OnceLock<io::Error>,
}

impl<'w, 'a> Work<'w, 'a> {
    pub(super) fn new(
        readers: &'w [ReaderUnderTest<'a>],
        chosen: &'w [usize],
        expects: &'w [Option<Value>],
        stream: &'w ResultStream,
    ) -> Self {
        let results = (0..readers.len() * chosen.len()).map(|_| OnceLock::new()).collect();
        Self { readers, chosen, expects, stream, next: AtomicUsize::new(0), results, unwritten: OnceLock::new() }
    }

    /// Returns the number of tasks.
    pub(super) fn tasks(&self) -> usize {
        self.results.len()
    }

    /// Runs all tasks, with a thread for each element of `staging`. Returns the results, ordered by reader and case.
    ///
    /// # Errors
    /// Fails if a result cannot be written.
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
        loop {
            let task = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = self.results.get(task) else { break };
            let (which, case) = (task / self.chosen.len(), task % self.chosen.len());
            if let Some((before, process)) = current.take_if(|(before, _)| *before != which) {
                self.readers[before].dismiss(process);
            }
            let reader = &self.readers[which];
            let (_, process) = current.get_or_insert_with(|| (which, reader.process(settings)));
            let expect = self.expects[case].as_ref();
            let record = reader.judge(process.as_mut(), &mut staging, self.chosen[case], expect);
            if let Err(error) = self.stream.add(&record) {
                let _ = self.unwritten.set(error);
            }
            let _ = result.set(record);
        }
        if let Some((which, process)) = current {
            self.readers[which].dismiss(process);
        }
    }
}
