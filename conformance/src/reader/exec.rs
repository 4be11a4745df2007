//! **exec:CMD**: a persistent worker that speaks the [reader protocol](crate::reader::protocol).
//!
//! The runner starts the worker when it first needs it, and again after each termination. A protocol violation ends the worker
//! and gives the case the outcome adapter-error, so no answer is taken for that of another case.
//!
//! A library is a worker through its [host](super::library), which also reports how a read terminated.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use serde_json::json;
use torchproof::corpus::Role;

use super::conversation::{Conversation, quote};
use super::library::Died;
use super::{Reader, ReaderInput, Request, Settings, classify, confirm};
use crate::reader::loaded;
use crate::reader::outcome::Outcome;
use crate::reader::protocol::{stage_of, wire_role, wire_stage};
use torchproof_protocol::{
    self as protocol, Answer, Delivery, FORMATS, Hello, PROTOCOL, ReadRequest, Reply, RequestFile, Want,
};

/// Failed starts in a row after which the worker is not started again.
const MAX_FAILED_STARTS: u32 = 3;

/// A persistent worker.
#[derive(Debug)]
pub(super) struct Exec {
    argv: Vec<OsString>,
    name: String,
    settings: Settings,
    worker: Option<Worker>,
    failed_starts: u32,
    /// Why the worker is not started again.
    broken: Option<String>,
    /// The first unsolicited output.
    babbled: Option<String>,
}

/// A worker after its handshake.
#[derive(Debug)]
struct Worker {
    conversation: Conversation,
    hello: Hello,
    memory_mb: Option<u64>,
    seq: u64,
}

impl Exec {
    /// `name` is the reader's where its hello has none.
    pub(super) fn new(argv: Vec<OsString>, name: &str, settings: Settings) -> Self {
        let name = name.to_owned();
        Exec { argv, name, settings, worker: None, failed_starts: 0, broken: None, babbled: None }
    }

    /// Returns a running worker with this memory limit; starts one if necessary.
    fn started(&mut self, memory_mb: Option<u64>) -> Result<&mut Worker, String> {
        let mut worker = self.worker.take().filter(|worker| worker.memory_mb == memory_mb);
        // What it said between two requests belongs to no case, so no case gets a worker that might go on.
        if let Some(said) = worker.as_mut().and_then(|worker| worker.conversation.babble()) {
            worker = None;
            self.babbled.get_or_insert_with(|| format!("said what nobody asked for between requests: {said}"));
        }
        let worker = match worker {
            Some(worker) => worker,
            None => self.start(memory_mb)?,
        };
        Ok(self.worker.insert(worker))
    }

    fn start(&mut self, memory_mb: Option<u64>) -> Result<Worker, String> {
        if let Some(message) = &self.broken {
            return Err(message.clone());
        }
        let started = Worker::start(&self.argv, &self.settings, memory_mb);
        match &started {
            Ok(_) => self.failed_starts = 0,
            Err(message) => {
                self.failed_starts += 1;
                if self.failed_starts >= MAX_FAILED_STARTS {
                    self.broken = Some(message.clone());
                }
            }
        }
        started
    }

    /// Runs the worker on the case once, and keeps the worker only after a valid answer.
    fn attempt(&mut self, request: &Request<'_>) -> Outcome {
        let worker = match self.started(request.memory_mb) {
            Ok(worker) => worker,
            Err(message) => return Outcome::AdapterError { message },
        };
        worker.read(request).unwrap_or_else(|outcome| {
            self.worker = None;
            outcome
        })
    }
}

impl Reader for Exec {
    fn hello(&mut self) -> Result<Hello, String> {
        let mut hello = self.started(self.settings.memory_mb).map(|worker| worker.hello.clone());
        match &mut hello {
            Ok(hello) if hello.name.is_empty() => hello.name.clone_from(&self.name),
            Ok(_) => {}
            Err(message) => self.broken = Some(message.clone()),
        }
        hello
    }

    fn read(&mut self, request: &Request<'_>) -> Outcome {
        let first = self.attempt(request);
        confirm(first, || self.attempt(request))
    }

    fn bye(&mut self) -> Option<String> {
        let left = self.worker.take().and_then(|worker| worker.conversation.bye());
        // One of them is enough to look into, and the other is told when that is mended.
        self.babbled.take().or(left)
    }
}

impl Worker {
    fn start(argv: &[OsString], settings: &Settings, memory_mb: Option<u64>) -> Result<Worker, String> {
        let mut conversation = Conversation::start(argv, settings, memory_mb)?;
        let request = json!(protocol::Request::Hello { protocol: PROTOCOL });
        let line = conversation.line(&request, settings.start).map_err(|outcome| match outcome.termination() {
            Some(died) if died.stderr.contains("Sanitizer") => {
                format!("no hello: {died} (a sanitized reader needs --memory-mb 0)")
            }
            Some(died) => format!("no hello: {died}"),
            None => outcome.message(),
        })?;
        let mut hello: Hello =
            serde_json::from_slice(&line).map_err(|error| format!("no hello ({error}): {}", quote(&line)))?;
        if hello.protocol != PROTOCOL {
            return Err(format!("its hello has protocol {}, this runner {PROTOCOL}", hello.protocol));
        }
        if let Some(format) = hello.formats.iter().find(|format| !FORMATS.contains(&format.as_str())) {
            return Err(format!("its hello has the unknown format `{format}`; there are {}", FORMATS.join(", ")));
        }
        hello.stages.sort_unstable();
        hello.stages.dedup();
        if hello.deliveries.is_empty() {
            hello.deliveries.push(Delivery::File);
        }
        Ok(Worker { conversation, hello, memory_mb, seq: 0 })
    }

    /// Reads a case; `Err` holds an outcome after which the worker must be ended.
    fn read(&mut self, request: &Request<'_>) -> Result<Outcome, Outcome> {
        let broke = |message: String| Outcome::AdapterError { message };
        self.seq += 1;
        let has = request.want.capability().is_none_or(|capability| self.hello.has(capability));
        let want = if has { request.want } else { Want::Verdict };
        let delivery = request.delivery.unwrap_or_else(|| self.hello.usual_delivery());
        let files = request.files.iter().map(|ReaderInput { role, path, offset, size }| {
            let text = path.to_str().ok_or("the path of a file is not UTF-8, so JSON cannot hold it")?;
            let tells = want == Want::Loaded && *role == Role::Data && *offset == 0;
            let layouts = if tells { loaded::layouts(path) } else { None };
            let offset = (delivery == Delivery::FileAtOffset).then_some(*offset);
            let mut file = RequestFile::new(wire_role(*role), text.to_owned(), *size);
            (file.layouts, file.offset) = (layouts, offset);
            Ok(file)
        });
        let files = files.collect::<Result<Vec<_>, &str>>().map_err(|error| broke(error.to_owned()))?;
        let mut read = ReadRequest::new(self.seq, files, wire_stage(request.stage), want);
        read.delivery = Some(delivery);
        let line = self.conversation.line(&json!(protocol::Request::Read(read)), request.time)?;
        if let Some(said) = self.conversation.babble() {
            return Err(broke(format!("said more than its answer: {said}")));
        }
        // What was written to stderr before the answer is in the pipe.
        let stderr = self.conversation.stderr();
        let reply = match serde_json::from_slice(&line) {
            Ok(reply) => reply,
            Err(error) => match serde_json::from_slice(&line) {
                // The host of a library goes on after a crash.
                Ok(Died { seq, died }) if seq == self.seq => {
                    return Ok(classify::ended(ExitStatus::from_raw(died), &stderr));
                }
                _ => return Err(broke(format!("not an answer ({error}): {}", quote(&line)))),
            },
        };
        let outcome = self.outcome(reply, request, want).map_err(broke)?;
        classify::sanitized(&stderr).map_or(Ok(outcome), Err)
    }

    /// The outcome of a reply, if it is a valid one to the request.
    fn outcome(&self, reply: Reply, request: &Request<'_>, want: Want) -> Result<Outcome, String> {
        if reply.seq != self.seq {
            return Err(format!("answered request {}, asked was {}", reply.seq, self.seq));
        }
        // Not to have the file at all is `open`, whoever notices.
        let named = |stage: &protocol::Stage| *stage == protocol::Stage::Open || self.hello.stages.contains(stage);
        if let Some(stage) = reply.stage.filter(|stage| !self.hello.stages.is_empty() && !named(stage)) {
            return Err(format!("answered at stage {stage}, which its hello does not name"));
        }
        let message = reply.message.unwrap_or_default();
        Ok(match reply.outcome {
            Answer::Accept => {
                let stage = reply.stage.map_or(request.stage, stage_of);
                if stage != request.stage {
                    return Err(format!("accepted at stage {stage}, asked to read to {}", request.stage));
                }
                let value = reply.value.filter(|_| want != Want::Verdict);
                if want != Want::Verdict && value.is_none() {
                    return Err("accepted without the value that its hello promises".to_owned());
                }
                Outcome::Accept { stage, value }
            }
            Answer::Reject => {
                if reply.stage.is_none() && !self.hello.stages.is_empty() {
                    return Err("rejected without a stage, though its hello names stages".to_owned());
                }
                Outcome::Reject { stage: reply.stage.map(stage_of), message }
            }
            Answer::Unsupported => Outcome::Unsupported { message },
            Answer::Error if message.is_empty() => {
                Outcome::AdapterError { message: "could not do its part, and does not say why".to_owned() }
            }
            Answer::Error => Outcome::AdapterError { message },
        })
    }
}
