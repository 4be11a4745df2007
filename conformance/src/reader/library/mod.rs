//! **lib:PATH**: a shared library with the C ABI of `conformance/readers/common/torchproof.h`, each read in a forked child.
//!
//! The runner starts a *host*, which is this program as `torchproof __library PATH`: it loads the library once and speaks the
//! [reader protocol](crate::reader::protocol) as a worker does. For each read it forks itself, so that whatever the library does in it
//! ends with it, and a death costs no new start. What it says in the place of an answer is [`NoAnswer`].
//!
//! ```text
//! runner ── JSON lines ── host: the library, loaded ── fork ── child: the files, and one call of the library
//! ```
//!
//! The host puts the files where the [delivery](Delivery) says, in the child, so that a library takes a pointer and a length and
//! gets every way of them.

mod abi;
mod child;
mod memory;
mod serve;

use serde::{Deserialize, Serialize};

pub use serve::host;

/// The hidden subcommand that is the host.
pub const HOST_SUBCOMMAND: &str = "__library";

/// The message of a host when a read has no answer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NoAnswer {
    /// The sequence number of the request.
    pub(super) seq: u64,
    /// How the read ended.
    pub(super) ended: Ended,
}

/// How a read ended that has no answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Ended {
    /// Its process ended with this wait status.
    Died(i32),
    /// It was ended when its time was over.
    TimedOut,
    /// The library or its host broke the protocol: why, for people.
    Broke(String),
}
