//! **The process of a reader**: its pipes, its termination and its output limits.
//!
//! A single `poll` waits for stdout, stderr and the end of the process. No process can block the runner beyond the
//! deadline, even if it floods a pipe, closes it or leaves it open in a grandchild.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use super::interrupt;
use super::launcher::Resources;
pub(super) use super::output::MAX_STDOUT;
use super::output::{MAX_STDERR, Stderr, Stdout};
use super::wait::{TICK, end_of, has_ended, never_block, read_some, until_readable};
#[cfg(target_os = "linux")]
use rustix::process::kill_process;

/// The time limit for a process to end after it closes stdout.
const CLOSED_GRACE: Duration = Duration::from_secs(3);
/// The time limit for a supervisor to end the process tree, longer than even a busy machine needs. After it, the
/// supervisor is killed, and the reader's orphans survive.
#[cfg(target_os = "linux")]
const SUPERVISOR_GRACE: Duration = Duration::from_secs(30);
#[cfg(target_os = "linux")]
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// A running reader. On Linux, the child process is its supervisor; on other systems, it leads its process group.
///
/// Dropping a `Process` ends the reader's process tree or, without a supervisor, its process group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    pid: Pid,
    /// Becomes readable when the process ends; `None` on systems without such descriptors.
    end: Option<OwnedFd>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    out: Stdout,
    err: Stderr,
    exited: bool,
    status: Option<ExitStatus>,
    /// The resources, which are removed after the process has ended.
    resources: Resources,
}

#[derive(Debug)]
pub(super) enum Event {
    /// A line on stdout, without its line feed.
    Line(Vec<u8>),
    /// The process has ended, and all output has been read.
    Exited,
    /// The process has closed stdout but still runs.
    Closed,
    /// The process wrote more than [`MAX_STDOUT`] bytes.
    Flooded,
    /// The deadline has passed, or a signal has interrupted the command.
    TimedOut,
}

impl Process {
    /// Starts a [command of the launcher](super::Launcher::command) in a new process group, with a pipe as stdin if
    /// `has_stdin`, and an empty stdin otherwise.
    pub(super) fn spawn((mut command, resources): (Command, Resources), has_stdin: bool) -> io::Result<Self> {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
        command.stdin(if has_stdin { Stdio::piped() } else { Stdio::null() });
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let pid = Pid::from_child(&child);
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Process {
            end: end_of(pid),
            child,
            pid,
            stdin,
            stdout,
            stderr,
            out: Stdout::default(),
            err: Stderr::default(),
            exited: false,
            status: None,
            resources,
        };
        // From here on, an error drops `process`, which kills the child.
        process.stdin.as_ref().map_or(Ok(()), never_block)?;
        process.stdout.as_ref().map_or(Ok(()), never_block)?;
        process.stderr.as_ref().map_or(Ok(()), never_block)?;
        Ok(process)
    }

    /// Writes a line to stdin; fails if the pipe does not accept all of it immediately.
    pub(super) fn send(&mut self, line: &Value) -> io::Result<()> {
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(format!("{line}\n").as_bytes()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    pub(super) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    pub(super) fn line(&mut self, deadline: Instant) -> Event {
        let mut closed = None;
        loop {
            if let Some(line) = self.out.take_line() {
                return Event::Line(line);
            }
            let until = match self.stdout {
                Some(_) => deadline,
                None => *closed.get_or_insert_with(|| Instant::now() + CLOSED_GRACE),
            };
            if let Some(event) = self.settled(until) {
                return if self.stdout.is_none() && matches!(event, Event::TimedOut) { Event::Closed } else { event };
            }
            self.pump(until);
        }
    }

    /// Waits for the end of the process, and keeps the output.
    pub(super) fn end(&mut self, deadline: Instant) -> Event {
        loop {
            if let Some(event) = self.settled(deadline) {
                return event;
            }
            self.pump(deadline);
        }
    }

    /// Returns the unread output on stdout, if any, without waiting.
    pub(super) fn unread_stdout(&mut self) -> Option<Vec<u8>> {
        self.read_stdout();
        (!self.out.rest().is_empty()).then(|| self.out.rest().to_vec())
    }

    /// Returns the output on stdout that has not been returned as a line.
    pub(super) fn stdout(&self) -> &[u8] {
        self.out.rest()
    }

    /// Returns stderr since the last [`clear_stderr`](Self::clear_stderr). If it is long, returns only its beginning and its end.
    pub(super) fn stderr(&self) -> String {
        self.err.text()
    }

    pub(super) fn clear_stderr(&mut self) {
        self.catch_up();
        self.err.clear();
    }

    /// Ends the process tree if it still runs, and returns the exit status.
    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.stop_supervisor();
            // Signal the group before waiting for the child, because afterwards another process can get its id.
            let _ = kill_process_group(self.pid, Signal::KILL);
            self.status = self.child.wait().ok();
            self.exited = true;
            self.drain();
            if self.resources.is_out_of_memory() {
                let note = b"\nout of memory: a process reached the memory limit of the control group\n";
                self.err.fill(|bytes| bytes.extend_from_slice(note));
            }
        }
        self.status
    }

    /// Signals the supervisor to end the process tree, and waits until it has.
    ///
    /// The signal is repeated, because a signal that arrives while the supervisor installs its handler is lost. SIGCONT
    /// wakes a supervisor that the reader has stopped.
    #[cfg(target_os = "linux")]
    fn stop_supervisor(&self) {
        let patience = Instant::now() + SUPERVISOR_GRACE;
        while !self.exited && !has_ended(self.pid) && Instant::now() < patience {
            for signal in [Signal::TERM, Signal::CONT] {
                let _ = kill_process(self.pid, signal);
            }
            let most = if self.end.is_some() { SIGNAL_INTERVAL } else { TICK };
            until_readable([self.end.as_ref().map(AsFd::as_fd)], Some(most));
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn stop_supervisor(&self) {}

    fn settled(&self, deadline: Instant) -> Option<Event> {
        if self.out.is_flooded() {
            Some(Event::Flooded)
        } else if self.exited {
            Some(Event::Exited)
        } else if Instant::now() >= deadline || interrupt::is_interrupted() {
            Some(Event::TimedOut)
        } else {
            None
        }
    }

    fn pump(&mut self, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let most = if self.end.is_some() { left } else { left.min(TICK) };
        let fds = [
            self.stdout.as_ref().map(AsFd::as_fd),
            self.stderr.as_ref().map(AsFd::as_fd),
            self.end.as_ref().map(AsFd::as_fd),
            interrupt::descriptor(),
        ];
        until_readable(fds, Some(most));
        self.read_stdout();
        self.read_stderr();
        if has_ended(self.pid) {
            self.exited = true;
            // A process left in the group could keep writing.
            let _ = kill_process_group(self.pid, Signal::KILL);
            self.drain();
        }
    }

    fn drain(&mut self) {
        while !self.out.is_flooded() && self.read_stdout() {}
        self.catch_up();
    }

    pub(super) fn catch_up(&mut self) {
        // Limit the reads, because a process could write forever, but allow for more than a pipe can contain.
        for _ in 0..MAX_STDOUT / MAX_STDERR {
            if !self.read_stderr() {
                break;
            }
        }
    }

    /// Reads stdout once; returns whether there could be more.
    fn read_stdout(&mut self) -> bool {
        self.out.fill(|bytes| read_some(&mut self.stdout, bytes))
    }

    /// Reads stderr once; returns whether there could be more.
    fn read_stderr(&mut self) -> bool {
        self.err.fill(|bytes| read_some(&mut self.stderr, bytes))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may panic if its fixture is broken.

    use super::*;
    use crate::reader::Launcher;

    #[test]
    fn repeats_the_signals_to_a_supervisor() {
        // The first SIGTERM only stops the process; the next one ends it.
        let script = "trap 'trap - TERM; kill -STOP $$' TERM; echo; while :; do sleep 0.01; done";
        let (_, resources) = Launcher::at("torchproof").command(["reader"], None, None).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let mut process = Process::spawn((command, resources), false).unwrap();
        let ready = process.line(Instant::now() + SUPERVISOR_GRACE);
        assert!(matches!(ready, Event::Line(_)), "{ready:?}");
        assert_eq!(process.kill().and_then(super::super::signal::of), Some(Signal::TERM.as_raw()));
    }
}
