//! **The corpus**: its cases for the tests of a reader in Rust, and the types of the manifest that it is published in.
//!
//! With the feature `corpus` the cases are in the crate: their bytes are made by the functions that `corpus/files/` is written
//! by, so that nothing is read and nothing can be out of date.
//!
//! ```
//! # use torchproof::{Image, check};
//! # fn my_reader(bytes: &[u8]) -> Result<(), ()> {
//! #     let image = Image::whole(bytes);
//! #     let mut sink = |_: &check::Finding<'_>| std::ops::ControlFlow::Continue(());
//! #     let report = check::check(image, &mut { image }, &check::Options::default(), &mut Vec::new(), &mut sink);
//! #     report.accepts().then_some(()).ok_or(())
//! # }
//! for case in torchproof::corpus::embedded().filter(|case| case.needs().is_empty()) {
//!     assert!(case.verdict().allows(my_reader(case.bytes()).is_ok()), "{case}");
//! }
//! ```
//!
//! What [`needs`](Embedded::needs) something can be left out, as it is here, or asked for by name.

use alloc::string::String;
use core::fmt;

mod embedded;
#[cfg(feature = "json")]
mod manifest;

pub use crate::rules::Strength;
pub use embedded::{Embedded, File, embedded};
#[cfg(feature = "json")]
pub use manifest::{Budget, ByteRange, Case, CaseFile, MANIFEST_VERSION, Manifest, Recipe, SpecRef, Status};

/// What a file is to the reader: a `.pte` is a program, a `.ptd` is data, a `.bpte` is a program bundled with test cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Role {
    /// A `.pte` file.
    Program,
    /// A `.ptd` file.
    Data,
    /// A `.bpte` file.
    Bundled,
}

impl Role {
    /// What such a file's name ends in.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Role::Program => "pte",
            Role::Data => "ptd",
            Role::Bundled => "bpte",
        }
    }
}

/// What a reader must do with a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Verdict {
    /// Read it, with the expected values.
    Accept,
    /// Refuse it with a clean error.
    Reject,
    /// Either of the two, but neither crash nor hang.
    Either,
}

impl Verdict {
    /// The word used in the manifest.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Accept => "accept",
            Verdict::Reject => "reject",
            Verdict::Either => "either",
        }
    }

    /// Whether a reader that accepts the case's file, or refuses it with a clean error, does as it must.
    #[must_use]
    pub const fn allows(self, accepted: bool) -> bool {
        match self {
            Verdict::Accept => accepted,
            Verdict::Reject => !accepted,
            Verdict::Either => true,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Replaces the bytes `was` at `at` by `now`; the two may differ in length.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Edit {
    /// Offset in the file as it is before this edit.
    pub at: u64,
    /// Hex of the bytes replaced.
    pub was: String,
    /// Hex of the bytes put there.
    pub now: String,
}
