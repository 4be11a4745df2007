//! **lib:PATH**: a shared library with the C ABI of `conformance/readers/common/torchproof.h`.
//!
//! The runner starts `torchproof __library PATH`, the *host*. The host loads the library once, and is a worker of the
//! [reader protocol](torchproof_protocol). The host forks a child for each read, and the child replies. A crash
//! ends only the child. The host reports the crash as [`ChildDeath`] and needs no restart.
//!
//! ```text
//! runner ── JSON lines ── host: the loaded library ── fork ── child: the files, and one call of the library
//! ```
//!
//! The child puts the files into memory as the [delivery](Delivery) requires. If the input of a library is a pointer
//! and a length, the library therefore supports every delivery that passes a file in memory.

#[cfg(unix)]
mod abi;
#[cfg(unix)]
mod child;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod serve;

use serde::{Deserialize, Serialize};

#[cfg(unix)]
pub use serve::host;

/// The hidden subcommand that runs the host.
pub const HOST_SUBCOMMAND: &str = "__library";

/// The message that the host sends to the runner if the child process ends without a reply.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChildDeath {
    /// The sequence number of the request.
    pub(super) seq: u64,
    /// The child's wait status.
    pub(super) died: i32,
}
