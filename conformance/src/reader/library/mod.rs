//! **lib:PATH**: a shared library with the C ABI of `conformance/readers/common/torchproof.h`.
//!
//! The runner starts a *host*: this program as `torchproof __library PATH`. The host loads the library once and is a worker
//! of the [reader protocol](crate::reader::protocol). It forks a child for each read, and the child replies. A crash ends
//! only the child, so the host needs no restart: it reports the crash as [`Died`].
//!
//! ```text
//! runner ── JSON lines ── host: the loaded library ── fork ── child: the files, and one call of the library
//! ```
//!
//! The child places the files as the [delivery](Delivery) asks. A library that takes a pointer and a length therefore
//! supports all deliveries in memory.

mod abi;
mod child;
mod memory;
mod serve;

use serde::{Deserialize, Serialize};

pub use serve::host;

/// The hidden subcommand that runs the host.
pub const HOST_SUBCOMMAND: &str = "__library";

/// The host's message after a read whose child ended without a reply.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Died {
    /// The sequence number of the request.
    pub(super) seq: u64,
    /// The child's wait status.
    pub(super) died: i32,
}
