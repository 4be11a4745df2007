//! **A reader's process**: its pipes, its end, and what it may do instead of answering.
//!
//! One `poll` waits for stdout, stderr and the end of the process together. It notices a process that floods a pipe, closes
//! one, or leaves one open in a grandchild, and never waits past the deadline.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tempfile::TempDir;

use super::wait::{TICK, end_of, has_ended, never_block, read_some, until_readable};
#[cfg(target_os = "linux")]
use rustix::process::kill_process;

/// The most that a reader may write to stdout for one case.
pub(super) const MAX_STDOUT: usize = 16 << 20;
/// How much of the end of stderr is kept.
pub(super) const MAX_STDERR: usize = 64 << 10;
/// How long a process that closed its stdout may take to end.
const CLOSED_GRACE: Duration = Duration::from_millis(500);
/// How long a supervisor may take to end what a reader has started, before it is ended itself.
#[cfg(target_os = "linux")]
const SUPERVISOR_GRACE: Duration = Duration::from_secs(5);

/// A running reader under its supervisor; without one, the leader of its own process group.
///
/// Dropping it ends all that it started; without a supervisor, all of the group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    pid: Pid,
    /// Readable once the process has ended; absent where the system has no such thing.
    end: Option<OwnedFd>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// Output on stdout that was not taken yet.
    out: Vec<u8>,
    /// How much of `out` is known to hold no line feed.
    scanned: usize,
    err: Vec<u8>,
    exited: bool,
    status: Option<ExitStatus>,
    /// Removed after its end.
    _scratch: TempDir,
}

/// The result of waiting.
#[derive(Debug)]
pub(super) enum Event {
    /// A line on stdout, without its line feed.
    Line(Vec<u8>),
    /// The process ended; all that it wrote before is read.
    Exited,
    /// It closed stdout and still runs.
    Closed,
    /// It wrote more than [`MAX_STDOUT`].
    Flooded,
    /// The deadline passed.
    TimedOut,
}

impl Process {
    /// Starts a [command of the launcher](super::Launcher::command) in a process group of its own, with stdin a pipe if `talks`,
    /// else empty.
    pub(super) fn spawn((mut command, scratch): (Command, TempDir), talks: bool) -> io::Result<Self> {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
        command.stdin(if talks { Stdio::piped() } else { Stdio::null() });
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
            out: Vec::new(),
            scanned: 0,
            err: Vec::new(),
            exited: false,
            status: None,
            _scratch: scratch,
        };
        // From here on an error kills the child, through drop.
        process.stdin.as_ref().map_or(Ok(()), never_block)?;
        process.stdout.as_ref().map_or(Ok(()), never_block)?;
        process.stderr.as_ref().map_or(Ok(()), never_block)?;
        Ok(process)
    }

    /// Writes a line to stdin; an error if the process does not take it all at once.
    pub(super) fn send(&mut self, line: &Value) -> io::Result<()> {
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(format!("{line}\n").as_bytes()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Closes stdin.
    pub(super) fn hush(&mut self) {
        self.stdin = None;
    }

    /// Waits for the next line on stdout.
    pub(super) fn line(&mut self, deadline: Instant) -> Event {
        let mut closed = None;
        loop {
            if let Some(line) = self.take_line() {
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

    /// Waits for the end of the process, keeping what comes on stdout.
    pub(super) fn end(&mut self, deadline: Instant) -> Event {
        loop {
            if let Some(event) = self.settled(deadline) {
                return event;
            }
            self.pump(deadline);
        }
    }

    /// The unread output on stdout, if any; does not wait.
    pub(super) fn unasked(&mut self) -> Option<Vec<u8>> {
        self.read_stdout();
        (!self.out.is_empty()).then(|| self.out.clone())
    }

    /// The output on stdout that was not taken.
    pub(super) fn stdout(&self) -> &[u8] {
        &self.out
    }

    /// The end of what was written to stderr since the last [`forget`](Self::forget), at most [`MAX_STDERR`].
    pub(super) fn stderr(&self) -> String {
        let start = self.err.len().saturating_sub(MAX_STDERR);
        String::from_utf8_lossy(&self.err[start..]).into_owned()
    }

    /// Discards the output on stderr so far.
    pub(super) fn forget(&mut self) {
        self.catch_up();
        self.err.clear();
    }

    /// Ends it and all that it started, if anything of that still runs, and gives its status.
    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.have_it_ended();
            // Before the leader is waited for, since until then nobody else can have its number.
            let _ = kill_process_group(self.pid, Signal::KILL);
            self.status = self.child.wait().ok();
            self.exited = true;
            self.drain();
        }
        self.status
    }

    /// Tells the supervisor to end the process tree, and gives it time to do so.
    #[cfg(target_os = "linux")]
    fn have_it_ended(&self) {
        let patience = Instant::now() + SUPERVISOR_GRACE;
        if self.exited || kill_process(self.pid, Signal::TERM).is_err() {
            return;
        }
        while !has_ended(self.pid) && Instant::now() < patience {
            let left = patience.saturating_duration_since(Instant::now());
            let most = if self.end.is_some() { left } else { left.min(TICK) };
            until_readable([self.end.as_ref().map(AsFd::as_fd)], Some(most));
        }
    }

    /// There is none.
    #[cfg(not(target_os = "linux"))]
    fn have_it_ended(&self) {}

    fn settled(&self, deadline: Instant) -> Option<Event> {
        if self.out.len() > MAX_STDOUT {
            Some(Event::Flooded)
        } else if self.exited {
            Some(Event::Exited)
        } else if Instant::now() >= deadline {
            Some(Event::TimedOut)
        } else {
            None
        }
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let Some(at) = self.out[self.scanned..].iter().position(|byte| *byte == b'\n') else {
            self.scanned = self.out.len();
            return None;
        };
        let end = self.scanned + at;
        // The buffer stays for what comes next.
        let line = self.out[..end].to_vec();
        self.out.drain(..=end);
        self.scanned = 0;
        Some(line)
    }

    /// Waits once for anything to happen, and reads what there is.
    fn pump(&mut self, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let most = if self.end.is_some() { left } else { left.min(TICK) };
        let fds = [
            self.stdout.as_ref().map(AsFd::as_fd),
            self.stderr.as_ref().map(AsFd::as_fd),
            self.end.as_ref().map(AsFd::as_fd),
        ];
        until_readable(fds, Some(most));
        self.read_stdout();
        self.read_stderr();
        if has_ended(self.pid) {
            self.exited = true;
            // Whoever of the group survives could go on writing for ever.
            let _ = kill_process_group(self.pid, Signal::KILL);
            self.drain();
        }
    }

    /// Reads what the pipes hold after the end of the process.
    fn drain(&mut self) {
        while self.out.len() <= MAX_STDOUT && self.read_stdout() {}
        self.catch_up();
    }

    /// Reads what is in the pipe of stderr.
    pub(super) fn catch_up(&mut self) {
        // Its own capacity bounds what the dead can have left in it; who goes on writing is not waited for.
        for _ in 0..MAX_STDOUT / MAX_STDERR {
            if !self.read_stderr() {
                break;
            }
        }
    }

    /// Reads once; whether there may be more.
    fn read_stdout(&mut self) -> bool {
        read_some(&mut self.stdout, &mut self.out)
    }

    /// Reads once, keeping no more than the end; whether there may be more.
    fn read_stderr(&mut self) -> bool {
        let more = read_some(&mut self.stderr, &mut self.err);
        if self.err.len() > 4 * MAX_STDERR {
            self.err.drain(..self.err.len() - MAX_STDERR);
        }
        more
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
