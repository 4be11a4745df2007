//! **Interruption** of the command: a readable file descriptor ends every wait for a reader. On Windows, Ctrl-C ends the command
//! at once.

#[cfg(unix)]
mod on_unix {
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::sync::OnceLock;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    static INTERRUPT: OnceLock<OwnedFd> = OnceLock::new();

    /// Makes every wait for a reader end when the descriptor becomes readable. Only the first call has an effect.
    pub fn end_waits_on(descriptor: OwnedFd) {
        let _ = INTERRUPT.set(descriptor);
    }

    pub(in crate::reader) fn descriptor() -> Option<BorrowedFd<'static>> {
        INTERRUPT.get().map(AsFd::as_fd)
    }

    pub fn is_interrupted() -> bool {
        descriptor().is_some_and(|descriptor| {
            let mut polled = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
            matches!(poll(&mut polled, Some(&Timespec::default())), Ok(ready) if ready > 0)
        })
    }
}

#[cfg(unix)]
pub(super) use on_unix::descriptor;
#[cfg(unix)]
pub use on_unix::{end_waits_on, is_interrupted};

#[cfg(not(unix))]
pub fn is_interrupted() -> bool {
    false
}
