//! **The supervisor**: on Linux, the parent process of a reader. It ends the reader's process tree.
//!
//! The launcher forks. The child becomes the reader, with limits and in the sandbox. The parent, without limits or
//! sandbox, becomes the supervisor and adopts every orphaned descendant. It ends the whole tree when the reader ends,
//! when the runner ends, or on SIGTERM, and then ends with the reader's own exit code or signal.
//!
//! ```text
//! runner ── supervisor ── reader ── its children
//!               └──────── its orphans
//! ```
#![allow(unsafe_code, reason = "fork is a function of C")]

use std::io::{self, Read};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, kill_process_group,
    set_parent_process_death_signal, setpgid, wait, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use signal_hook::consts::{SIGCHLD, SIGTERM};
use signal_hook::low_level::{emulate_default_handler, pipe};

use super::process_tree;
use super::wait::{end_of, until_readable};

/// How often to check for the end of the runner where `poll` cannot wait for it.
const TICK: Duration = Duration::from_millis(100);

/// Forks this process. The function returns in the child, which then execs the reader; the parent supervises it and
/// does not return.
///
/// `runner` is the id of the expected parent process. If the runner has ended, the supervisor removes the reader's
/// folder `scratch` and its control group.
pub(super) fn split(runner: Option<u32>, scratch: Option<&Path>, cgroup: Option<&Path>) -> io::Result<()> {
    let runner = Runner::find(runner)?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    process_tree::adopt()?;
    // The handlers also replace an inherited SIG_IGN, which would make the system discard wait statuses.
    let signals = Signals::handle()?;
    let supervisor = getpid();
    // SAFETY: this program has one thread here, so the child is a complete copy and is allowed to call any function.
    let forked = unsafe { libc::fork() };
    if forked < 0 {
        return Err(io::Error::last_os_error());
    }
    let Some(reader) = Pid::from_raw(forked) else {
        // Leave the process group, so that a signal that the reader sends to its own group does not reach the supervisor.
        setpgid(None, None)?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        return if getppid() == Some(supervisor) { Ok(()) } else { Err(io::Error::other("the supervisor has ended")) };
    };
    // Close the supervisor's copies of the pipes, so that the runner notices when the reader closes its copies.
    let _ = dup2_stdin(&null);
    let _ = dup2_stdout(&null);
    let _ = dup2_stderr(&null);
    let status = supervise(reader, &runner, signals);
    process_tree::end(&[]);
    if !runner.is_there() {
        let _ = scratch.map(super::scratch::remove);
        let _ = cgroup.map(super::sandbox::remove_cgroup);
    }
    end_as(status)
}

/// Moves two open descriptors to stdin and stdout of this process.
pub(super) fn attach(stdin: i32, stdout: i32) -> io::Result<()> {
    // SAFETY: the launcher outside the sandbox opened the descriptors for this call, so they have no other owner.
    let [stdin, stdout] = [stdin, stdout].map(|number| unsafe { OwnedFd::from_raw_fd(number) });
    dup2_stdin(&stdin)?;
    dup2_stdout(&stdout)?;
    Ok(())
}

/// This process's SIGTERM and SIGCHLD handlers, which the system removes when the reader is executed.
struct Signals {
    stop: Arc<AtomicBool>,
    /// Becomes readable when a signal arrives.
    arrived: UnixStream,
}

impl Signals {
    fn handle() -> io::Result<Self> {
        let (arrived, sender) = UnixStream::pair()?;
        arrived.set_nonblocking(true)?;
        let signals = Self { stop: Arc::default(), arrived };
        signal_hook::flag::register(SIGTERM, Arc::clone(&signals.stop))?;
        for signal in [SIGTERM, SIGCHLD] {
            pipe::register(signal, sender.try_clone()?)?;
        }
        Ok(signals)
    }
}

/// Waits for the end of the reader, and returns the wait status. Kills the reader on SIGTERM, or if the runner ended.
fn supervise(reader: Pid, runner: &Runner, mut signals: Signals) -> WaitStatus {
    let tick = if runner.end.is_some() { None } else { Some(TICK) };
    while !signals.stop.load(Ordering::Relaxed) && runner.is_there() {
        until_readable([Some(signals.arrived.as_fd()), runner.end.as_ref().map(AsFd::as_fd)], tick);
        while signals.arrived.read(&mut [0; 64]).is_ok() {}
        // This loop also reaps adopted processes.
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == reader {
                return status;
            }
        }
    }
    // The reader has not been reaped, so no other process can have its id.
    let _ = kill_process_group(reader, Signal::KILL);
    let _ = kill_process(reader, Signal::KILL);
    loop {
        match waitpid(Some(reader), WaitOptions::empty()) {
            Ok(Some((_, status))) => return status,
            Err(rustix::io::Errno::INTR) | Ok(None) => {}
            Err(_) => exit(1),
        }
    }
}

struct Runner {
    pid: Option<Pid>,
    /// Becomes readable when the runner ends.
    end: Option<OwnedFd>,
}

impl Runner {
    fn find(expected: Option<u32>) -> io::Result<Self> {
        let pid = getppid();
        let end = pid.and_then(end_of);
        let runner = Self { pid, end };
        // Check only now: if the runner has ended, the descriptor could refer to another process with the same id.
        let is_runner =
            expected.is_none_or(|expected| pid.map(|pid| pid.as_raw_pid().cast_unsigned()) == Some(expected));
        if is_runner && runner.is_there() { Ok(runner) } else { Err(io::Error::other("the runner has ended")) }
    }

    fn is_there(&self) -> bool {
        getppid() == self.pid
    }
}

fn end_as(status: WaitStatus) -> ! {
    if let Some(signal) = status.terminating_signal() {
        let _ = emulate_default_handler(signal);
        exit(128 + signal)
    }
    exit(status.exit_status().unwrap_or(1))
}
