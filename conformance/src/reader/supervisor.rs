//! **The supervisor**: on Linux, the parent process of a reader. The supervisor ends the reader's process tree.
//!
//! The launcher forks. The child becomes the reader, with limits and in the sandbox. The parent becomes the supervisor,
//! without limits or sandbox, and adopts every orphaned descendant of the reader. The supervisor ends the whole process
//! tree when the reader ends, when the runner ends, or on SIGTERM. Then the supervisor ends with the exit code or
//! signal of the reader.
//!
//! ```text
//! runner ── supervisor ── reader ── its children
//!               └──────── its orphans
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

/// On systems where `poll` cannot wait for the end of the runner, the time between two checks for this end.
const TICK: Duration = Duration::from_millis(100);

/// Forks this process. The function returns in the child, which then execs the reader. The parent supervises the child
/// and does not return.
///
/// The parameter `runner` is the id of the expected parent process. `scratch` is the reader's folder for temporary files,
/// and `cgroup` is the reader's control group. If the runner has ended, the supervisor removes the folder and the group.
///
/// # Errors
/// Fails if a system call fails, or if the runner has ended.
pub(super) fn split(runner: Option<u32>, scratch: Option<&Path>, cgroup: Option<&Path>) -> io::Result<()> {
    let runner = Runner::find(runner)?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    process_tree::adopt()?;
    let (signals, mask) = take_signals()?;
    let supervisor = getpid();
    // SAFETY: this program has one thread here, so the child is a complete copy and is allowed to call any function.
    let forked = unsafe { libc::fork() };
    if forked < 0 {
        return Err(io::Error::last_os_error());
    }
    let Some(reader) = Pid::from_raw(forked) else {
        // SAFETY: the mask is initialized, and the system permits null as the last argument.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const mask, ptr::null_mut()) };
        // Give the reader a new process group; otherwise, a signal that the reader sends to its group would also reach
        // the supervisor.
        setpgid(None, None)?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        return if getppid() == Some(supervisor) { Ok(()) } else { Err(io::Error::other("the supervisor has ended")) };
    };
    // Close the supervisor's copies of the pipes, so that the runner detects when the reader closes its pipes.
    let _ = dup2_stdin(&null);
    let _ = dup2_stdout(&null);
    let _ = dup2_stderr(&null);
    let status = supervise(reader, &runner, signals);
    process_tree::end(&[]);
    if !runner.is_there() {
        let _ = scratch.map(std::fs::remove_dir_all);
        let _ = cgroup.map(super::sandbox::remove_cgroup);
    }
    end_as(status)
}

/// Copies the two given descriptors to stdin and stdout of this process, and then closes the given descriptors.
///
/// # Errors Fails if one of the numbers does not refer to an open descriptor.
pub(super) fn attach(stdin: i32, stdout: i32) -> io::Result<()> {
    // SAFETY: the launcher outside the sandbox opened the descriptors for this call, so they have no other owner.
    let [stdin, stdout] = [stdin, stdout].map(|number| unsafe { OwnedFd::from_raw_fd(number) });
    dup2_stdin(&stdin)?;
    dup2_stdout(&stdout)?;
    Ok(())
}

/// Waits for the end of the reader, and returns the wait status. Kills the reader on SIGTERM, or if the runner has
/// ended.
fn supervise(reader: Pid, runner: &Runner, signals: OwnedFd) -> WaitStatus {
    let mut signals = File::from(signals);
    let tick = if runner.end.is_some() { None } else { Some(TICK) };
    let mut stop = false;
    while !stop && runner.is_there() {
        until_readable([Some(signals.as_fd()), runner.end.as_ref().map(AsFd::as_fd)], tick);
        let mut signal = [0; size_of::<libc::signalfd_siginfo>()];
        while signals.read_exact(&mut signal).is_ok() {
            let number = signal.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes));
            stop |= number == Some(libc::SIGTERM.cast_unsigned());
        }
        // This loop also reaps ended processes that the supervisor adopted.
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == reader {
                return status;
            }
        }
    }
    // The reader has not been reaped, so no other process can have the reader's process id.
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

/// The process that started the launcher.
struct Runner {
    pid: Option<Pid>,
    /// A descriptor that becomes readable when the runner ends.
    end: Option<OwnedFd>,
}

impl Runner {
    fn find(expected: Option<u32>) -> io::Result<Self> {
        let pid = getppid();
        let end = pid.and_then(end_of);
        let runner = Self { pid, end };
        // Check after opening the descriptor: if the runner has ended, the descriptor could refer to another process
        // with the same process id.
        let is_runner =
            expected.is_none_or(|expected| pid.map(|pid| pid.as_raw_pid().cast_unsigned()) == Some(expected));
        if is_runner && runner.is_there() { Ok(runner) } else { Err(io::Error::other("the runner has ended")) }
    }

    fn is_there(&self) -> bool {
        getppid() == self.pid
    }
}

/// Redirects SIGTERM and SIGCHLD to a descriptor; returns the descriptor and the previous signal mask.
fn take_signals() -> io::Result<(OwnedFd, libc::sigset_t)> {
    // SAFETY: SIG_DFL is a valid disposition. If this process inherited SIG_IGN for SIGCHLD, the system would discard
    // wait statuses.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    let taken = set_of(&[libc::SIGTERM, libc::SIGCHLD]);
    let mut before = MaybeUninit::uninit();
    // SAFETY: both pointers refer to signal sets; the system reads the first set and writes the second set.
    if unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const taken, before.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above initialized `before`.
    let before = unsafe { before.assume_init() };
    // SAFETY: the set is initialized, and -1 requests a new descriptor.
    let descriptor = unsafe { libc::signalfd(-1, &raw const taken, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, so it has no other owner.
    Ok((unsafe { OwnedFd::from_raw_fd(descriptor) }, before))
}

fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initializes the set before `sigaddset` changes the set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        set.assume_init()
    }
}

/// Ends this process with the exit code or the signal of another process.
fn end_as(status: WaitStatus) -> ! {
    if let Some(signal) = status.terminating_signal() {
        let set = set_of(&[signal]);
        // SAFETY: the signal has ended a process, so SIG_DFL is valid for this signal; the set is initialized. The
        // signal ends this process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const set, ptr::null_mut());
        }
        exit(128 + signal)
    }
    exit(status.exit_status().unwrap_or(1))
}
