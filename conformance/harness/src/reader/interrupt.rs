//! **Interruption** of the command: a readable file descriptor ends every wait for a reader. On Windows, Ctrl-C ends the command
//! at once.

#[cfg(unix)]
mod on_unix {
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::sync::OnceLock;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// The descriptor that becomes readable when the command must end.
    static INTERRUPT: OnceLock<OwnedFd> = OnceLock::new();

    /// Sets the file descriptor that ends every wait for a reader when the descriptor becomes readable. Only the first call
    /// has an effect.
    pub fn end_waits_on(descriptor: OwnedFd) {
        let _ = INTERRUPT.set(descriptor);
    }

    /// Returns the descriptor that becomes readable when the command must end.
    pub(in crate::reader) fn descriptor() -> Option<BorrowedFd<'static>> {
        INTERRUPT.get().map(AsFd::as_fd)
    }

    /// Returns whether the command must end.
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

/// Returns whether the command must end.
#[cfg(not(unix))]
pub fn is_interrupted() -> bool {
    false
}
