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
mod own_command;
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
pub use own_command::set_own_command;
pub use reader_starts::ReaderStarts;
pub use rerun::Reruns;
pub use sandbox::{Mode as SandboxMode, Sandbox};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderInput {
    pub role: Role,
    /// The absolute path on disk.
    pub path: PathBuf,
    /// The number of padding bytes before the content: the length of [`PADDING`](crate::reader::delivery::PADDING) for
    /// [`Delivery::FileAtOffset`], otherwise 0.
    pub offset: u64,
    /// The expected size in bytes. The file can be shorter if the disk is full or another process truncated it.
    pub size: u64,
}

impl ReaderInput {
    /// Returns the input for an existing file without padding.
    pub fn at(role: Role, path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let size = fs::metadata(&path)?.len();
        Ok(Self { role, path, offset: 0, size })
    }
}

/// Fails with [`Outcome::AdapterError`] if a file is incomplete. A worker's adapter checks this itself.
fn check_all_complete(files: &[ReaderInput]) -> Result<(), Outcome> {
    files.iter().try_for_each(|ReaderInput { path, offset, size, .. }| {
        let opened = open_whole(path, *offset, Some(*size));
        opened.map(drop).map_err(|error| Outcome::AdapterError { message: format!("{}: {error}", path.display()) })
    })
}

/// A reader of files. It cannot block a run, because each call returns at its time limit or shortly after.
pub trait Reader: fmt::Debug + Send {
    /// Returns the reader's `hello` reply, and starts the reader if necessary. After an error, the reader is unusable.
    fn hello(&mut self) -> Result<Hello, String>;

    /// Makes every request say which entries of a data file have a layout, if any of them has one.
    ///
    /// A worker then asks only for these layouts. In released runtimes, asking for other layouts triggers a known
    /// defect that hides later defects.
    fn list_layouts(&mut self) {}

    fn read(&mut self, request: &Request<'_>) -> Outcome;

    /// Returns whether the last read exceeded its time limit on the first try, but not on the second.
    fn was_slow(&self) -> bool {
        false
    }

    /// Ends the reader. Returns a message if it sent unsolicited output or did not shut down cleanly.
    fn bye(&mut self) -> Option<String> {
        None
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The files to read together; a program precedes its data files.
    pub files: &'a [ReaderInput],
    pub stage: Stage,
    /// What the reader returns if it accepts the files.
    pub want: Want,
    pub time: Duration,
    pub memory_mb: Option<u64>,
    /// The delivery, which `hello` must list; `None` selects the first delivery in that list.
    ///
    /// For [`Delivery::FileAtOffset`], the file on disk contains [`ReaderInput::offset`] bytes before the content, and
    /// possibly more after it; with every other delivery, it has no padding.
    pub delivery: Option<Delivery>,
}

impl Request<'_> {
    fn size_and_time(&self) -> (u64, Duration) {
        (self.files.iter().map(|file| file.size).sum(), self.time)
    }
}

/// The settings for all reader processes. All clones share the starts and the results of re-runs.
#[derive(Clone, Debug)]
pub struct Settings {
    pub launcher: Launcher,
    /// The minimum time limit for the `hello` reply, measured from the start of the process.
    pub start: Duration,
    /// The memory limit in MiB for requests that have no limit of their own.
    pub memory_mb: Option<u64>,
    pub starts: ReaderStarts,
    pub reruns: Reruns,
    /// The number of reads that one process of a `lib:` reader performs.
    pub batch: u32,
}

impl Settings {
    pub fn new(launcher: Launcher, start: Duration, memory_mb: Option<u64>) -> Self {
        let (starts, reruns) = (ReaderStarts::default(), Reruns::default());
        Self { launcher, start, memory_mb, starts, reruns, batch: 1 }
    }
}
