//! **Reads, checks and writes ExecuTorch `.pte` and `.ptd` files.**
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "json")]
pub mod cases;
#[cfg(feature = "json")]
pub mod corpus;
pub mod rules;
mod stage;

pub use stage::{Stage, UnknownStage};
