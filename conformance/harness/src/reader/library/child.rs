//! **A child process for a batch of reads**: the parent forks it, waits for it, and ends its process tree.
#![allow(unsafe_code, reason = "calls the C functions fork, _exit and signal")]

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, kill_process_group, setpgid, waitid, waitpid,
};

use crate::reader::process_tree;

/// Restores the default signal handlers, so that a memory fault ends the process with the usual signal.
pub(super) fn reset_signal_handlers() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGPIPE] {
        // SAFETY: SIG_DFL is valid for these signals, and torchproof does not need the replaced handlers.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// A process that serves several reads, one after another, and stops itself between them.
///
/// If the thread that forked the child ends, the child ends too.
pub(super) struct Child(Pid);

/// How a child responded to a read.
pub(super) enum Read {
    /// The child replied, and waits for the next read.
    Waits(Child),
    /// The child ended with this wait status; 0 means success.
    Ended(i32),
}

impl Child {
    /// Forks a child that calls `work` for each of `reads` reads.
    pub(super) fn fork(reads: u32, mut work: impl FnMut() -> io::Result<()>) -> io::Result<Self> {
        let parent = rustix::process::getpid();
        // SAFETY: this program has one thread here, so the child is a complete copy and is allowed to call any
        // function. (Threads that a library started do not exist in the child, as in any program that forks.)
        let forked = unsafe { libc::fork() };
        if forked < 0 {
            return Err(io::Error::last_os_error());
        }
        let Some(child) = Pid::from_raw(forked) else {
            let mut each = || {
                for read in 1..=reads {
                    work()?;
                    if read < reads {
                        kill_process(rustix::process::getpid(), Signal::STOP)?;
                    }
                }
                Ok(())
            };
            let done = follow_parent(parent).then(|| panic::catch_unwind(AssertUnwindSafe(&mut each)));
            if let Some(Ok(Err(error))) = &done {
                let error: &io::Error = error;
                let _ = writeln!(io::stderr(), "cannot write the reply: {error}");
            }
            exit_at_once(i32::from(!matches!(done, Some(Ok(Ok(()))))));
        };
        // Either process can run first, so both set the group. An error means that the other call has already set it.
        let _ = setpgid(Some(child), Some(child));
        Ok(Self(child))
    }

    /// Lets a child that [waits](Read::Waits) perform the next read.
    pub(super) fn resume(&self) -> io::Result<()> {
        Ok(kill_process(self.0, Signal::CONT)?)
    }

    /// Waits until the child stops or ends. Once it has ended, nothing of its process tree is left.
    pub(super) fn wait(self, spared: &[Pid]) -> io::Result<Read> {
        let is_stopped = loop {
            match waitid(WaitId::Pid(self.0), WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT) {
                Ok(status) => break status.is_some_and(|status| status.stopped()),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => break false,
            }
        };
        if is_stopped {
            // Take the report, so that the next wait does not return it again.
            let _ = waitid(WaitId::Pid(self.0), WaitIdOptions::STOPPED);
            return Ok(Read::Waits(self));
        }
        self.end(spared).map(Read::Ended)
    }

    /// Kills what is left of the child's process tree, and returns the child's wait status. On Linux, if this process
    /// [adopts](process_tree::adopt) orphans, kills all its children that are not in `spared`; on other systems, kills
    /// the child's process group.
    pub(super) fn end(self, spared: &[Pid]) -> io::Result<i32> {
        // Signal the group before waiting for the child, because afterwards another process can get the child's id.
        let _ = kill_process_group(self.0, Signal::KILL);
        let status = loop {
            match waitpid(Some(self.0), WaitOptions::empty()) {
                Ok(Some((_, status))) => break status.as_raw(),
                Err(rustix::io::Errno::INTR) | Ok(None) => {}
                Err(error) => return Err(error.into()),
            }
        };
        process_tree::end(spared);
        Ok(status)
    }
}

pub(super) fn exit_at_once(code: i32) -> ! {
    // SAFETY: the call only ends the process. The library's exit handlers belong to the parent, which continues.
    unsafe { libc::_exit(code) }
}

/// Makes this process a group leader and, on Linux, ends it when its parent ends. Returns whether the parent still runs.
fn follow_parent(parent: Pid) -> bool {
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
