//! **A conversation with a worker**, line by line: the selftest sends requests that a run does not.

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::process::{Event, MAX_STDOUT, Process};
use super::{Settings, classify};
use crate::reader::outcome::{Cause, Outcome};
use torchproof_protocol::Request;

/// How long a worker may take to exit after `bye`.
const BYE_GRACE: Duration = Duration::from_millis(500);
/// Characters of an invalid line that a message quotes.
const QUOTED: usize = 80;

/// A started worker.
#[derive(Debug)]
pub(crate) struct Conversation {
    process: Process,
    /// Whether a request was sent: what is on stderr before the first one may say why the worker did not start.
    begun: bool,
}

impl Conversation {
    pub(super) fn start<S: AsRef<OsStr>>(
        argv: &[S],
        settings: &Settings,
        memory_mb: Option<u64>,
    ) -> Result<Self, String> {
        let command = settings.launcher.command(argv, memory_mb, None);
        let process = command.and_then(|command| Process::spawn(command, true));
        process
            .map(|process| Self { process, begun: false })
            .map_err(|error| format!("cannot start the launcher: {error}"))
    }

    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    /// The worker sends no line of JSON in time, or ends; the message says which.
    pub(crate) fn ask(&mut self, request: &Value, time: Duration) -> Result<Value, String> {
        let line = self.line(request, time).map_err(|outcome| outcome.message())?;
        serde_json::from_slice(&line)
            .map_err(|error| format!("answered with what is no JSON ({error}): {}", quote(&line)))
    }

    /// Sends a line and waits for one.
    ///
    /// # Errors
    /// The worker sends no line in time, or ends.
    pub(super) fn line(&mut self, request: &Value, time: Duration) -> Result<Vec<u8>, Outcome> {
        if std::mem::replace(&mut self.begun, true) {
            self.process.forget();
        }
        // A worker that does not take the request is dead, or will be found to say nothing.
        let sent = self.process.send(request);
        let broke = |message: String| Err(Outcome::AdapterError { message });
        match self.process.line(Instant::now() + if sent.is_ok() { time } else { time.min(BYE_GRACE) }) {
            Event::Line(line) => Ok(line),
            Event::Exited => match self.process.kill() {
                Some(status) => Err(classify::ended(status, &self.process.stderr())),
                None => broke("the worker ended, and the system does not tell how".to_owned()),
            },
            Event::Closed => broke("the worker closed its stdout".to_owned()),
            Event::Flooded => broke(format!("more than {} MiB on stdout", MAX_STDOUT >> 20)),
            Event::TimedOut => {
                if let Err(error) = sent {
                    return broke(format!("the worker does not take requests: {error}"));
                }
                self.process.kill();
                Err(classify::died(&self.process.stderr(), Cause::WallTime(time)))
            }
        }
    }

    /// The output on stderr since the last request.
    pub(super) fn stderr(&mut self) -> String {
        self.process.catch_up();
        self.process.stderr()
    }

    /// The output that the worker sends without a request in this time, if any.
    pub(crate) fn unasked(&mut self, time: Duration) -> Option<String> {
        let event = self.process.end(Instant::now() + time);
        self.babble().or(matches!(event, Event::Exited).then(|| "its end".to_owned()))
    }

    /// The unread output, if any; does not wait.
    pub(super) fn babble(&mut self) -> Option<String> {
        self.process.unasked().map(|said| quote(said.trim_ascii()))
    }

    /// Sends `bye` and waits for the end of the worker; returns how the shutdown was unclean, if it was.
    pub(crate) fn bye(mut self) -> Option<String> {
        self.process.forget();
        let _ = self.process.send(&json!(Request::Bye));
        self.process.hush();
        match self.process.end(Instant::now() + BYE_GRACE) {
            Event::Exited => {
                let status = self.process.kill()?;
                if !status.success() {
                    let ended = classify::ended(status, &self.process.stderr());
                    return Some(format!("on bye: {}", ended.message()));
                }
                self.babble().map(|said| format!("said what nobody asked for before it left: {said}"))
            }
            _ => Some("did not leave on bye and was killed".to_owned()),
        }
    }
}

/// Quotes the beginning of a line for a message.
pub(super) fn quote(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut quoted: String = text.chars().take(QUOTED).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
