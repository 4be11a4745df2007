//! **A child for one read**: forked, waited for, and gone with all that it started.
#![allow(unsafe_code, reason = "fork, _exit and signal are functions of C")]

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, setpgid, waitid, waitpid};

use crate::reader::process_tree;

/// Takes back what this program has signals do that others do not: a fault has to end a reader as it would end any other.
pub(super) fn as_other_programs() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGPIPE] {
        // SAFETY: SIG_DFL is a valid disposition of each of these, and no handler of ours is needed for anything but messages.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Does `work` in a child, and waits for its end; returns its wait status, which is 0 once the work is done.
///
/// Then all that it started is killed: on Linux every child of this process but those `spared`, if the process
/// [adopts](process_tree::adopt) orphans, elsewhere the group that the child leads. It dies with this thread.
///
/// # Errors
/// There can be no child.
pub(super) fn run(work: impl FnOnce() -> io::Result<()>, spared: &[Pid]) -> io::Result<i32> {
    let parent = rustix::process::getpid();
    // SAFETY: this program has one thread here, so the child is a whole copy of it and may call whatever it could call before.
    // (Threads that a library started are not in the child, as in any program that forks.)
    let forked = unsafe { libc::fork() };
    if forked < 0 {
        return Err(io::Error::last_os_error());
    }
    let Some(child) = Pid::from_raw(forked) else {
        let done = is_orderly(parent).then(|| panic::catch_unwind(AssertUnwindSafe(work)));
        if let Some(Ok(Err(error))) = &done {
            let _ = writeln!(io::stderr(), "the answer cannot be sent: {error}");
        }
        exit_at_once(i32::from(!matches!(done, Some(Ok(Ok(()))))));
    };
    // Both do it, since either may be the first to need it; the later of the two fails and loses nothing.
    let _ = setpgid(Some(child), Some(child));
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(child), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
    }
    // Before the leader is collected, since until then nobody else can have its number.
    let _ = kill_process_group(child, Signal::KILL);
    let status = loop {
        match waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => break status.as_raw(),
            Err(rustix::io::Errno::INTR) | Ok(None) => {}
            Err(error) => return Err(error.into()),
        }
    };
    process_tree::end(spared);
    Ok(status)
}

/// Ends this copy of the program.
pub(super) fn exit_at_once(code: i32) -> ! {
    // SAFETY: it ends the process. Nothing of this copy is needed any more, and what the library wants done at an exit would be
    // done in the middle of a program that goes on.
    unsafe { libc::_exit(code) }
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
