//! **The work of a run**: each case to each reader, by some threads, and each result written as it comes.

use std::io;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

use serde_json::Value;

use super::handout::Tray;
use super::stream::Stream;
use super::subject::{Subject, Turn};
use super::tasks::Tasks;
use crate::reader::{Reader, Settings};
use crate::report::Record;

/// All that is to be done, and what came of it so far.
pub(super) struct Work<'w, 'a> {
    subjects: &'w [Subject<'a>],
    /// Cases by where they stand in the manifest.
    chosen: &'w [usize],
    /// What each is to give, if it is accepted and that is known.
    expects: &'w [Option<Value>],
    stream: &'w Stream,
    threads: usize,
    /// A case with a reader each, reader by reader.
    tasks: Tasks,
    /// Of each task.
    results: Vec<OnceLock<Record>>,
    /// Why a result could not be written, the first time.
    unwritten: OnceLock<io::Error>,
}

impl<'w, 'a> Work<'w, 'a> {
    pub(super) fn new(
        subjects: &'w [Subject<'a>],
        chosen: &'w [usize],
        expects: &'w [Option<Value>],
        stream: &'w Stream,
        jobs: NonZero<usize>,
    ) -> Self {
        let count = subjects.len() * chosen.len();
        let threads = jobs.get().min(count);
        let results = (0..count).map(|_| OnceLock::new()).collect();
        let tasks = Tasks::new(count, threads);
        Self { subjects, chosen, expects, stream, threads, tasks, results, unwritten: OnceLock::new() }
    }

    /// Does all of it; the results, reader by reader, each in the order of the cases.
    ///
    /// # Errors
    /// A result could not be written.
    pub(super) fn done<'h>(self, settings: &Settings, tray: impl Fn() -> Tray<'h> + Sync) -> io::Result<Vec<Record>>
    where
        'a: 'h,
    {
        thread::scope(|scope| {
            for thread in 0..self.threads {
                let (work, tray) = (&self, &tray);
                scope.spawn(move || work.by(thread, settings, &mut tray()));
            }
        });
        match self.unwritten.into_inner() {
            Some(error) => Err(error),
            None => Ok(self.results.into_iter().filter_map(OnceLock::into_inner).collect()),
        }
    }

    /// The part of one thread.
    fn by<'h>(&self, thread: usize, settings: &Settings, tray: &mut Tray<'h>)
    where
        'a: 'h,
    {
        let mut current: Option<(usize, Box<dyn Reader>)> = None;
        while let Some(task) = self.tasks.take(thread) {
            let (who, what) = self.subject_and_case(task);
            let subject = &self.subjects[who];
            let mut reader = match current.take() {
                Some((same, reader)) if same == who => reader,
                other => {
                    if let Some((before, reader)) = other {
                        self.subjects[before].dismiss(reader);
                    }
                    subject.reader(settings)
                }
            };
            let coming = self.tasks.coming(thread).map(|task| self.subject_and_case(task));
            let coming = coming.filter(|(other, _)| *other == who).map(|(_, what)| self.chosen[what]);
            let turn = Turn { reader: reader.as_mut(), tray, coming };
            let record = subject.judge(turn, self.chosen[what], self.expects[what].as_ref());
            current = Some((who, reader));
            if let Err(error) = self.stream.add(&record) {
                let _ = self.unwritten.set(error);
            }
            let _ = self.results[task].set(record);
        }
        if let Some((who, reader)) = current {
            self.subjects[who].dismiss(reader);
        }
    }

    fn subject_and_case(&self, task: usize) -> (usize, usize) {
        (task / self.chosen.len(), task % self.chosen.len())
    }
}
