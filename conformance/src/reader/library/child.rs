//! **A child for one piece of work**: forked, watched, and gone with all that it started.
#![allow(unsafe_code, reason = "fork, _exit and signal are functions of C")]

use std::fs::File;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, setpgid, waitpid};

use crate::reader::process::MAX_STDOUT;
use crate::reader::process_tree;
use crate::reader::wait::{TICK, end_of, has_ended, never_block, read_some};

/// How a child ended.
pub(super) enum ChildEnd {
    /// It did its work, and this came of it.
    Said(Vec<u8>),
    /// There was more than the line that came of its work.
    SaidMore,
    /// It ended before, with this wait status.
    Died(i32),
    /// It was killed when its time was over.
    TimedOut,
    /// It was killed for saying more than anybody wants to know.
    Flooded,
}

/// Takes back what this program has signals do that others do not: a fault has to end a reader as it would end any other.
pub(super) fn as_other_programs() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGPIPE] {
        // SAFETY: SIG_DFL is a valid disposition of each of these, and no handler of ours is needed for anything but messages.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Does `work` in a child, and gives what came of it.
///
/// Once it has ended, or its time is over, all that it started is killed: on Linux every child of this process but those `spared`,
/// if the process [adopts](process_tree::adopt) orphans, elsewhere the group that the child leads. It dies with this thread.
///
/// # Errors
/// There can be no child.
pub(super) fn run(work: impl FnOnce() -> Vec<u8>, time: Option<Duration>, spared: &[Pid]) -> io::Result<ChildEnd> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    let parent = rustix::process::getpid();
    // SAFETY: this program has one thread here, so the child is a whole copy of it and may call whatever it could call before.
    // (Threads that a library started are not in the child, as in any program that forks.)
    let forked = unsafe { libc::fork() };
    match forked {
        ..0 => Err(io::Error::last_os_error()),
        0 => {
            drop(read);
            // Not closed again where the work has closed it.
            let mut write = ManuallyDrop::new(File::from(write));
            let code = if is_orderly(parent) {
                let reader = rustix::process::getpid();
                let said = [work(), b"\n".to_vec()].concat();
                if rustix::process::getpid() != reader {
                    // A library may fork, and return in both: one was asked, and the other is killed with the rest.
                    // SAFETY: as below.
                    unsafe { libc::_exit(1) }
                }
                let sent = write.write_all(&said);
                let _ = sent.as_ref().map_err(|error| writeln!(io::stderr(), "the answer cannot be sent: {error}"));
                i32::from(sent.is_err())
            } else {
                1
            };
            // SAFETY: it ends the process. Nothing of this copy is needed any more, and what the library wants done at an exit
            // would be done in the middle of a program that goes on.
            unsafe { libc::_exit(code) }
        }
        _ => {
            drop(write);
            let pid = Pid::from_raw(forked).ok_or(io::ErrorKind::InvalidData)?;
            // Both do it, since either may be the first to need it; the later of the two fails and loses nothing.
            let _ = setpgid(Some(pid), Some(pid));
            let end = watch(pid, read, time);
            process_tree::end(spared);
            end
        }
    }
}

/// Makes the child a leader that dies with its parent; whether that is still there.
fn is_orderly(parent: Pid) -> bool {
    let _ = setpgid(None, None);
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getppid, set_parent_process_death_signal};
        set_parent_process_death_signal(Some(Signal::KILL)).is_ok() && getppid() == Some(parent)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = parent;
        true
    }
}

/// Waits for the child's end and keeps what it says.
fn watch(pid: Pid, pipe: OwnedFd, time: Option<Duration>) -> io::Result<ChildEnd> {
    let deadline = time.map(|time| Instant::now() + time);
    let end = end_of(pid);
    let blocking = never_block(&pipe);
    let mut pipe = Some(pipe);
    let mut said = Vec::new();
    let ended = loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if blocking.is_err() || left.is_some_and(|left| left.is_zero()) {
            break ChildEnd::TimedOut;
        }
        if said.len() > MAX_STDOUT {
            break ChildEnd::Flooded;
        }
        let wait = if end.is_some() { left } else { Some(left.unwrap_or(TICK).min(TICK)) };
        let fds = [pipe.as_ref().map(AsFd::as_fd), end.as_ref().map(AsFd::as_fd)];
        let mut polled: Vec<_> =
            fds.into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        // An interrupted wait is a short one.
        let _ = poll(&mut polled, wait.and_then(|wait| Timespec::try_from(wait).ok()).as_ref());
        let gone = has_ended(pid);
        while said.len() <= MAX_STDOUT && read_some(&mut pipe, &mut said) {}
        if gone {
            // Looked at below, where its status is known.
            break ChildEnd::Said(Vec::new());
        }
    };
    // Before the leader is waited for, since until then nobody else can have its number.
    let _ = kill_process_group(pid, Signal::KILL);
    let status = loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => break status.as_raw(),
            Err(rustix::io::Errno::INTR) | Ok(None) => {}
            Err(error) => return Err(error.into()),
        }
    };
    blocking?;
    Ok(match ended {
        // An answer of ours is one line.
        ChildEnd::Said(_) if said.iter().filter(|byte| **byte == b'\n').count() > 1 => ChildEnd::SaidMore,
        ChildEnd::Said(_) if said.pop_if(|last| *last == b'\n').is_some() && ExitStatus::from_raw(status).success() => {
            ChildEnd::Said(said)
        }
        ChildEnd::Said(_) => ChildEnd::Died(status),
        other => other,
    })
}
