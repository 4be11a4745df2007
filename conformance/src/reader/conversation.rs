//! **A conversation with a worker**, line by line: the selftest sends requests that a run does not.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::process::{Event, Process};
use super::{Limits, Settings, classify};
use torchproof_protocol as protocol;

/// How long a worker may take to exit after `bye`.
pub(super) const BYE_GRACE: Duration = Duration::from_millis(500);
/// Characters of an invalid line that a message quotes.
const QUOTED: usize = 80;

/// A started worker before its handshake.
#[derive(Debug)]
pub(crate) struct Conversation {
    process: Process,
}

impl Conversation {
    pub(super) fn start(argv: &[String], settings: &Settings) -> Result<Self, String> {
        let limits = Limits { memory_mb: settings.memory_mb, ..Limits::under_us() };
        let process = Process::spawn(settings.launcher.command(argv, limits), true);
        process.map(|process| Self { process }).map_err(|error| format!("cannot start the launcher: {error}"))
    }

    /// The conversation with a running worker.
    pub(super) fn of(process: Process) -> Self {
        Self { process }
    }

    /// Sends a request and waits for a line of JSON.
    ///
    /// # Errors
    /// The worker sends no line in time, or ends; the message says which.
    pub(crate) fn ask(&mut self, request: &Value, time: Duration) -> Result<Value, String> {
        self.process.forget();
        let sent = self.process.send(request.to_string().into_bytes());
        match self.process.line(Instant::now() + time) {
            Event::Line(line) => serde_json::from_slice(&line)
                .map_err(|error| format!("answered with what is no JSON ({error}): {}", quote(&line))),
            Event::Exited => {
                let status = self.process.kill();
                let stderr = self.process.stderr();
                Err(status.map_or_else(
                    || "ended".to_owned(),
                    |status| format!("ended: {}", classify::ended(status, &stderr).message()),
                ))
            }
            Event::Closed => Err("closed its stdout".to_owned()),
            Event::Flooded => Err("floods its stdout".to_owned()),
            Event::TimedOut => Err(match sent {
                Ok(()) => format!("gave no answer in {} ms", time.as_millis()),
                Err(error) => format!("does not take the request: {error}"),
            }),
        }
    }

    /// The output that the worker sends without a request in this time, if any.
    pub(crate) fn unasked(&mut self, time: Duration) -> Option<String> {
        let event = self.process.end(Instant::now() + time);
        let said = self.process.stdout();
        match event {
            _ if !said.is_empty() => Some(quote(said)),
            Event::Exited => Some("its end".to_owned()),
            _ => None,
        }
    }

    /// Sends `bye` and waits for the end of the worker; returns how the shutdown was unclean, if it was.
    pub(crate) fn bye(mut self) -> Option<String> {
        self.process.forget();
        let _ = encode(&protocol::Request::Bye).map(|line| self.process.send(line));
        self.process.hush();
        match self.process.end(Instant::now() + BYE_GRACE) {
            Event::Exited => {
                let status = self.process.kill()?;
                if !status.success() {
                    let ended = classify::ended(status, &self.process.stderr());
                    return Some(format!("on bye: {}", ended.message()));
                }
                let said = self.process.stdout();
                (!said.is_empty())
                    .then(|| format!("said what nobody asked for before it left: {}", quote(said.trim_ascii())))
            }
            _ => Some("did not leave on bye and was killed".to_owned()),
        }
    }
}

/// Encodes a request as a line of JSON.
pub(super) fn encode(request: &protocol::Request) -> Result<Vec<u8>, String> {
    serde_json::to_vec(request).map_err(|error| format!("a request that JSON cannot hold: {error}"))
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
