//! The process of a reader on systems where torchproof cannot start readers.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::Instant;

use serde_json::Value;

use super::launcher::Resources;
pub(super) use super::output::MAX_STDOUT;

/// A process that cannot exist.
#[derive(Debug)]
pub(super) enum Process {}

#[derive(Debug)]
#[expect(dead_code, reason = "no process exists")]
pub(super) enum Event {
    Line(Vec<u8>),
    Exited,
    Closed,
    Flooded,
    TimedOut,
}

impl Process {
    pub(super) fn spawn(_: (Command, Resources), _: bool) -> io::Result<Self> {
        Err(io::Error::other(
            "found Windows, expected Linux or macOS; use a builtin: reader, or run torchproof on Linux",
        ))
    }

    pub(super) fn send(&mut self, _: &Value) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn close_stdin(&mut self) {
        match *self {}
    }

    pub(super) fn line(&mut self, _: Instant) -> Event {
        match *self {}
    }

    pub(super) fn end(&mut self, _: Instant) -> Event {
        match *self {}
    }

    pub(super) fn unread_stdout(&mut self) -> Option<Vec<u8>> {
        match *self {}
    }

    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        match *self {}
    }

    pub(super) fn catch_up(&mut self) {
        match *self {}
    }

    pub(super) fn clear_stderr(&mut self) {
        match *self {}
    }

    pub(super) fn stderr(&self) -> String {
        match *self {}
    }

    pub(super) fn stdout(&self) -> &[u8] {
        match *self {}
    }
}
