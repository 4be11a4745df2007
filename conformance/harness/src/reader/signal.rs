//! The signals that end readers.

use std::process::ExitStatus;

#[cfg(unix)]
pub(super) use rustix::process::Signal;

#[cfg(unix)]
pub(super) fn of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
pub(super) fn of(_: ExitStatus) -> Option<i32> {
    None
}

#[cfg(unix)]
pub(super) fn status(raw: i32) -> ExitStatus {
    std::os::unix::process::ExitStatusExt::from_raw(raw)
}

#[cfg(not(unix))]
pub(super) fn status(raw: i32) -> ExitStatus {
    std::os::windows::process::ExitStatusExt::from_raw(raw.cast_unsigned())
}

/// A signal by its number on Linux. It exists even on Windows, which handles reports from other systems.
#[cfg(not(unix))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal(i32);

#[cfg(not(unix))]
impl Signal {
    pub(super) const HUP: Self = Self(1);
    pub(super) const INT: Self = Self(2);
    pub(super) const QUIT: Self = Self(3);
    pub(super) const ILL: Self = Self(4);
    pub(super) const TRAP: Self = Self(5);
    pub(super) const ABORT: Self = Self(6);
    pub(super) const BUS: Self = Self(7);
    pub(super) const FPE: Self = Self(8);
    pub(super) const KILL: Self = Self(9);
    pub(super) const USR1: Self = Self(10);
    pub(super) const SEGV: Self = Self(11);
    pub(super) const USR2: Self = Self(12);
    pub(super) const PIPE: Self = Self(13);
    pub(super) const ALARM: Self = Self(14);
    pub(super) const TERM: Self = Self(15);
    pub(super) const XCPU: Self = Self(24);
    pub(super) const XFSZ: Self = Self(25);
    pub(super) const SYS: Self = Self(31);

    pub(super) const fn as_raw(self) -> i32 {
        self.0
    }
}
