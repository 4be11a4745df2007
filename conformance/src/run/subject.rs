//! **One reader under examination**: who it says it is, and what it did with each case so far.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::Value;
use torchproof::corpus::{Case, Verdict};

use super::{Corpus, Options, Tray};
use crate::grade::{Judge, inapplicable};
use crate::outcome::Outcome;
use crate::protocol::{CAPABILITIES, Hello, Want};
use crate::reader::{Address, Reader, Request, Settings};
use crate::report::{NAME_KEPT, ReaderReport, Record, plain_line};

/// A reader and its outcomes; shared by the threads of a run, each of which has its own process of it.
pub(super) struct Subject<'a> {
    address: &'a Address,
    corpus: &'a Corpus,
    options: &'a Options,
    label: String,
    /// Who it says it is.
    hello: Hello,
    /// Why it cannot be used, if it cannot.
    failed: Option<String>,
    /// The process that said hello, for the first thread that wants one.
    spare: Mutex<Option<Box<dyn Reader>>>,
    /// What it did with each case of the manifest, each run once: a control serves all its cases.
    ran: Vec<OnceLock<Ran>>,
    notes: Mutex<Vec<String>>,
}

struct Ran {
    outcome: Outcome,
    ms: f64,
}

impl<'a> Subject<'a> {
    /// Asks a reader who it is.
    pub(super) fn meet(address: &'a Address, settings: &Settings, corpus: &'a Corpus, options: &'a Options) -> Self {
        let mut reader = address.open(settings);
        let (hello, failed) = match reader.hello() {
            Ok(hello) => (hello, None),
            Err(message) => (Hello::default(), Some(message)),
        };
        let unknown = hello.capabilities.iter().filter(|capability| !CAPABILITIES.contains(&capability.as_str()));
        let notes = unknown.map(|capability| format!("its capability `{capability}` is unknown and ignored")).collect();
        let name = if hello.name.is_empty() { address.name() } else { &hello.name };
        let label = plain_line(name, NAME_KEPT);
        Subject {
            address,
            corpus,
            options,
            label,
            spare: Mutex::new(failed.is_none().then_some(reader)),
            hello,
            failed,
            ran: corpus.manifest().cases.iter().map(|_| OnceLock::new()).collect(),
            notes: Mutex::new(notes),
        }
    }

    /// Tells readers of the same name apart: by their versions, and by numbers where that is not enough.
    pub(super) fn tell_apart(subjects: &mut [Subject<'_>]) {
        let same = |subjects: &[Subject<'_>], label: &str| subjects.iter().filter(|other| other.label == label).count();
        let versioned: Vec<String> = subjects
            .iter()
            .map(|subject| {
                let version = plain_line(&subject.hello.version, NAME_KEPT);
                let clash = !version.is_empty() && same(subjects, &subject.label) > 1;
                if clash { format!("{} {version}", subject.label) } else { subject.label.clone() }
            })
            .collect();
        for (at, label) in versioned.iter().enumerate() {
            let before = versioned[..at].iter().filter(|other| *other == label).count();
            subjects[at].label = if before == 0 { label.clone() } else { format!("{label}#{}", before + 1) };
        }
    }

    /// A process of this reader for one thread.
    pub(super) fn reader(&self, settings: &Settings) -> Box<dyn Reader> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        spare.unwrap_or_else(|| self.address.open(settings))
    }

    /// Sends a process of this reader home.
    pub(super) fn dismiss(&self, mut reader: Box<dyn Reader>) {
        if let Some(note) = reader.bye() {
            let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }

    /// Runs a case, and its control unless that has been run, and grades it.
    pub(super) fn judge(&self, reader: &mut dyn Reader, tray: &Tray, at: usize, expect: Option<&Value>) -> Record {
        let case = &self.corpus.manifest().cases[at];
        let ran = self.run(reader, tray, at);
        let judge = Judge { reader: &self.hello, terms: self.options.terms };
        let control = self.corpus.control_of(case);
        let demanded = judge.demanded(case, control.map(|at| &self.corpus.manifest().cases[at]));
        // A control matters only where it decides.
        let control = control
            .filter(|_| demanded == Verdict::Reject && matches!(*judge.counted(&ran.outcome), Outcome::Reject { .. }));
        let control = control.map(|at| &self.run(reader, tray, at).outcome);
        let judgement = judge.grade(case, demanded, &ran.outcome, control, expect);
        let mut record = Record::new(&case.id, &self.label, &ran.outcome, &judgement, ran.ms);
        if let Some(known) = &self.options.known {
            known.regrade(&self.names(), &mut record);
        }
        record
    }

    fn run(&self, reader: &mut dyn Reader, tray: &Tray, at: usize) -> &Ran {
        let case = &self.corpus.manifest().cases[at];
        self.ran[at].get_or_init(|| {
            let begin = Instant::now();
            let outcome = self.put(reader, tray, case);
            Ran { outcome, ms: begin.elapsed().as_secs_f64() * 1e3 }
        })
    }

    fn put(&self, reader: &mut dyn Reader, tray: &Tray, case: &Case) -> Outcome {
        if let Some(message) = &self.failed {
            return Outcome::AdapterError { message: message.clone() };
        }
        if let Some(message) = inapplicable(case, &self.hello) {
            return Outcome::Unsupported { message };
        }
        let want = if case.expect.is_some() { Want::Value } else { Want::Verdict };
        let files = match tray.lay(case, self.corpus.dir()) {
            Ok(files) => files,
            Err(error) => {
                return Outcome::AdapterError {
                    message: format!("cannot copy the case's files for the reader: {error}"),
                };
            }
        };
        let outcome = reader.read(&Request {
            files: files.inputs(),
            stage: self.hello.deepest(),
            want,
            time: self.options.time(case.budget),
            memory_mb: self.options.memory_mb(case.budget),
            delivery: None,
        });
        if files.clear() {
            outcome
        } else {
            // Of whatever it said afterwards nobody knows which file it said it of.
            Outcome::AdapterError { message: "the reader changed or removed its input".to_owned() }
        }
    }

    /// The reader's entry in the report, as far as the run has come.
    pub(super) fn report(&self) -> ReaderReport {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let error = self.failed.as_deref();
        ReaderReport::new(&self.label, self.names(), self.address, &self.hello, error, &notes)
    }

    /// What a list of known failures may call it: as this run does, by its name, and by its name and version.
    fn names(&self) -> Vec<String> {
        let [name, version] = [&self.hello.name, &self.hello.version].map(|text| plain_line(text, NAME_KEPT));
        vec![self.label.clone(), format!("{name} {version}"), name]
    }
}
