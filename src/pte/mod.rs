//! **The program format**, `.pte`.
//!
//! ```text
//!   0         4       8                    8+H               program_size   base
//!   +---------+-------+--------------------+-------------------+----------+---------+----------+---------
//!   | root u32| ET12  | eh00 header, zeros | rest of FlatBuffer| zeros    | segment | zeros    | segment …
//!   +---------+-------+--------------------+-------------------+----------+---------+----------+---------
//!
//!   header (from byte 8, optional): "eh00", length u32, program_size u64, segment_base_offset u64,
//!                                   segment_data_size u64 when length >= 32
//! ```
//!
//! * [`Pte`] opens a file, iterates over its parts and looks up parts; [`KeyIndex`](crate::KeyIndex) speeds up repeated
//!   lookups. [`ExtendedHeader`] reads the `eh00` header.
//! * [`schema`] declares the tables.
#![cfg_attr(feature = "alloc", doc = "* [`builder`] builds the tables of a program.")]
#![cfg_attr(feature = "alloc", doc = "* [`write`](fn@write) writes a file.")]
#![cfg_attr(feature = "std", doc = "* [`pack`](fn@pack) packs a file from its parts, as the official writer does.")]

#[cfg(feature = "alloc")]
pub mod builder;
mod header;
mod method;
mod read;
pub mod schema;
pub(crate) mod signatures;
#[cfg(feature = "alloc")]
mod write;

#[cfg(feature = "std")]
pub use crate::pack::pte::{PackOptions, ProgramData, pack};
pub use header::ExtendedHeader;
pub use method::Method;
pub use read::Pte;
#[cfg(feature = "alloc")]
pub use write::{HeaderKind, ProgramLayout, plan, write};

/// The ids of the backends that ExecuTorch's own repository registers. Other ids are just as valid.
pub(crate) const BACKEND_IDS: [&str; 14] = [
    "XnnpackBackend",
    "VulkanBackend",
    "EthosUBackend",
    "CoreMLBackend",
    "CudaBackend",
    "EnnBackend",
    "MetalBackend",
    "MPSBackend",
    "NeuropilotBackend",
    "NeutronBackend",
    "OpenvinoBackend",
    "QnnBackend",
    "TOSABackend",
    "VgfBackend",
];

/// The FlatBuffer identifier, bytes 4 to 7.
pub const IDENTIFIER: [u8; 4] = *b"ET12";
