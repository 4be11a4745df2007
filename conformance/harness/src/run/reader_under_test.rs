//! **A reader under test**, with its `hello` reply and its outcome for each case.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::Value;
use torchproof::corpus::Verdict;

use super::Options;
use super::case_facts::CaseFacts;
use super::staged::Staging;
use crate::corpus::{Case, Corpus};
use crate::reader::delivery::unsupported_size;
use crate::reader::outcome::Outcome;
use crate::reader::{Address, MISSING_VALUE, Reader, Request, Settings};
use crate::run::grade::{Judge, inapplicable};
use crate::run::record::{ERROR_KEPT, MESSAGE_KEPT, NAME_KEPT, ReaderReport, Record};
use crate::text::counted;
use crate::text::escape::plain_line;
use torchproof_protocol::{CAPABILITIES, CAPABILITY_VALUE, Delivery, Hello, Want};

/// The alignment of a file in memory, except for the deliveries `unaligned` and `guard`.
const ALIGNMENT: u64 = 16;

/// A reader and its outcomes, shared by all threads of a run. Each thread has its own process of the reader.
pub(super) struct ReaderUnderTest<'a> {
    address: &'a Address,
    corpus: &'a Corpus,
    options: &'a Options,
    /// The name without the delivery.
    name: String,
    /// The name in results, with the delivery if the run has several.
    label: String,
    delivery: Delivery,
    hello: Hello,
    /// The error, if the reader did not start.
    failed: Option<String>,
    /// The process that sent the `hello` reply, for the first thread that needs one.
    spare: Mutex<Option<Box<dyn Reader>>>,
    /// The outcome for each case of the manifest, so that even a control shared by several cases runs only once.
    ran: Vec<OnceLock<Ran>>,
    notes: Mutex<Vec<String>>,
    /// The number of cases that exceeded the time limit on the first try, but not on the second.
    slow: AtomicUsize,
}

struct Ran {
    outcome: Outcome,
    ms: f64,
}

impl<'a> ReaderUnderTest<'a> {
    pub(super) fn start(address: &'a Address, settings: &Settings, corpus: &'a Corpus, options: &'a Options) -> Self {
        let mut reader = address.open(settings);
        let (hello, failed) = match reader.hello() {
            Ok(hello) => (hello, None),
            Err(message) => (Hello::default(), Some(message)),
        };
        let unknown = hello.capabilities.iter().filter(|capability| !CAPABILITIES.contains(&capability.as_str()));
        let mut notes: Vec<String> = unknown
            .map(|capability| format!("`hello` has unknown capability `{capability}`, which is ignored"))
            .collect();
        if address.is_sanitized(&settings.launcher) {
            notes.push("runs without a memory limit, because it is sanitized".to_owned());
        }
        let own = if hello.name.is_empty() { address.name() } else { &hello.name };
        let name = plain_line(address.given_name().unwrap_or(own), NAME_KEPT);
        ReaderUnderTest {
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
            slow: AtomicUsize::new(0),
        }
    }

    /// Returns whether the reader can report the values that it reads.
    pub(super) fn gives_values(&self) -> bool {
        self.address.lacks_handshake() || self.hello.has(CAPABILITY_VALUE)
    }

    /// Makes reader names unique, first by adding the version, then by adding a number; names that the user gave stay.
    pub(super) fn make_names_unique(readers: &mut [ReaderUnderTest<'_>]) {
        let given = |reader: &ReaderUnderTest<'_>| reader.address.given_name().is_some();
        let same =
            |readers: &[ReaderUnderTest<'_>], name: &str| readers.iter().filter(|other| other.name == name).count();
        let versioned: Vec<String> = readers
            .iter()
            .map(|reader| {
                let version = plain_line(&reader.hello.version, NAME_KEPT);
                let clash = !version.is_empty() && !given(reader) && same(readers, &reader.name) > 1;
                if clash { format!("{} {version}", reader.name) } else { reader.name.clone() }
            })
            .collect();
        for (at, name) in versioned.iter().enumerate().filter(|(at, _)| !given(&readers[*at])).collect::<Vec<_>>() {
            let before = |(other, its): &(usize, &String)| *its == name && (*other < at || given(&readers[*other]));
            let before = versioned.iter().enumerate().filter(before).count();
            readers[at].name = if before == 0 { name.clone() } else { format!("{name}#{}", before + 1) };
        }
        for reader in readers {
            reader.label.clone_from(&reader.name);
        }
    }

    /// Returns a copy of the reader for each delivery, with its own outcomes.
    pub(super) fn by_deliveries(self) -> Vec<Self> {
        let deliveries = self.deliveries();
        let label = |delivery: &Delivery| match deliveries.len() {
            1 => self.name.clone(),
            _ => format!("{} by {delivery}", self.name),
        };
        let take = |delivery: &Delivery| ReaderUnderTest {
            address: self.address,
            corpus: self.corpus,
            options: self.options,
            name: self.name.clone(),
            label: label(delivery),
            delivery: *delivery,
            hello: self.hello.clone(),
            failed: self.failed.clone(),
            spare: Mutex::new(self.spare.lock().unwrap_or_else(PoisonError::into_inner).take()),
            ran: self.ran.iter().map(|_| OnceLock::new()).collect(),
            notes: Mutex::new(self.notes.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()),
            slow: AtomicUsize::new(0),
        };
        deliveries.iter().map(take).collect()
    }

    /// Returns the requested deliveries, or else the reader's defaults. For a library, they include `guard`, because
    /// most reads past the end of a mapping have no effect.
    fn deliveries(&self) -> Vec<Delivery> {
        let adds_guard = self.address.is_library() && self.hello.deliveries.contains(&Delivery::Guard);
        let mut deliveries = self.options.deliveries.clone();
        if deliveries.is_empty() {
            deliveries.push(self.delivery);
            if adds_guard && self.delivery != Delivery::Guard {
                deliveries.push(Delivery::Guard);
            }
        }
        deliveries
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn process(&self, settings: &Settings) -> Box<dyn Reader> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        spare.unwrap_or_else(|| self.address.open(settings))
    }

    pub(super) fn dismiss(&self, mut reader: Box<dyn Reader>) {
        if let Some(note) = reader.bye() {
            let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }

    /// Runs a case and, if necessary, its control; returns the graded result.
    pub(super) fn judge(
        &self,
        reader: &mut dyn Reader,
        staging: &mut Staging<'a>,
        at: usize,
        expect: Option<&Value>,
    ) -> Record {
        let case = &self.corpus.manifest().cases[at];
        let ran = self.run(reader, staging, at);
        let judge = Judge { reader: &self.hello, grading: self.options.grading };
        let control = self.corpus.control_of(case);
        let required = judge.required_verdict(case, control.map(|at| &self.corpus.manifest().cases[at]));
        // The control is needed only if a rejection is required.
        let control = control.filter(|_| {
            required == Verdict::Reject && matches!(*judge.graded_outcome(&ran.outcome), Outcome::Reject { .. })
        });
        let control = control.map(|at| &self.run(reader, staging, at).outcome);
        let judgment = judge.grade(case, required, &ran.outcome, control, expect);
        let mut record = Record::new(&case.id, &self.label, self.delivery, &ran.outcome, &judgment, ran.ms);
        if let Some(known) = &self.options.known {
            known.regrade(&self.names(), &mut record);
        }
        record.digest =
            case.files.iter().map(|file| file.sha256.get(..16).unwrap_or(&file.sha256)).collect::<Vec<_>>().join("-");
        record.about = record.grade.is_unexpected().then(|| CaseFacts::of(case));
        record
    }

    fn run(&self, reader: &mut dyn Reader, staging: &mut Staging<'a>, at: usize) -> &Ran {
        self.ran[at].get_or_init(|| {
            let begin = Instant::now();
            let outcome = self.read(reader, staging, &self.corpus.manifest().cases[at]);
            Ran { outcome, ms: begin.elapsed().as_secs_f64() * 1e3 }
        })
    }

    fn read(&self, reader: &mut dyn Reader, staging: &mut Staging<'a>, case: &'a Case) -> Outcome {
        if let Some(message) = &self.failed {
            return Outcome::AdapterError { message: message.clone() };
        }
        if let Some(message) = inapplicable(case, &self.hello).or_else(|| self.undelivered(case)) {
            return Outcome::Unsupported { message };
        }
        let staged = match staging.stage(case, self.delivery) {
            Ok(staged) => staged,
            Err(error) => {
                let message = format!("cannot copy the files of the case: {error}");
                return Outcome::AdapterError { message };
            }
        };
        let outcome = reader.read(&Request {
            files: staged.inputs(),
            stage: self.hello.deepest(),
            // Always request a value, because requesting it only for accept cases would give the verdict away.
            want: Want::Value,
            time: self.options.time(case.budget),
            memory_mb: self.options.memory_mb(case.budget),
            delivery: Some(self.delivery),
        });
        self.slow.fetch_add(usize::from(reader.was_slow()), Ordering::Relaxed);
        let lacks_value = case.expect.is_some() && self.hello.has(CAPABILITY_VALUE);
        if lacks_value && matches!(outcome, Outcome::Accept { value: None, .. }) {
            return Outcome::AdapterError { message: MISSING_VALUE.to_owned() };
        }
        if staged.is_unchanged() {
            outcome
        } else {
            // The reader may have read other bytes, so its outcome cannot be trusted.
            Outcome::AdapterError { message: "the input file changed or disappeared during the read".to_owned() }
        }
    }

    /// Returns the reason why the case cannot run with this delivery, if any.
    fn undelivered(&self, case: &Case) -> Option<String> {
        let delivery = self.delivery;
        if !self.hello.deliveries.contains(&delivery) {
            return Some(format!("does not support delivery {delivery}"));
        }
        // Some readers require alignment, so only an explicit `--delivery guard` places a file at a misaligned address.
        let is_default = self.options.deliveries.is_empty();
        if is_default
            && delivery == Delivery::Guard
            && case.files.iter().any(|file| !file.size.is_multiple_of(ALIGNMENT))
        {
            return Some(format!(
                "a file's size is not a multiple of {ALIGNMENT}, so it cannot end at an unreadable page; --delivery guard \
                 passes it misaligned"
            ));
        }
        case.files.iter().find_map(|file| unsupported_size(delivery, file.size))
    }

    /// Returns the reader's entry in the report, with the results so far.
    pub(super) fn report(&self) -> ReaderReport {
        let name = |text: &String| plain_line(text, NAME_KEPT);
        let message = |text: &String| plain_line(text, MESSAGE_KEPT);
        let hello = &self.hello;
        let mut notes: Vec<String> =
            self.notes.lock().unwrap_or_else(PoisonError::into_inner).iter().map(message).collect();
        let slow = self.slow.load(Ordering::Relaxed);
        if slow > 0 {
            let cases = counted(slow, "case");
            notes.push(format!("{cases} exceeded the time limit once; only the second read counts"));
        }
        ReaderReport {
            reader: self.label.clone(),
            name: self.name.clone(),
            delivery: self.delivery,
            requested: !self.options.deliveries.is_empty(),
            names: self.names(),
            address: self.address.to_string(),
            version: name(&hello.version),
            language: name(&hello.language),
            formats: hello.formats.iter().map(name).collect(),
            stages: hello.stages.clone(),
            capabilities: hello.capabilities.iter().map(name).collect(),
            deliveries: hello.deliveries.clone(),
            sandbox: self.address.is_started().then(|| self.options.launcher.sandbox().clone()),
            error: self.failed.as_ref().map(|text| plain_line(text, ERROR_KEPT)),
            notes,
            grades: BTreeMap::new(),
            untested: false,
        }
    }

    /// Returns the names by which a list of known failures can refer to the reader: its name in results, its unique
    /// name, and the name in `hello` with and without the version.
    fn names(&self) -> Vec<String> {
        let [name, version] = [&self.hello.name, &self.hello.version].map(|text| plain_line(text, NAME_KEPT));
        vec![self.label.clone(), self.name.clone(), format!("{name} {version}"), name]
    }
}
