//! **Runs** of readers on the selected cases of a corpus, with a grade for each outcome.

pub mod adequacy;
pub mod compare;
pub mod grade;
pub mod known;
mod options;
mod reader_under_test;
pub mod record;
pub mod selftest;
mod staged;
mod stream;
mod verified;
mod work;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::panic::resume_unwind;
use std::thread;

use serde_json::Value;
use torchproof::corpus::Verdict;

use crate::corpus::{Corpus, CorpusError};
use crate::reader::Settings;
use crate::run::known::KnownError;
use crate::run::record::{CorpusReport, RunReport};

use reader_under_test::ReaderUnderTest;
use staged::Staging;
use stream::ResultStream;
use verified::verify;
use work::Work;

pub use options::{MemoryLimit, Options};
pub use stream::{results_folder, target_folder};

/// Runs every selected case with every reader.
///
/// A reader cannot end the run early, even if it crashes.
///
/// # Errors
/// Fails if no case is selected, if the corpus differs from its manifest, or if results or copies of files cannot be
/// written.
pub fn run(corpus: &Corpus, options: &Options) -> Result<RunReport, RunError> {
    let cases = &corpus.manifest().cases;
    let chosen: Vec<usize> = (0..cases.len()).filter(|at| options.selection.takes(&cases[*at])).collect();
    options.selection.check(cases)?;
    let Some(first) = chosen.first() else { return Err(CorpusError::NothingChosen.into()) };
    options.known.as_ref().map_or(Ok(()), |known| known.check(cases)).map_err(RunError::Known)?;
    let controls = chosen.iter().filter_map(|at| corpus.control_of(&cases[*at]));
    let results_path = options.results.clone().unwrap_or_else(ResultStream::default_path);
    let involved: BTreeSet<usize> = chosen.iter().copied().chain(controls).collect();
    verify(corpus, involved.iter().map(|at| &cases[*at]))?;

    let settings = Settings::new(options.launcher.clone(), options.start, options.memory_mb(cases[*first].budget));
    let mut readers = start_all(corpus, options, &settings);
    let compares = readers.iter().any(ReaderUnderTest::gives_values);
    let expects = chosen.iter().map(|at| match cases[*at].verdict {
        Verdict::Accept if compares => corpus.expect(&cases[*at]),
        _ => Ok(None),
    });
    let expects: Vec<Option<Value>> = expects.collect::<Result<_, _>>()?;
    ReaderUnderTest::make_names_unique(&mut readers);
    let readers: Vec<ReaderUnderTest<'_>> = readers.into_iter().flat_map(ReaderUnderTest::by_deliveries).collect();
    let corpus_report = CorpusReport::of(corpus.manifest());
    let reports = readers.iter().map(ReaderUnderTest::report).collect::<Vec<_>>();
    let unwritable = |error| CorpusError::Write { path: results_path.clone(), error };
    let stream = ResultStream::create(&results_path, &corpus_report, &reports).map_err(unwritable)?;

    // The system does not permit a scratch folder beside a device such as /dev/stdout.
    let is_file = fs::metadata(&results_path).is_ok_and(|found| found.is_file());
    let beside = if is_file { results_path.clone() } else { ResultStream::default_path() };
    let work = Work::new(&readers, &chosen, &expects, &stream);
    let staging = (0..options.jobs.get().min(work.tasks())).map(|_| Staging::new(corpus.dir(), &beside));
    let staging = staging.collect::<io::Result<Vec<_>>>();
    let staging = staging.map_err(|error| CorpusError::Write { path: beside.with_added_extension("files"), error })?;
    let results = work.run(&settings, staging).map_err(unwritable)?;

    let reports: Vec<_> = readers.iter().map(ReaderUnderTest::report).collect();
    let known = options.known.as_ref().map(|known| known.report(cases, &options.selection, &reports, &results));
    Ok(RunReport::new(corpus_report, reports, results, known))
}

/// Starts the readers, with up to `jobs` readers in parallel.
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
    /// The corpus is unusable, or a file cannot be written.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The list of known failures is unusable.
    #[error(transparent)]
    Known(KnownError),
}
