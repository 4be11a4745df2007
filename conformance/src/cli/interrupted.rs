//! The end of a command by SIGINT or SIGTERM.

use std::io;
use std::os::unix::net::UnixStream;

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::reader::interrupt;

/// The exit code of a command that a signal ended.
pub(super) const INTERRUPTED: u8 = 130;

/// From now on, treats SIGINT and SIGTERM as requests to end the command. These signals also end all waits for readers.
pub(super) fn end_on_signals() -> io::Result<()> {
    // No code reads from the stream `first`. After a signal, the stream stays readable, and every wait ends at once.
    let (first, second) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, second.try_clone()?)?;
    }
    interrupt::end_waits_on(first.into());
    Ok(())
}
