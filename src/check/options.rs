//! A check's options.

use crate::Limits;

/// The options of a check: limits and target host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// The check's limits.
    pub limits: Limits,
    /// The target host.
    pub target: Target,
}

impl Options {
    /// Sets the limits.
    #[must_use]
    pub const fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the target host.
    #[must_use]
    pub const fn target(self, target: Target) -> Self {
        Self { target, ..self }
    }
}

/// The width of sizes and pointers on the target host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Target {
    /// A 32-bit host, for which the check also reports sizes that are too large for it.
    Bits32,
    /// A 64-bit host.
    #[default]
    Bits64,
}

impl Target {
    /// The width in bits of sizes and pointers on the target host.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Target::Bits32 => 32,
            Target::Bits64 => 64,
        }
    }
}
