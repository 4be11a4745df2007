//! Non-blocking reads of a process's pipes, and waits for the end of a process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// How often to check for the end of a process where `poll` cannot wait for it.
pub(super) const TICK: Duration = Duration::from_millis(5);
/// The minimum buffer space for one read of a pipe.
const ROOM: usize = 32 << 10;

/// Reads a pipe once and appends the bytes to `buffer`; at its end, closes the pipe. Returns whether more bytes can follow.
pub(super) fn read_some<P: AsFd>(pipe: &mut Option<P>, buffer: &mut Vec<u8>) -> bool {
    let Some(open) = pipe else { return false };
    buffer.reserve(ROOM);
    match rustix::io::read(open, spare_capacity(buffer)) {
        Ok(0) => *pipe = None,
        Ok(_) | Err(Errno::INTR) => return true,
        Err(Errno::AGAIN) => {}
        Err(_) => *pipe = None,
    }
    false
}

/// Waits until one of the descriptors is readable, but no longer than `most`. A signal can end the wait early.
pub(super) fn until_readable<const N: usize>(fds: [Option<BorrowedFd<'_>>; N], most: Option<Duration>) {
    let mut polled: Vec<_> = fds.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let _ = poll(&mut polled, most.and_then(|most| Timespec::try_from(most).ok()).as_ref());
}

pub(super) fn never_block(fd: &impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(fd)?;
    Ok(fcntl_setfl(fd, flags | OFlags::NONBLOCK)?)
}

/// Returns whether the process has ended, without reaping it.
pub(super) fn has_ended(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

/// Returns a descriptor that becomes readable when the process ends, if the system supports this.
#[cfg(target_os = "linux")]
pub(super) fn end_of(pid: Pid) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_of(_: Pid) -> Option<OwnedFd> {
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may panic if its fixture is broken.

    use super::*;

    #[test]
    fn keeps_an_empty_pipe_and_drops_a_closed_one() {
        let (reads, writes) = rustix::pipe::pipe().unwrap();
        never_block(&reads).unwrap();
        let (mut pipe, mut buffer) = (Some(reads), b"before ".to_vec());
        assert!(!read_some(&mut pipe, &mut buffer) && pipe.is_some());
        let long = vec![b'x'; 40 << 10];
        assert_eq!(rustix::io::write(&writes, &long), Ok(long.len()));
        while read_some(&mut pipe, &mut buffer) {}
        assert!(pipe.is_some() && buffer == [b"before ", &long[..]].concat());
        drop(writes);
        assert!(!read_some(&mut pipe, &mut buffer) && pipe.is_none());
        assert!(!read_some(&mut pipe, &mut buffer));
    }
}
