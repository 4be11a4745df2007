//! **A conversation with a worker**, line by line: for who asks what a run does not.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::process::{Event, Process};
use super::{Limits, Settings, classify};
use torchproof_protocol as protocol;

/// How long a worker may take to leave after `bye`.
pub(super) const BYE_GRACE: Duration = Duration::from_millis(500);
/// How much of a line that is no answer is quoted.
const QUOTED: usize = 80;

/// A worker that was started and said nothing yet.
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

    /// One that is under way.
    pub(super) fn of(process: Process) -> Self {
        Self { process }
    }

    /// Writes a request and waits for a line of JSON.
    ///
    /// # Errors
    /// There is none in time, or the worker ended; the message says which.
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

    /// What it says without being asked, if it says anything in this time.
    pub(crate) fn unasked(&mut self, time: Duration) -> Option<String> {
        let event = self.process.end(Instant::now() + time);
        let said = self.process.stdout();
        match event {
            _ if !said.is_empty() => Some(quote(said)),
            Event::Exited => Some("its end".to_owned()),
            _ => None,
        }
    }

    /// Sends it home; what it did wrong in leaving, if anything.
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

/// The line of a request.
pub(super) fn encode(request: &protocol::Request) -> Result<Vec<u8>, String> {
    serde_json::to_vec(request).map_err(|error| format!("a request that JSON cannot hold: {error}"))
}

/// The beginning of a line, for a message.
pub(super) fn quote(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut quoted: String = text.chars().take(QUOTED).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
