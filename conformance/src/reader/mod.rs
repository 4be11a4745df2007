//! **Readers and their transports**: one trait, and one file or folder per transport.

mod address;
mod builtin;
mod classify;
mod conversation;
pub mod delivery;
mod exec;
mod flatbuffers;
mod launcher;
mod library;
pub mod loaded;
mod once;
pub mod outcome;
mod process;
mod process_tree;
pub mod protocol;
mod reference;
mod sandbox;
pub mod session;
pub mod signature;
#[cfg(target_os = "linux")]
mod supervisor;
mod wait;

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use torchproof::Stage;
use torchproof::corpus::Role;

use crate::reader::outcome::Outcome;
use torchproof_protocol::{Delivery, Hello, Want, open_whole};

pub(crate) use conversation::Conversation;

pub use address::{Address, AddressError};
pub use launcher::{CANNOT_START, Launch, Launcher, SUBCOMMAND};
pub use library::{HOST_SUBCOMMAND, host};
pub use sandbox::Sandbox;

/// One file of a case, as a reader receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderInput {
    /// The role: program, data file or bundled program.
    pub role: Role,
    /// The absolute path.
    pub path: PathBuf,
    /// The offset of the file at `path`: 0, or the length of the [`PADDING`](crate::reader::delivery::PADDING) for [`Delivery::FileAtOffset`].
    pub offset: u64,
    /// The expected size in bytes. The actual file may be shorter if the disk is full or the file was truncated.
    pub size: u64,
}

impl ReaderInput {
    /// Returns the input for a whole file.
    ///
    /// # Errors
    /// Fails if the file does not exist.
    pub fn at(role: Role, path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let size = fs::metadata(&path)?.len();
        Ok(Self { role, path, offset: 0, size })
    }
}

/// Checks that every file is complete, for readers whose adapter does not; the error is [`Outcome::AdapterError`].
fn check_all_complete(files: &[ReaderInput]) -> Result<(), Outcome> {
    files.iter().try_for_each(|ReaderInput { path, offset, size, .. }| {
        let opened = open_whole(path, *offset, Some(*size));
        opened.map(drop).map_err(|error| Outcome::AdapterError { message: format!("{}: {error}", path.display()) })
    })
}

/// A reader: takes files and returns an [`Outcome`].
///
/// No reader can stop a run: each call returns at its time limit or shortly after.
pub trait Reader: fmt::Debug + Send {
    /// Returns the reader's `hello` reply; starts the reader if necessary.
    ///
    /// # Errors
    /// Fails if the reader does not start or sends no valid `hello`; the message gives the reason. After an error, the
    /// reader is unusable.
    fn hello(&mut self) -> Result<Hello, String>;

    /// Runs the reader on one case.
    fn read(&mut self, request: &Request<'_>) -> Outcome;

    /// Ends the reader; returns a message about unsolicited output or an unclean shutdown, if any.
    fn bye(&mut self) -> Option<String> {
        None
    }
}

/// One read request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The files, the program first.
    pub files: &'a [ReaderInput],
    /// The last stage to read.
    pub stage: Stage,
    /// The value that an accept should contain.
    pub want: Want,
    /// The time limit.
    pub time: Duration,
    /// The memory limit in MiB.
    pub memory_mb: Option<u64>,
    /// A delivery that `hello` lists; `None` for the first listed delivery.
    ///
    /// With [`Delivery::FileAtOffset`] other bytes may precede the file, as many as its [`ReaderInput::offset`], and follow it.
    /// With every other delivery the file stands alone.
    pub delivery: Option<Delivery>,
}

/// Settings for every process of a reader.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The launcher of the reader processes.
    pub launcher: Launcher,
    /// The time limit from the start to the `hello` reply.
    pub start: Duration,
    /// The memory limit in MiB, unless a request has its own.
    pub memory_mb: Option<u64>,
}

/// Repeats a terminated read in a fresh process, to rule out earlier cases as the cause.
fn confirm(first: Outcome, again: impl FnOnce() -> Outcome) -> Outcome {
    if first.termination().is_some() { first.confirmed_by(again()) } else { first }
}
