//! **The supervisor**: stays beside a reader on Linux until all that the reader started is gone.
//!
//! The launcher forks. The child becomes the reader, limited and in the sandbox; the parent is neither, and takes in whatever the
//! reader starts and leaves. When the reader has ended, when SIGTERM says so, or when the runner is gone, it ends all of that
//! and then itself, as the reader ended: with the same exit code, or by the same signal.
//!
//! ```text
//! runner ── supervisor ── reader ── what it starts
//!               └──────── what it starts and leaves
//! ```
#![allow(unsafe_code, reason = "fork, signal masks and signalfd are functions of C")]

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::exit;
use std::ptr;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, kill_process_group,
    set_parent_process_death_signal, setpgid, wait, waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::process_tree;
use super::wait::{end_of, until_readable};

/// How often to check that the runner lives, where that cannot be polled for.
const TICK: Duration = Duration::from_millis(100);

/// Forks; returns in the child, which is to become the reader. The parent stays its supervisor, and never returns.
///
/// `runner` is whose child this process must be. `scratch` is the reader's folder for temporary files, which the supervisor
/// removes if the runner is not there to do it.
///
/// # Errors
/// The system says why not, or the runner is gone.
pub(super) fn split(runner: Option<u32>, scratch: Option<&Path>) -> io::Result<()> {
    let runner = Runner::find(runner)?;
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    process_tree::adopt()?;
    let (signals, mask) = take_signals()?;
    let supervisor = getpid();
    // SAFETY: this program has one thread here, so the child is a whole copy of it and may call whatever it could call before.
    let forked = unsafe { libc::fork() };
    if forked < 0 {
        return Err(io::Error::last_os_error());
    }
    let Some(reader) = Pid::from_raw(forked) else {
        // SAFETY: the mask is the one that the system gave, and nothing is asked of the other pointer.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const mask, ptr::null_mut()) };
        // The supervisor is in no group that the reader can signal.
        setpgid(None, None)?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        return if getppid() == Some(supervisor) { Ok(()) } else { Err(io::Error::other("the supervisor is gone")) };
    };
    // The pipes are the reader's alone: their ends are seen when it closes them.
    let _ = dup2_stdin(&nothing);
    let _ = dup2_stdout(&nothing);
    let _ = dup2_stderr(&nothing);
    let status = supervise(reader, &runner, signals);
    process_tree::end(&[]);
    if let Some(scratch) = scratch.filter(|_| !runner.is_there()) {
        let _ = std::fs::remove_dir_all(scratch);
    }
    end_as(status)
}

/// Waits for the end of the reader, or brings it about; how it ended.
fn supervise(reader: Pid, runner: &Runner, signals: OwnedFd) -> WaitStatus {
    let mut signals = File::from(signals);
    let tick = if runner.end.is_some() { None } else { Some(TICK) };
    let mut told = false;
    while !told && runner.is_there() {
        until_readable([Some(signals.as_fd()), runner.end.as_ref().map(AsFd::as_fd)], tick);
        let mut signal = [0; size_of::<libc::signalfd_siginfo>()];
        while signals.read_exact(&mut signal).is_ok() {
            let number = signal.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes));
            told |= number == Some(libc::SIGTERM.cast_unsigned());
        }
        // Whoever was taken in and has ended is collected with it.
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == reader {
                return status;
            }
        }
    }
    // It was not waited for, so nobody else has its number.
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

/// Who started this process.
struct Runner {
    pid: Option<Pid>,
    /// Readable once it has ended.
    end: Option<OwnedFd>,
}

impl Runner {
    fn find(expected: Option<u32>) -> io::Result<Self> {
        let pid = getppid();
        let end = pid.and_then(end_of);
        let runner = Self { pid, end };
        // Whatever the descriptor is of: it is of the runner if that is there still.
        let is_it = expected.is_none_or(|expected| pid.map(|pid| pid.as_raw_pid().cast_unsigned()) == Some(expected));
        if is_it && runner.is_there() { Ok(runner) } else { Err(io::Error::other("the runner is gone")) }
    }

    fn is_there(&self) -> bool {
        getppid() == self.pid
    }
}

/// Has SIGTERM, and SIGCHLD for any end below this process, wait in a descriptor; that, and the mask of signals before.
fn take_signals() -> io::Result<(OwnedFd, libc::sigset_t)> {
    // SAFETY: SIG_DFL is a valid disposition. Where the runner's parent ignored the signal, no status would be kept.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    let taken = set_of(&[libc::SIGTERM, libc::SIGCHLD]);
    let mut before = MaybeUninit::uninit();
    // SAFETY: both point to sets, of which the system reads the first and writes the second.
    if unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const taken, before.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above wrote it.
    let before = unsafe { before.assume_init() };
    // SAFETY: the set is one, and -1 asks for a new descriptor.
    let descriptor = unsafe { libc::signalfd(-1, &raw const taken, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is new, so nobody else has it.
    Ok((unsafe { OwnedFd::from_raw_fd(descriptor) }, before))
}

fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the first call makes a set of what is there, and the others add to it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        set.assume_init()
    }
}

/// Ends this process as another has ended.
fn end_as(status: WaitStatus) -> ! {
    if let Some(signal) = status.terminating_signal() {
        let set = set_of(&[signal]);
        // SAFETY: SIG_DFL is a valid disposition of a signal that has ended a process, the set is one, and raise ends this.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const set, ptr::null_mut());
        }
        exit(128 + signal)
    }
    exit(status.exit_status().unwrap_or(1))
}
