//! How SIGINT and SIGTERM end a command.

use std::io;

pub(super) const INTERRUPTED: u8 = 130;

#[cfg(unix)]
pub(super) fn end_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use std::os::unix::net::UnixStream;
    use torchproof_harness::reader::interrupt;

    // Nothing reads from `first`, so after a signal it stays readable, and every wait ends at once.
    let (first, second) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, second.try_clone()?)?;
    }
    interrupt::end_waits_on(first.into());
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix, the call can fail")]
pub(super) fn end_on_signals() -> io::Result<()> {
    Ok(())
}
