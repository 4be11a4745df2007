//! **One reader under examination**: who it says it is, and what it did with each case so far.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::Value;
use torchproof::corpus::{Case, Verdict};

use super::{Corpus, Options, Tray};
use crate::delivery::Delivery;
use crate::escape::plain_line;
use crate::grade::{Judge, inapplicable};
use crate::outcome::Outcome;
use crate::protocol::{CAPABILITIES, CAPABILITY_VALUE, Hello, Want};
use crate::reader::{Address, Reader, Request, Settings};
use crate::report::{Column, NAME_KEPT, ReaderReport, Record};

/// A reader and its outcomes; shared by the threads of a run, each of which has its own process of it.
pub(super) struct Subject<'a> {
    address: &'a Address,
    corpus: &'a Corpus,
    options: &'a Options,
    /// What it is called.
    name: String,
    /// What it is called by this delivery.
    label: String,
    /// How it is given the files.
    delivery: Delivery,
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

/// What a thread judges a case with.
pub(super) struct Turn<'t, 'h> {
    /// Its process of the reader.
    pub(super) reader: &'t mut dyn Reader,
    /// Its folders.
    pub(super) tray: &'t mut Tray<'h>,
    /// The case that comes next for it, most likely, which is prepared while the reader is at work.
    pub(super) coming: Option<usize>,
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
        let name = plain_line(name, NAME_KEPT);
        Subject {
            address,
            corpus,
            options,
            label: name.clone(),
            name,
            delivery: hello.usual_delivery(),
            spare: Mutex::new(failed.is_none().then_some(reader)),
            hello,
            failed,
            ran: corpus.manifest().cases.iter().map(|_| OnceLock::new()).collect(),
            notes: Mutex::new(notes),
        }
    }

    /// Whether its accepts may carry values, which are compared.
    pub(super) fn gives_values(&self) -> bool {
        self.address.is_silent() || self.hello.has(CAPABILITY_VALUE)
    }

    /// Tells readers of the same name apart: by their versions, and by numbers where that is not enough.
    pub(super) fn tell_apart(subjects: &mut [Subject<'_>]) {
        let same = |subjects: &[Subject<'_>], name: &str| subjects.iter().filter(|other| other.name == name).count();
        let versioned: Vec<String> = subjects
            .iter()
            .map(|subject| {
                let version = plain_line(&subject.hello.version, NAME_KEPT);
                let clash = !version.is_empty() && same(subjects, &subject.name) > 1;
                if clash { format!("{} {version}", subject.name) } else { subject.name.clone() }
            })
            .collect();
        for (at, name) in versioned.iter().enumerate() {
            let before = versioned[..at].iter().filter(|other| *other == name).count();
            subjects[at].name = if before == 0 { name.clone() } else { format!("{name}#{}", before + 1) };
            subjects[at].label.clone_from(&subjects[at].name);
        }
    }

    /// The same reader once by each delivery that was asked for, each with outcomes of its own.
    pub(super) fn by_deliveries(self) -> Vec<Self> {
        let asked = &self.options.deliveries;
        let mut subjects: Vec<Subject<'a>> =
            asked[..asked.len().saturating_sub(1)].iter().map(|delivery| self.by(*delivery)).collect();
        let last = asked.last().map_or(self.delivery, |delivery| *delivery);
        let label = self.label_by(last);
        subjects.push(Subject { delivery: last, label, ..self });
        subjects
    }

    /// The same reader by this delivery, with a process of its own.
    fn by(&self, delivery: Delivery) -> Self {
        Subject {
            address: self.address,
            corpus: self.corpus,
            options: self.options,
            name: self.name.clone(),
            label: self.label_by(delivery),
            delivery,
            hello: self.hello.clone(),
            failed: self.failed.clone(),
            spare: Mutex::new(None),
            ran: self.ran.iter().map(|_| OnceLock::new()).collect(),
            notes: Mutex::new(Vec::new()),
        }
    }

    /// What results call it: where several deliveries were asked for, the delivery is part of it.
    fn label_by(&self, delivery: Delivery) -> String {
        if self.options.deliveries.len() > 1 { format!("{} by {delivery}", self.name) } else { self.name.clone() }
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
    pub(super) fn judge<'h>(&self, mut turn: Turn<'_, 'h>, at: usize, expect: Option<&Value>) -> Record
    where
        'a: 'h,
    {
        let case = &self.corpus.manifest().cases[at];
        let ran = self.run(&mut turn, at);
        let judge = Judge { reader: &self.hello, terms: self.options.terms };
        let control = self.corpus.control_of(case);
        let demanded = judge.demanded(case, control.map(|at| &self.corpus.manifest().cases[at]));
        // A control matters only where it decides.
        let control = control
            .filter(|_| demanded == Verdict::Reject && matches!(*judge.counted(&ran.outcome), Outcome::Reject { .. }));
        let control = control.map(|at| &self.run(&mut turn, at).outcome);
        let judgement = judge.grade(case, demanded, &ran.outcome, control, expect);
        let mut record = Record::new(&case.id, &self.label, self.delivery, &ran.outcome, &judgement, ran.ms);
        if let Some(known) = &self.options.known {
            known.regrade(&self.names(), &mut record);
        }
        record
    }

    fn run<'h>(&self, turn: &mut Turn<'_, 'h>, at: usize) -> &Ran
    where
        'a: 'h,
    {
        self.ran[at].get_or_init(|| {
            let begin = Instant::now();
            let outcome = self.put(turn, at);
            Ran { outcome, ms: begin.elapsed().as_secs_f64() * 1e3 }
        })
    }

    fn put<'h>(&self, turn: &mut Turn<'_, 'h>, at: usize) -> Outcome
    where
        'a: 'h,
    {
        let Turn { reader, tray, coming } = turn;
        let cases = &self.corpus.manifest().cases;
        let case = &cases[at];
        if let Some(message) = &self.failed {
            return Outcome::AdapterError { message: message.clone() };
        }
        if let Some(message) = self.unput(case) {
            return Outcome::Unsupported { message };
        }
        let want = if case.expect.is_some() { Want::Value } else { Want::Verdict };
        let files = match tray.lay(case, self.delivery) {
            Ok(files) => files,
            Err(error) => {
                return Outcome::AdapterError {
                    message: format!("cannot copy the case's files for the reader: {error}"),
                };
            }
        };
        let request = Request {
            files: files.inputs(),
            stage: self.hello.deepest(),
            want,
            time: self.options.time(case.budget),
            memory_mb: self.options.memory_mb(case.budget),
            delivery: Some(self.delivery),
        };
        let coming = coming.filter(|coming| {
            *coming != at && self.ran[*coming].get().is_none() && self.unput(&cases[*coming]).is_none()
        });
        let coming = coming.map(|coming| &cases[coming]);
        let outcome = reader.read_meanwhile(&request, &mut || tray.meanwhile(coming, self.delivery));
        if tray.clear(files) {
            outcome
        } else {
            // Of whatever it said afterwards nobody knows which file it said it of.
            Outcome::AdapterError { message: "the reader changed or removed its input".to_owned() }
        }
    }

    /// Why the case is not put to the reader, if it is not.
    fn unput(&self, case: &Case) -> Option<String> {
        inapplicable(case, &self.hello).or_else(|| self.undelivered(case))
    }

    /// Why the case is not put to the reader by this delivery, if it is not.
    fn undelivered(&self, case: &Case) -> Option<String> {
        let delivery = self.delivery;
        if !self.hello.deliveries.contains(&delivery) {
            return Some(format!("does not take files by {delivery}"));
        }
        case.files.iter().find_map(|file| delivery.refusal(file.size))
    }

    /// The reader's entry in the report, as far as the run has come.
    pub(super) fn report(&self) -> ReaderReport {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let error = self.failed.as_deref();
        let asked = !self.options.deliveries.is_empty();
        let (name, label, names) = (self.name.clone(), self.label.clone(), self.names());
        let column = Column { name, label, names, delivery: self.delivery, asked };
        let sandbox = self.options.launcher.sandbox();
        ReaderReport::new(column, self.address, &self.hello, sandbox, error, &notes)
    }

    /// What a list of known failures may call it: as this run does, by this delivery or whichever, by its name, and by its name
    /// and version.
    fn names(&self) -> Vec<String> {
        let [name, version] = [&self.hello.name, &self.hello.version].map(|text| plain_line(text, NAME_KEPT));
        vec![self.label.clone(), self.name.clone(), format!("{name} {version}"), name]
    }
}
