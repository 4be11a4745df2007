//! **Readers and how they are reached**: one trait, one file or folder per transport.

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

/// One file of a case, as a reader gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderInput {
    /// Whether it is a program, a data file or a bundled program.
    pub role: Role,
    /// Where it is; absolute.
    pub path: PathBuf,
    /// Where it begins in what is at `path`: after the [`PADDING`](crate::reader::delivery::PADDING), for [`Delivery::FileAtOffset`].
    pub offset: u64,
    /// How many bytes it has. A reader may find fewer, if the disk is full or the file was cut.
    pub size: u64,
}

impl ReaderInput {
    /// The file at `path`, which has all the bytes that are there.
    ///
    /// # Errors
    /// There is no such file.
    pub fn at(role: Role, path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let size = fs::metadata(&path)?.len();
        Ok(Self { role, path, offset: 0, size })
    }
}

/// [`Outcome::AdapterError`] for files of which not all bytes are there, for a reader with no adapter that would notice.
fn expect_all_whole(files: &[ReaderInput]) -> Result<(), Outcome> {
    files.iter().try_for_each(|ReaderInput { path, offset, size, .. }| {
        let opened = open_whole(path, *offset, Some(*size));
        opened.map(drop).map_err(|error| Outcome::AdapterError { message: format!("{}: {error}", path.display()) })
    })
}

/// Anything that can be given files and answers with an [`Outcome`].
///
/// No reader stops a run: whatever it does, each call returns within the time it was given and a little more.
pub trait Reader: fmt::Debug + Send {
    /// What the reader says of itself; starts it if it does not run yet.
    ///
    /// # Errors
    /// It cannot be started or does not say who it is; the message says why. It is of no further use then.
    fn hello(&mut self) -> Result<Hello, String>;

    /// Runs the reader on one case.
    fn read(&mut self, request: &Request<'_>) -> Outcome;

    /// Ends the reader; returns what it did wrong between cases or in leaving, if anything.
    fn bye(&mut self) -> Option<String> {
        None
    }
}

/// One read.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The files, the program first.
    pub files: &'a [ReaderInput],
    /// How far to read.
    pub stage: Stage,
    /// What an accept should carry.
    pub want: Want,
    /// How long it may take.
    pub time: Duration,
    /// How much memory it may use, in MiB.
    pub memory_mb: Option<u64>,
    /// How it gets the files: one of the ways that its hello names, or without one the first of them.
    ///
    /// For [`Delivery::FileAtOffset`] a file may stand behind bytes of others, as many as its [`ReaderInput::offset`] says, and before
    /// others; for the other ways it stands alone.
    pub delivery: Option<Delivery>,
}

/// What holds for every process that a reader is made of.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Starts it.
    pub launcher: Launcher,
    /// How long it may take from its start to its hello.
    pub start: Duration,
    /// Its memory in MiB until a request says otherwise.
    pub memory_mb: Option<u64>,
}

/// Reads a case again in a fresh process after a death, to rule out the cases before it as the cause.
fn confirm(first: Outcome, again: impl FnOnce() -> Outcome) -> Outcome {
    if first.termination().is_some() { first.confirmed_by(again()) } else { first }
}
