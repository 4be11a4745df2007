//! **lib:PATH**: a shared library with the C ABI of `conformance/readers/common/torchproof.h`.
//!
//! The runner starts `torchproof __library PATH BATCH`, the *host*. The host loads the library once, is a worker of the
//! [reader protocol](torchproof_protocol), and forks a child for each batch of reads; the child replies. A batch is a
//! single read, except in a hunt, where forks would take most of the time. A crash ends only the child, so the host
//! reports it as [`ChildDeath`] and needs no restart.
//!
//! ```text
//! runner ── JSON lines ── host: the loaded library ── fork ── child: the files, and one call of the library
//! ```
//!
//! The child puts the files into memory as the [delivery](Delivery) requires. A library whose input is a pointer and a
//! length therefore supports every delivery in memory.

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

pub const HOST_SUBCOMMAND: &str = "__library";

/// The host's message about a child that ended without a reply.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChildDeath {
    pub(super) seq: u64,
    pub(super) died: i32,
}
