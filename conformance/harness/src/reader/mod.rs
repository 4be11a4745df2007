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
mod rerun;
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

use crate::reader::outcome::Outcome;
use torchproof_protocol::{Delivery, Hello, Want, open_whole};

pub(crate) use conversation::Conversation;
pub(crate) use reply::MISSING_VALUE;
pub(crate) use rerun::HANG_FACTOR;

pub use address::{Address, AddressError};
pub use exit_codes::{ExitCodes, ExitCodesError};
#[cfg(unix)]
pub use launch::Launch;
pub use launcher::{CANNOT_START, Launcher, SUBCOMMAND};
pub use library::HOST_SUBCOMMAND;
#[cfg(unix)]
pub use library::host;
pub use reader_starts::ReaderStarts;
pub use rerun::Reruns;
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

impl Request<'_> {
    /// Returns the total size of the files in bytes, and the time limit.
    fn size_and_time(&self) -> (u64, Duration) {
        (self.files.iter().map(|file| file.size).sum(), self.time)
    }
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
    /// The re-runs after terminations. All clones of these settings share what they showed.
    pub reruns: Reruns,
}

impl Settings {
    /// Creates settings without earlier starts.
    pub fn new(launcher: Launcher, start: Duration, memory_mb: Option<u64>) -> Self {
        Self { launcher, start, memory_mb, starts: ReaderStarts::default(), reruns: Reruns::default() }
    }
}
