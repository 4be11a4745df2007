//! **A conversation with a worker**: requests and replies, one line each.
//!
//! The adapter selftest uses this module directly, for requests that a run never sends.

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::process::{Event, MAX_STDOUT, Process};
use super::{Launcher, classify};
use crate::reader::outcome::{Cause, Outcome};
use crate::text::json::from_json;
use torchproof::Stage;
use torchproof_protocol::Request;

/// The time limit for a worker to exit after `bye`.
const BYE_GRACE: Duration = Duration::from_secs(5);
/// The maximum number of characters that a message quotes from an invalid line.
const QUOTED: usize = 80;

#[derive(Debug)]
pub(crate) struct Conversation {
    process: Process,
    /// `true` if a request was sent. Until then, text on stderr is kept, because it can explain a failed start.
    begun: bool,
}

impl Conversation {
    pub(super) fn start<S: AsRef<OsStr>>(
        argv: &[S],
        launcher: &Launcher,
        memory_mb: Option<u64>,
    ) -> Result<Self, String> {
        let command = launcher.command(argv, memory_mb, None);
        let process = command.and_then(|command| Process::spawn(command, true));
        process
            .map(|process| Self { process, begun: false })
            .map_err(|error| format!("cannot start the launcher: {error}"))
    }

    /// Sends a request and waits for the reply. The error is the reason why no JSON arrived in time.
    pub(crate) fn ask(&mut self, request: &Value, time: Duration) -> Result<Value, String> {
        let line = self.line(request, time).map_err(|outcome| outcome.message())?;
        from_json(&line).map_err(|error| format!("found a reply that is not JSON ({error}): {}", quote(&line)))
    }

    /// Sends a request and returns the line with the reply. Fails if the worker ends or takes too long.
    pub(super) fn line(&mut self, request: &Value, time: Duration) -> Result<Vec<u8>, Outcome> {
        if std::mem::replace(&mut self.begun, true) {
            self.process.clear_stderr();
        }
        // Wait even if sending failed: a dead worker's exit status explains the failure better.
        let sent = self.process.send(request);
        let broke = |message: String| Err(Outcome::AdapterError { message });
        match self.process.line(Instant::now() + if sent.is_ok() { time } else { time.min(BYE_GRACE) }) {
            Event::Line(line) => Ok(line),
            Event::Exited => match self.process.kill() {
                Some(status) => Err(classify::ended(status, &self.process.stderr())),
                None => broke("the worker ended; its exit status is not available".to_owned()),
            },
            Event::Closed => {
                self.process.kill();
                // A crashed worker can take a long time to end, for example to write a core file, but its report is complete.
                let crash = classify::reported(&self.process.stderr());
                crash.map_or_else(|| broke("the worker closed its stdout".to_owned()), Err)
            }
            Event::Flooded => {
                broke(format!("found more than {} MiB on stdout; expected one line per request", MAX_STDOUT >> 20))
            }
            Event::TimedOut => {
                if let Err(error) = sent {
                    return broke(format!("the worker does not read requests: {error}"));
                }
                self.process.kill();
                Err(classify::died(&self.process.stderr(), Cause::WallTime(time)))
            }
        }
    }

    pub(super) fn stderr(&mut self) -> String {
        self.process.catch_up();
        self.process.stderr()
    }

    pub(crate) fn last_stage(&mut self) -> Option<Stage> {
        classify::last_stage(&self.stderr())
    }

    /// Waits, and returns output that the worker sent without a request, if any.
    pub(crate) fn unsolicited_within(&mut self, time: Duration) -> Option<String> {
        let event = self.process.end(Instant::now() + time);
        self.unsolicited().or(matches!(event, Event::Exited).then(|| "the worker ended".to_owned()))
    }

    /// Returns unread output, if any, without waiting.
    pub(super) fn unsolicited(&mut self) -> Option<String> {
        self.process.unread_stdout().map(|output| quote(output.trim_ascii()))
    }

    /// Sends `bye` and waits for the end of the worker. Returns a message if the shutdown was not clean.
    pub(crate) fn bye(mut self) -> Option<String> {
        self.process.clear_stderr();
        let _ = self.process.send(&json!(Request::Bye));
        self.process.close_stdin();
        match self.process.end(Instant::now() + BYE_GRACE) {
            Event::Exited => {
                let status = self.process.kill()?;
                if !status.success() {
                    let ended = classify::ended(status, &self.process.stderr());
                    return Some(format!("after `bye`: {}", ended.message()));
                }
                self.unsolicited().map(|output| format!("unsolicited output before exit: {output}"))
            }
            _ => Some("did not exit after `bye` and was killed".to_owned()),
        }
    }
}

pub(super) fn quote(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut quoted: String = text.chars().take(QUOTED).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
