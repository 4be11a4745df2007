//! How a file is checked.

use crate::Limits;

/// How a file is checked: within which limits, and for which host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// What the file may cost.
    pub limits: Limits,
    /// The host that the file is for.
    pub target: Target,
}

impl Options {
    /// The same within these limits.
    #[must_use]
    pub const fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same for this host.
    #[must_use]
    pub const fn target(self, target: Target) -> Self {
        Self { target, ..self }
    }
}

/// How wide the sizes and pointers of a host are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Target {
    /// 32 bits: what exceeds 2^32 on it is found as well.
    Bits32,
    /// 64 bits.
    #[default]
    Bits64,
}

impl Target {
    /// How many bits wide sizes are there.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Target::Bits32 => 32,
            Target::Bits64 => 64,
        }
    }
}
