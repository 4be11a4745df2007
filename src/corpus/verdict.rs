//! What a reader must do with a case, and what the case's file is to it.

use core::fmt;

/// What a file is to the reader: a `.pte` is a program, a `.ptd` is data, a `.bpte` is a program bundled with test cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
