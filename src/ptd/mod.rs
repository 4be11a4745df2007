//! **The data format**, `.ptd`.
//!
//! ```text
//!   0         4       8                   56                  flatbuffer end  base
//!   +---------+-------+-------------------+-------------------+----------+---------+----------+---------
//!   | root u32| FT01  | FH01 header, zeros| rest of FlatBuffer| zeros    | segment | zeros    | segment …
//!   +---------+-------+-------------------+-------------------+----------+---------+----------+---------
//!
//!   header (from byte 8): "FH01", length u32, flatbuffer_offset u64, flatbuffer_size u64,
//!                         segment_base_offset u64, segment_data_size u64
//! ```
//!
//! The FlatBuffer spans bytes 0 to `flatbuffer_offset + flatbuffer_size`. The writers set `flatbuffer_offset` to the
//! number of header bytes that they insert, and `flatbuffer_size` to the FlatBuffer's length before the insertion.
//!
//! Two layouts share the `FT01` identifier: the current [`schema`], and the legacy layout of release 0.6.0
//! ([`legacy_schema`]). [`Ptd::layout`] distinguishes them by their structure.

#[cfg(feature = "alloc")]
pub(crate) mod builder;
mod header;
pub mod legacy_schema;
mod read;
pub mod schema;
#[cfg(feature = "alloc")]
mod write;

#[cfg(feature = "std")]
pub use crate::pack::ptd::pack;
#[cfg(feature = "alloc")]
pub use builder::tensor_layout;
pub use header::FlatTensorHeader;
pub use read::{Layout, Ptd};
#[cfg(feature = "alloc")]
pub use write::{DataLayout, plan, write};

/// The FlatBuffer identifier, bytes 4 to 7.
pub const IDENTIFIER: [u8; 4] = *b"FT01";
