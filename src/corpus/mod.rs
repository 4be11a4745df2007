//! **The corpus**: its cases for the tests of a reader in Rust, and the types of the manifest that it is published in.
//!
//! With the feature `corpus` the cases are in the crate: their bytes are made by the functions that `corpus/files/` is written
//! by, so that nothing is read and nothing can be out of date.
//!
//! ```
//! # fn my_reader(bytes: &[u8]) -> Result<(), ()> {
//! #     torchproof::check(bytes).accepts().then_some(()).ok_or(())
//! # }
//! for case in torchproof::corpus::embedded().filter(|case| case.needs().is_empty()) {
//!     assert!(case.verdict().allows(my_reader(case.bytes()).is_ok()), "{case}");
//! }
//! ```
//!
//! What [`needs`](Embedded::needs) something can be left out, as it is here, or asked for by name.

mod embedded;
#[cfg(feature = "json")]
mod manifest;

pub use crate::cases::{Role, Verdict};
pub use crate::rules::Strength;
pub use embedded::{Embedded, EmbeddedFile, embedded};
#[cfg(feature = "json")]
pub use manifest::{Budget, ByteRange, Case, CaseFile, Edit, MANIFEST_VERSION, Manifest, Recipe, SpecRef, Status};
