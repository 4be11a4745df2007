//! **Runs** of readers on the selected cases of a corpus, with a grade for each outcome.

pub mod case_facts;
pub mod compare;
mod complaint;
pub mod grade;
pub mod known;
mod options;
mod reader_under_test;
pub mod record;
pub mod results;
pub mod score;
pub mod selftest;
mod staged;
mod stream;
mod unread_kinds;
mod verified;
mod watch;
mod work;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::panic::resume_unwind;
use std::thread;

use serde_json::Value;
use torchproof::corpus::Verdict;

use crate::corpus::{Case, Corpus, CorpusError};
use crate::disk::io_error::PathError;
use crate::reader::Settings;
use crate::run::known::KnownError;
use crate::run::record::{CorpusReport, Interrupted, RunReport};

use reader_under_test::ReaderUnderTest;
use staged::Staging;
use stream::ResultStream;
use verified::verify;
use work::RunTasks;

pub use complaint::Complaint;
pub use options::{MemoryLimit, Options};
pub use stream::{ResultsEnd, ResultsHead, default_results, results_folder, target_folder};
pub use unread_kinds::UnreadKinds;
pub use watch::{NoObserver, Observer, RunProgress};

/// Runs every selected case with every reader. A crash of a reader does not end the run; only the observer `watch` can end it.
pub fn run(corpus: &Corpus, options: &Options, watch: &dyn Observer) -> Result<RunReport, RunError> {
    let cases = &corpus.manifest().cases;
    options.selection.check(cases)?;
    let rerun = options.rerun_failed.as_ref();
    if let Some(id) = rerun.and_then(|failed| failed.cases().find(|id| corpus.case(id).is_none())) {
        return Err(CorpusError::Lacks { id: id.to_owned(), version: corpus.manifest().version.clone() }.into());
    }
    let takes = |case: &Case| options.selection.takes(case) && rerun.is_none_or(|failed| failed.has_case(&case.id));
    let chosen: Vec<usize> = (0..cases.len()).filter(|at| takes(&cases[*at])).collect();
    let Some(first) = chosen.first() else { return Err(CorpusError::NothingChosen.into()) };
    options.known.as_ref().map_or(Ok(()), |known| known.check(cases)).map_err(RunError::Known)?;
    let controls = chosen.iter().filter_map(|at| corpus.control_of(&cases[*at]));
    let results_path = options.results.clone().unwrap_or_else(default_results);
    let involved: BTreeSet<usize> = chosen.iter().copied().chain(controls).collect();
    verify(corpus, involved.iter().map(|at| &cases[*at]))?;

    let settings = Settings::new(options.launcher.clone(), options.start, options.memory_mb(cases[*first].budget));
    let mut readers = start_all(corpus, options, &settings);
    if watch.is_interrupted() {
        return Err(RunError::Interrupted);
    }
    let compares = readers.iter().any(ReaderUnderTest::gives_values);
    let expects = chosen.iter().map(|at| match cases[*at].verdict {
        Verdict::Accept if compares => corpus.expect(&cases[*at]),
        _ => Ok(None),
    });
    let expects: Vec<Option<Value>> = expects.collect::<Result<_, _>>()?;
    ReaderUnderTest::make_names_unique(&mut readers);
    let mut readers: Vec<ReaderUnderTest<'_>> = readers.into_iter().flat_map(ReaderUnderTest::by_deliveries).collect();
    if let Some(failed) = rerun {
        readers.retain(|reader| chosen.iter().any(|at| failed.has(reader.label(), &cases[*at].id)));
        if readers.is_empty() {
            return Err(RunError::NoFailedReader);
        }
    }
    let takes = |reader: &ReaderUnderTest<'_>, at: &usize| {
        rerun.is_none_or(|failed| failed.has(reader.label(), &cases[chosen[*at]].id))
    };
    let of_reader = |(which, reader)| (0..chosen.len()).filter(move |at| takes(reader, at)).map(move |at| (which, at));
    let tasks: Vec<(usize, usize)> = readers.iter().enumerate().flat_map(of_reader).collect();
    let planned = tasks.len();
    let corpus_report = CorpusReport::of(corpus.manifest());
    let reports = readers.iter().map(ReaderUnderTest::report).collect();
    let head = ResultsHead { corpus: corpus_report, options: options.given.clone(), planned, readers: reports };
    let stream = ResultStream::create(&results_path, &head).map_err(PathError::write(&results_path))?;

    // Do not put the scratch folder next to a device such as /dev/stdout, because the system does not allow it.
    let is_file = fs::metadata(&results_path).is_ok_and(|found| found.is_file());
    let beside = if is_file { results_path.clone() } else { default_results() };
    let work = RunTasks::new(&readers, &chosen, tasks, options.order, &expects, &stream, watch);
    let staging = (0..options.jobs.get().min(planned)).map(|_| Staging::new(corpus, &beside));
    let staging = staging.collect::<io::Result<Vec<_>>>();
    let staging = staging.map_err(PathError::write(&beside.with_added_extension("files")))?;
    let mut results = work.run(&settings, staging).map_err(PathError::write(&results_path))?;

    let interrupted = (results.len() < planned).then_some(Interrupted { done: results.len(), planned });
    let reports: Vec<_> = readers.iter().map(ReaderUnderTest::report).collect();
    let mut known = options.known.as_ref().map(|known| known.report(cases, &options.selection, &reports, &results));
    // If the run is incomplete, an entry without a result is not stale.
    if let Some(known) = known.as_mut().filter(|_| interrupted.is_some() || rerun.is_some()) {
        known.not_selected += known.stale.drain(..).count();
    }
    if interrupted.is_none() {
        unread_kinds::skip(&reports, &mut results, &head.options);
    }
    let end = ResultsEnd { end: reports, known, interrupted };
    stream.finish(&end).map_err(PathError::write(&results_path))?;
    Ok(RunReport::new(head.corpus, head.options, end.end, results, end.known, interrupted))
}

/// Starts the readers, up to `jobs` of them in parallel.
fn start_all<'a>(corpus: &'a Corpus, options: &'a Options, settings: &Settings) -> Vec<ReaderUnderTest<'a>> {
    let mut started = Vec::new();
    for addresses in options.readers.chunks(options.jobs.get()) {
        thread::scope(|scope| {
            let start = |address| scope.spawn(move || ReaderUnderTest::start(address, settings, corpus, options));
            let threads: Vec<_> = addresses.iter().map(start).collect();
            started
                .extend(threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))));
        });
    }
    started
}

/// The error that prevents a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Known(KnownError),
    #[error("interrupted before the first case")]
    Interrupted,
    #[error("--rerun-failed: no reader has a failed result of the earlier run; pass --reader to select another reader")]
    NoFailedReader,
}
