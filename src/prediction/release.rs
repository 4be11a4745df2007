//! The runtime's releases, and their verification levels.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use crate::named::named;

named! { all
    /// The verification level at which ExecuTorch loads a program.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Verification {
        /// The default level, which checks little more than the headers.
        #[default]
        Minimal = "minimal",
        /// The level that first runs the FlatBuffers verifier.
        InternalConsistency = "internal-consistency",
    }
}

/// A release whose behavior the table contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Release(pub [u16; 3]);

/// The runtime of all known releases.
pub(super) const RUNTIME: &str = "executorch";

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{RUNTIME}:{major}.{minor}.{patch}")
    }
}

impl Release {
    /// Parses a version such as `1.5.1`, even if the table does not contain the release.
    #[must_use]
    pub fn parse_version(text: &str) -> Option<Self> {
        let parts: Vec<u16> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        Some(Self(parts.try_into().ok()?))
    }
}

impl TryFrom<String> for Release {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Release> for String {
    fn from(release: Release) -> Self {
        release.to_string()
    }
}
