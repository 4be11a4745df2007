//! **Readers and their transports**: the trait [`Reader`] and one module for each transport.

mod address;
mod builtin;
mod classify;
mod conversation;
pub mod crash;
pub mod delivery;
mod exec;
mod exit_codes;
mod flatbuffers;
pub mod interrupt;
#[cfg(unix)]
mod launch;
mod launcher;
mod library;
pub mod loaded;
mod once;
pub mod outcome;
pub mod output;
#[cfg(unix)]
mod process;
#[cfg(not(unix))]
#[path = "no_process.rs"]
mod process;
#[cfg(unix)]
mod process_tree;
mod program;
mod reader_starts;
mod reference;
pub mod reply;
mod sandbox;
mod sanitized;
#[cfg(unix)]
mod scratch;
pub mod session;
mod signal;
pub mod signature;
pub mod site;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(unix)]
mod wait;

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use torchproof::Role;
use torchproof::Stage;

use crate::reader::outcome::{Cause, Outcome};
use torchproof_protocol::{Delivery, Hello, Want, open_whole};

pub(crate) use conversation::Conversation;
pub(crate) use reply::MISSING_VALUE;

pub use address::{Address, AddressError};
pub use exit_codes::{ExitCodes, ExitCodesError};
#[cfg(unix)]
pub use launch::Launch;
pub use launcher::{CANNOT_START, Launcher, SUBCOMMAND};
pub use library::HOST_SUBCOMMAND;
#[cfg(unix)]
pub use library::host;
pub use reader_starts::ReaderStarts;
pub use sandbox::{Mode as SandboxMode, Sandbox};

/// A file of a case that a reader receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderInput {
    /// The role: program, data file or bundled program.
    pub role: Role,
    /// The absolute path of the file on disk.
    pub path: PathBuf,
    /// The number of padding bytes before the content of the file. For [`Delivery::FileAtOffset`], this number is the
    /// length of the [`PADDING`](crate::reader::delivery::PADDING). For every other delivery, this number is 0.
    pub offset: u64,
    /// The expected size in bytes. The file on disk can be shorter if the disk is full or if another process truncated
    /// the file.
    pub size: u64,
}

impl ReaderInput {
    /// Returns the input for a file without padding.
    ///
    /// # Errors
    /// Fails if the file does not exist.
    pub fn at(role: Role, path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let size = fs::metadata(&path)?.len();
        Ok(Self { role, path, offset: 0, size })
    }
}

/// Returns [`Outcome::AdapterError`] if a file is incomplete. For a worker, the adapter checks the sizes of files.
fn check_all_complete(files: &[ReaderInput]) -> Result<(), Outcome> {
    files.iter().try_for_each(|ReaderInput { path, offset, size, .. }| {
        let opened = open_whole(path, *offset, Some(*size));
        opened.map(drop).map_err(|error| Outcome::AdapterError { message: format!("{}: {error}", path.display()) })
    })
}

/// A reader of files, which returns an [`Outcome`].
///
/// A reader cannot block a run: each call returns at its time limit or shortly after.
pub trait Reader: fmt::Debug + Send {
    /// Returns the reader's `hello` reply; starts the reader if necessary.
    ///
    /// # Errors
    /// Fails if the reader does not start, or if the reader sends no valid `hello`. The message gives the reason. After
    /// an error, the reader is unusable.
    fn hello(&mut self) -> Result<Hello, String>;

    /// After this call, each request states which entries of a data file have a layout. If no entry of a data file has a
    /// layout, the request states nothing about this file.
    ///
    /// A worker then queries only the layouts of the stated entries. In released runtimes, a query for any other entry
    /// triggers a known defect, which hides later defects.
    fn list_layouts(&mut self) {}

    /// Runs the reader on one case.
    fn read(&mut self, request: &Request<'_>) -> Outcome;

    /// Returns whether the last read exceeded its time limit at first, but not when it was repeated.
    fn was_slow(&self) -> bool {
        false
    }

    /// Ends the reader; returns a message if the reader sent unsolicited output or did not shut down cleanly.
    fn bye(&mut self) -> Option<String> {
        None
    }
}

/// One read request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The files to read together; a program precedes its data files.
    pub files: &'a [ReaderInput],
    /// The last stage to read.
    pub stage: Stage,
    /// The value that the reader returns if it accepts the files.
    pub want: Want,
    /// The time limit of the request.
    pub time: Duration,
    /// The memory limit in MiB.
    pub memory_mb: Option<u64>,
    /// The delivery of the files, which `hello` must list; `None` selects the first delivery in `hello`.
    ///
    /// With [`Delivery::FileAtOffset`], the file on disk contains [`ReaderInput::offset`] bytes before the content, and
    /// possibly more bytes after the content. With every other delivery, the file on disk contains no padding.
    pub delivery: Option<Delivery>,
}

/// The settings for all processes of a reader.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The launcher of the reader processes.
    pub launcher: Launcher,
    /// The least time limit for the `hello` reply, from the start of the process.
    pub start: Duration,
    /// The memory limit in MiB for requests without their own limit.
    pub memory_mb: Option<u64>,
    /// The starts of each reader. All clones of these settings share them.
    pub starts: ReaderStarts,
}

impl Settings {
    /// Creates settings without earlier starts.
    pub fn new(launcher: Launcher, start: Duration, memory_mb: Option<u64>) -> Self {
        Self { launcher, start, memory_mb, starts: ReaderStarts::default() }
    }
}

/// The factor by which the limit of the second read after a hang is longer.
pub(crate) const HANG_FACTOR: u32 = 4;

/// Repeats a read after a termination. The new process has read no earlier case, so earlier cases cannot be the cause
/// of a second termination.
///
/// The second read after a hang has [`HANG_FACTOR`] times the time limit, because a busy machine can delay a read. If the second
/// read ends within the time limit, its outcome counts. The flag is true if the second outcome counts.
///
/// The function `read` also returns the time of the read, without the time of the worker's start.
fn confirm(request: &Request<'_>, mut read: impl FnMut(&Request<'_>) -> (Outcome, Duration)) -> (Outcome, bool) {
    let (first, _) = read(request);
    let Some(termination) = first.termination() else { return (first, false) };
    let hangs = matches!(termination.cause, Cause::WallTime(_));
    let (again, time) =
        read(&Request { time: request.time.saturating_mul(if hangs { HANG_FACTOR } else { 1 }), ..*request });
    let slow = hangs && time <= request.time && again.termination().is_none();
    (if slow { again } else { first.confirmed_by(again) }, slow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::outcome::{Rerun, Termination};

    fn request(time: Duration) -> Request<'static> {
        Request { files: &[], stage: Stage::Header, want: Want::Verdict, time, memory_mb: None, delivery: None }
    }

    fn hang(time: Duration) -> Outcome {
        Outcome::Died(Termination::of(Cause::WallTime(time)))
    }

    #[test]
    fn a_hang_is_confirmed_with_a_longer_limit() {
        let time = Duration::from_millis(10);
        let confirmed = confirm(&request(time), |request| (hang(request.time), request.time));
        let expected = Termination { rerun: Rerun::Confirmed, ..Termination::of(Cause::WallTime(time)) };
        assert_eq!(confirmed, (Outcome::Died(expected), false));
        let mut limits = Vec::new();
        confirm(&request(time), |request| {
            limits.push(request.time);
            (Outcome::Died(Termination::of(Cause::Abort)), Duration::ZERO)
        });
        assert_eq!(limits, [time; 2]);
    }

    #[test]
    fn a_slow_read_is_a_hang_only_if_the_second_read_also_exceeds_the_limit() {
        let accept = Outcome::Accept { stage: Stage::Header, value: None };
        let limit = Duration::from_millis(10);
        let slow_once = |again: Duration| {
            confirm(&request(limit), |request| match request.time == limit {
                true => (hang(limit), limit),
                false => (accept.clone(), again),
            })
        };
        assert_eq!(slow_once(limit), (accept.clone(), true));
        let (outcome, slow) = slow_once(Duration::from_millis(11));
        let rerun = outcome.termination().map(|died| died.rerun.clone());
        assert!(matches!(rerun, Some(Rerun::Flaky(_))) && !slow, "{outcome:?}");
    }
}
