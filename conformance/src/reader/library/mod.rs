//! **lib:PATH**: a shared library with the C ABI of `conformance/readers/common/torchproof.h`, each read in a forked child.
//!
//! The runner starts a *host*, which is this program as `torchproof __library PATH`. It loads the library once and is a worker that
//! speaks the [reader protocol](crate::reader::protocol). For each read it forks itself, and the child answers. So whatever the
//! library does in a read ends with it, and a crash costs no new start: the host reports it as [`Died`].
//!
//! ```text
//! runner ── JSON lines ── host: the library, loaded ── fork ── child: the files, and one call of the library
//! ```
//!
//! The child puts the files where the [delivery](Delivery) says, so a library that takes a pointer and a length supports all
//! deliveries in memory.

mod abi;
mod child;
mod memory;
mod serve;

use serde::{Deserialize, Serialize};

pub use serve::host;

/// The hidden subcommand that is the host.
pub const HOST_SUBCOMMAND: &str = "__library";

/// The message of a host after a read whose child ended without an answer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Died {
    /// The sequence number of the request.
    pub(super) seq: u64,
    /// The child's wait status.
    pub(super) died: i32,
}
