//! **exec:CMD**: a persistent worker that implements the [reader protocol](torchproof_protocol).
//!
//! The runner starts the worker on first use, and again after each termination. After a protocol violation, the case's
//! outcome is adapter-error and the worker is ended, so that a late reply never counts for a later case.
//!
//! A `lib:` reader is also a worker, because its [host](super::library) implements the protocol and reports crashes.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::json;
use torchproof::Role;

use super::conversation::Conversation;
use super::crash::symbols::Naming;
use super::reader_starts::MAX_FAILED_STARTS;
use super::reply::{self, ExpectedReply};
use super::{Reader, ReaderInput, Request, Settings, classify};
use crate::reader::loaded;
use crate::reader::outcome::{Cause, Outcome};
use crate::text::escape::plain_line;
use torchproof_protocol::{self as protocol, Delivery, Hello, PROTOCOL, ReadRequest, RequestFile, Want};

/// The maximum number of characters about a failed start, not counting the names of environment variables.
const START_KEPT: usize = 400;

#[derive(Debug)]
pub(super) struct Exec {
    argv: Vec<OsString>,
    name: String,
    settings: Settings,
    worker: Option<Worker>,
    /// The first unsolicited output between requests.
    unsolicited: Option<String>,
    lists_layouts: bool,
    /// `true` if the last read exceeded its time limit on the first try, but not on the second.
    slow: bool,
}

#[derive(Debug)]
struct Worker {
    conversation: Conversation,
    hello: Hello,
    memory_mb: Option<u64>,
    naming: Naming,
    lists_layouts: bool,
    seq: u64,
}

impl Exec {
    /// Creates the reader. `name` is used if the reader's `hello` has no name.
    pub(super) fn new(argv: Vec<OsString>, name: &str, settings: Settings) -> Self {
        let name = name.to_owned();
        Exec { argv, name, settings, worker: None, unsolicited: None, lists_layouts: false, slow: false }
    }

    /// Returns the running worker if it has these settings, or starts one.
    fn started(&mut self, memory_mb: Option<u64>, naming: Naming) -> Result<&mut Worker, String> {
        let is_same = |worker: &Worker| (worker.memory_mb, worker.naming) == (memory_mb, naming);
        let mut worker = self.worker.take().filter(is_same);
        // Unsolicited output between requests belongs to no case, so replace the worker without failing a case.
        if let Some(output) = worker.as_mut().and_then(|worker| worker.conversation.unsolicited()) {
            worker = None;
            self.unsolicited.get_or_insert_with(|| format!("unsolicited output between requests: {output}"));
        }
        let mut worker = match worker {
            Some(worker) => worker,
            None => self.start(memory_mb, naming)?,
        };
        worker.lists_layouts = self.lists_layouts;
        Ok(self.worker.insert(worker))
    }

    fn start(&mut self, memory_mb: Option<u64>, naming: Naming) -> Result<Worker, String> {
        let starts = &self.settings.starts;
        if let Some(message) = starts.given_up(&self.argv) {
            return Err(message);
        }
        let limit = starts.limit(&self.argv, self.settings.start);
        let start = || {
            let begin = Instant::now();
            (Worker::start(&self.argv, &self.settings, (memory_mb, naming), limit), begin.elapsed())
        };
        let (mut started, mut time) = start();
        // A busy machine can delay a start, so try once more.
        if started.is_err() && time >= limit {
            (started, time) = start();
        }
        match &started {
            Ok(_) => starts.succeeded(&self.argv, time),
            Err(message) => starts.failed(&self.argv, message, 1),
        }
        started
    }

    /// Runs the worker on the case once, and returns the time of the read. A missing or invalid reply ends the worker.
    fn attempt(&mut self, request: &Request<'_>, naming: Naming) -> (Outcome, Duration) {
        let worker = match self.started(request.memory_mb, naming) {
            Ok(worker) => worker,
            Err(message) => return (Outcome::AdapterError { message }, Duration::ZERO),
        };
        let begin = Instant::now();
        let outcome = worker.read(request).unwrap_or_else(|outcome| {
            self.worker = None;
            outcome
        });
        (outcome, begin.elapsed())
    }
}

impl Reader for Exec {
    fn hello(&mut self) -> Result<Hello, String> {
        let mut hello = self.started(self.settings.memory_mb, Naming::Addresses).map(|worker| worker.hello.clone());
        match &mut hello {
            Ok(hello) if hello.name.is_empty() => hello.name.clone_from(&self.name),
            Ok(_) => {}
            // A reader whose first start fails is unusable.
            Err(message) => self.settings.starts.failed(&self.argv, message, MAX_FAILED_STARTS),
        }
        hello
    }

    fn list_layouts(&mut self) {
        self.lists_layouts = true;
    }

    fn read(&mut self, request: &Request<'_>) -> Outcome {
        let (reruns, name) = (self.settings.reruns.clone(), self.name.clone());
        let (outcome, slow) = reruns
            .read(&name, request.size_and_time(), |time, naming| self.attempt(&Request { time, ..*request }, naming));
        self.slow = slow;
        outcome
    }

    fn was_slow(&self) -> bool {
        self.slow
    }

    fn bye(&mut self) -> Option<String> {
        let shutdown = self.worker.take().and_then(|worker| worker.conversation.bye());
        // One message is enough: once the user has fixed this fault, the next run reports the other one.
        self.unsolicited.take().or(shutdown)
    }
}

impl Worker {
    fn start(
        argv: &[OsString],
        settings: &Settings,
        (memory_mb, naming): (Option<u64>, Naming),
        limit: Duration,
    ) -> Result<Worker, String> {
        let mut conversation = Conversation::start(argv, &settings.launcher.naming(naming), memory_mb)?;
        let request = json!(protocol::Request::Hello { protocol: PROTOCOL });
        let line = conversation.line(&request, limit).map_err(|outcome| {
            let what = match outcome.termination() {
                Some(died) if died.stderr.contains("Sanitizer") => {
                    return format!("no `hello` reply: {died}; pass --sanitized for a sanitized reader");
                }
                Some(died) if matches!(died.cause, Cause::WallTime(_)) => {
                    return format!("no `hello` reply: {died}; pass --start-timeout TIME for a slow start");
                }
                Some(died) => format!("no `hello` reply: {died}"),
                None if classify::script_not_found(&conversation.stderr()).is_none() => return outcome.message(),
                None => outcome.message(),
            };
            plain_line(&what, START_KEPT) + &settings.launcher.withheld()
        })?;
        let hello = reply::hello(&line)?;
        Ok(Worker { conversation, hello, memory_mb, naming, lists_layouts: false, seq: 0 })
    }

    /// Runs the worker on a case. After an outcome in `Err`, the worker must end.
    fn read(&mut self, request: &Request<'_>) -> Result<Outcome, Outcome> {
        let broke = |message: String| Outcome::AdapterError { message };
        self.seq += 1;
        let has = request.want.capability().is_none_or(|capability| self.hello.has(capability));
        let want = if has { request.want } else { Want::Verdict };
        let delivery = request.delivery.unwrap_or_else(|| self.hello.usual_delivery());
        let files = request.files.iter().map(|ReaderInput { role, path, offset, size }| {
            let text =
                path.to_str().ok_or("found a file path that is not UTF-8; use a path that JSON can represent")?;
            let is_data = *role == Role::Data && *offset == 0;
            let layouts = match is_data && (want == Want::Loaded || self.lists_layouts) {
                true => loaded::layouts(path).filter(|list| want == Want::Loaded || !list.is_empty()),
                false => None,
            };
            let offset = (delivery == Delivery::FileAtOffset).then_some(*offset);
            let mut file = RequestFile::new(*role, text.to_owned(), *size);
            (file.layouts, file.offset) = (layouts, offset);
            Ok(file)
        });
        let files = files.collect::<Result<Vec<_>, &str>>().map_err(|error| broke(error.to_owned()))?;
        let mut read = ReadRequest::new(self.seq, files, request.stage, want);
        read.delivery = Some(delivery);
        let line = self.conversation.line(&json!(protocol::Request::Read(read)), request.time)?;
        if let Some(output) = self.conversation.unsolicited() {
            return Err(broke(format!("unsolicited output after the reply: {output}")));
        }
        // Whatever the reader wrote to stderr before the reply is already in the pipe.
        let stderr = self.conversation.stderr();
        let expected = ExpectedReply { hello: &self.hello, seq: self.seq, stage: request.stage, want };
        expected.outcome(&line, &stderr)
    }
}
