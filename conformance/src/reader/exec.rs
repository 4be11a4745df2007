//! **exec:CMD**: a persistent worker that speaks the [reader protocol](crate::reader::protocol).
//!
//! The runner starts the worker when it first needs it, and again after each termination. A protocol violation ends the worker
//! and gives the case the outcome adapter-error, so no answer is taken for that of another case.
//!
//! A library is a worker through its [host](super::library), which also reports how a read terminated.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use serde_json::Value;
use torchproof::corpus::Role;

use super::conversation::{BYE_GRACE, Conversation, encode, quote};
use super::library::{Ended, HOST_SUBCOMMAND, NoAnswer};
use super::name::{command_name, file_name};
use super::process::{Event, MAX_STDOUT, Process};
use super::{Limits, Reader, ReaderInput, Request, Settings, classify, confirm};
use crate::reader::loaded;
use crate::reader::outcome::{Clock, Outcome};
use crate::reader::protocol::{stage_of, wire_role, wire_stage};
use torchproof_protocol::{
    self as protocol, Answer, Delivery, FORMATS, Hello, PROTOCOL, ReadRequest, Reply, RequestFile, Want,
};

/// Failed starts in a row after which the worker is not started again.
const MAX_FAILED_STARTS: u32 = 3;
/// How long a library's host may take to report that a read timed out.
const HOST_GRACE: Duration = Duration::from_secs(1);

/// A persistent worker.
#[derive(Debug)]
pub(super) struct Exec {
    program: Program,
    settings: Settings,
    worker: Option<Worker>,
    failed_starts: u32,
    /// Why the worker is not started again.
    broken: Option<String>,
    /// The first unsolicited output.
    babbled: Option<String>,
}

/// The program to start.
#[derive(Debug)]
struct Program {
    argv: Vec<OsString>,
    /// The name in messages.
    name: String,
    /// Whether the program is the host of a library, which reports how a read without an answer ended.
    hosts: bool,
}

/// A worker after its handshake.
#[derive(Debug)]
struct Worker {
    process: Process,
    hosts: bool,
    hello: Hello,
    memory_mb: Option<u64>,
    seq: u64,
}

impl Exec {
    pub(super) fn new(argv: &[String], settings: Settings) -> Self {
        let name = command_name(argv).to_owned();
        let program = Program { argv: argv.iter().map(OsString::from).collect(), name, hosts: false };
        Exec { program, settings, worker: None, failed_starts: 0, broken: None, babbled: None }
    }

    /// A host that loads the library at `path`.
    pub(super) fn of_library(path: &Path, settings: Settings) -> Self {
        let argv = [settings.launcher.program().as_os_str(), OsStr::new(HOST_SUBCOMMAND), path.as_os_str()];
        let program =
            Program { argv: argv.map(OsStr::to_owned).to_vec(), name: file_name(path).to_owned(), hosts: true };
        Exec { program, settings, worker: None, failed_starts: 0, broken: None, babbled: None }
    }

    /// Returns a running worker with this memory limit; starts one if necessary.
    fn started(&mut self, memory_mb: Option<u64>) -> Result<&mut Worker, String> {
        let mut worker = match self.worker.take() {
            Some(worker) if worker.memory_mb == memory_mb => Some(worker),
            _ => None,
        };
        // What it said between two requests belongs to no case, so no case gets a worker that might go on.
        let babbled = worker.as_mut().and_then(|worker| worker.process.unasked());
        if let Some(said) = babbled {
            worker = None;
            let note = || format!("said what nobody asked for between requests: {}", quote(said.trim_ascii()));
            self.babbled.get_or_insert_with(note);
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
        let started = Worker::start(&self.program, &self.settings, memory_mb);
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
        match worker.read(request) {
            Ok(outcome) => outcome,
            Err(outcome) => {
                self.worker = None;
                outcome
            }
        }
    }
}

impl Reader for Exec {
    fn hello(&mut self) -> Result<Hello, String> {
        let memory_mb = self.settings.memory_mb;
        match self.started(memory_mb) {
            Ok(worker) => Ok(worker.hello.clone()),
            Err(message) => {
                self.broken = Some(message.clone());
                Err(message)
            }
        }
    }

    fn read(&mut self, request: &Request<'_>) -> Outcome {
        let first = self.attempt(request);
        confirm(first, || self.attempt(request))
    }

    fn bye(&mut self) -> Option<String> {
        let left = self.worker.take().and_then(Worker::bye);
        // One of them is enough to look into, and the other is told when that is mended.
        self.babbled.take().or(left)
    }
}

impl Worker {
    fn start(program: &Program, settings: &Settings, memory_mb: Option<u64>) -> Result<Worker, String> {
        let Program { argv, name: program, hosts } = program;
        let command = settings.launcher.command(argv, Limits { memory_mb, ..Limits::under_us() });
        let mut process =
            Process::spawn(command, true).map_err(|error| format!("cannot start the launcher: {error}"))?;
        let deadline = Instant::now() + settings.start;
        // A worker that is gone already is told from the event below.
        let _ = process.send(encode(&protocol::Request::Hello { protocol: PROTOCOL })?);
        let line = match process.line(deadline) {
            Event::Line(line) => line,
            event => {
                let status = process.kill();
                let stderr = process.stderr();
                return Err(match (event, status) {
                    (Event::Exited, Some(status)) => classify::not_started(status, &stderr).unwrap_or_else(|| {
                        let hint =
                            if stderr.contains("Sanitizer") { " (a sanitized reader needs --memory-mb 0)" } else { "" };
                        format!("{program} died before its hello: {}{hint}", classify::ended(status, &stderr).message())
                    }),
                    (Event::Closed, _) => format!("{program} closed its stdout before its hello"),
                    (Event::Flooded, _) => {
                        format!("{program} wrote more than {} MiB before its hello", MAX_STDOUT >> 20)
                    }
                    _ => format!("{program} said no hello in {} ms", settings.start.as_millis()),
                });
            }
        };
        let mut hello: Hello = serde_json::from_slice(&line)
            .map_err(|error| format!("{program} gave no hello ({error}): {}", quote(&line)))?;
        if hello.protocol != PROTOCOL {
            return Err(format!("{program} speaks protocol {}, this runner {PROTOCOL}", hello.protocol));
        }
        if let Some(format) = hello.formats.iter().find(|format| !FORMATS.contains(&format.as_str())) {
            let known = FORMATS.join(", ");
            return Err(format!("{program} names the unknown format `{format}` in its hello; there are {known}"));
        }
        hello.stages.sort_unstable();
        hello.stages.dedup();
        if hello.deliveries.is_empty() {
            hello.deliveries.push(Delivery::File);
        }
        Ok(Worker { process, hosts: *hosts, hello, memory_mb, seq: 0 })
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
        let ms = self.hosts.then(|| u64::try_from(request.time.as_millis()).unwrap_or(u64::MAX));
        let mut read = ReadRequest::new(self.seq, files, wire_stage(request.stage), want);
        (read.delivery, read.ms) = (Some(delivery), ms);
        let line = encode(&protocol::Request::Read(read)).map_err(broke)?;

        self.process.forget();
        // A worker that does not take the request is dead, or will be found to say nothing.
        let sent = self.process.send(line);
        // A host ends the read itself, and is ended only if it does not.
        let grace = if self.hosts { HOST_GRACE } else { Duration::ZERO };
        // However long that has taken, a worker has all of its time. A host has begun to count it, and has the grace as well.
        let deadline = Instant::now() + request.time + grace;
        let event = match sent {
            Ok(()) => self.process.line(deadline),
            Err(_) => self.process.line(deadline.min(Instant::now() + BYE_GRACE)),
        };
        match (event, sent) {
            (Event::Line(_), _) if !self.process.stdout().is_empty() => {
                Err(broke(format!("said more than its answer: {}", quote(self.process.stdout().trim_ascii()))))
            }
            (Event::Line(line), _) => match self.told(&line) {
                Some(ended) => Ok(self.ended(ended, request)),
                None => match self.outcome(&line, request, want) {
                    Ok(outcome) => {
                        // What was written there before the answer is in the pipe.
                        self.process.catch_up();
                        classify::sanitized(&self.process.stderr()).map_or(Ok(outcome), Err)
                    }
                    Err(message) => Err(broke(message)),
                },
            },
            (Event::Exited, _) => {
                let status = self.process.kill();
                let stderr = self.process.stderr();
                Err(status.map_or_else(
                    || broke("the worker ended, and the system does not tell how".to_owned()),
                    |status| classify::ended(status, &stderr),
                ))
            }
            (Event::Closed, _) => Err(broke("the worker closed its stdout".to_owned())),
            (Event::Flooded, _) => Err(broke(format!("more than {} MiB on stdout", MAX_STDOUT >> 20))),
            (Event::TimedOut, Err(error)) => Err(broke(format!("the worker does not take requests: {error}"))),
            (Event::TimedOut, Ok(())) => {
                self.process.kill();
                let termination = classify::termination(&self.process.stderr());
                Err(Outcome::Hang { clock: Clock::Wall(request.time), termination })
            }
        }
    }

    /// How the read ended, if the line is a [`NoAnswer`] of a host.
    fn told(&self, line: &[u8]) -> Option<Ended> {
        let told = self.hosts.then(|| serde_json::from_slice::<NoAnswer>(line).ok()).flatten();
        told.filter(|told| told.seq == self.seq).map(|told| told.ended)
    }

    /// The outcome of a read whose process ended without an answer.
    fn ended(&mut self, ended: Ended, request: &Request<'_>) -> Outcome {
        // The dead has said all that it had to say: it is in the pipe.
        self.process.catch_up();
        let stderr = self.process.stderr();
        match ended {
            Ended::Died(status) => classify::ended(ExitStatus::from_raw(status), &stderr),
            Ended::TimedOut => {
                Outcome::Hang { clock: Clock::Wall(request.time), termination: classify::termination(&stderr) }
            }
            Ended::Broke(message) => Outcome::AdapterError { message },
        }
    }

    /// The outcome in the line, if the line is a valid answer to the request.
    fn outcome(&self, line: &[u8], request: &Request<'_>, want: Want) -> Result<Outcome, String> {
        let reply: Reply =
            serde_json::from_slice(line).map_err(|error| format!("not an answer ({error}): {}", quote(line)))?;
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
                let value: Option<Value> = reply.value.filter(|_| want != Want::Verdict);
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

    fn bye(self) -> Option<String> {
        Conversation::of(self.process).bye()
    }
}
