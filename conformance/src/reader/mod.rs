//! **Readers and how they are reached**: one trait, one file or folder per transport.

mod address;
mod builtin;
mod classify;
mod conversation;
mod descendants;
mod exec;
mod flatbuffers;
mod launcher;
mod library;
mod once;
mod process;
mod reference;
mod sandbox;
#[cfg(target_os = "linux")]
mod supervisor;

use std::path::PathBuf;
use std::time::Duration;

use torchproof::Stage;
use torchproof::corpus::Role;

use crate::delivery::Delivery;
use crate::outcome::Outcome;
use crate::protocol::{Hello, Want};

pub(crate) use conversation::Conversation;

pub use address::{Address, AddressError};
pub use launcher::{CANNOT_START, Launcher, Limits, SUBCOMMAND, launch};
pub use library::{HOST_SUBCOMMAND, host};
pub use sandbox::Sandbox;

/// One file of a case, with its absolute path.
pub type Input = (Role, PathBuf);

/// Anything that can be given files and answers with an [`Outcome`].
///
/// No reader stops a run: whatever it does, each call returns within the time it was given and a little more.
pub trait Reader: Send {
    /// What the reader says of itself; starts it if it does not run yet.
    ///
    /// # Errors
    /// It cannot be started or does not say who it is; the message says why. It is of no further use then.
    fn hello(&mut self) -> Result<Hello, String>;

    /// Puts one case to the reader.
    fn read(&mut self, request: &Request<'_>) -> Outcome;

    /// Sends the reader home; what it did wrong in leaving, if anything.
    fn bye(&mut self) -> Option<String>;
}

/// What is asked of a reader.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The files, the program first.
    pub files: &'a [Input],
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
    /// For [`Delivery::FileAtOffset`] each file has to stand behind [`PADDING`](crate::delivery::PADDING) bytes of others, and as
    /// many behind it.
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

/// A death is tried once more in a fresh process, which tells the case's doing from that of the cases before it.
fn confirm(first: Outcome, again: impl FnOnce() -> Outcome) -> Outcome {
    if first.death().is_some() { first.confirmed_by(again()) } else { first }
}
