//! **Predictions of a runtime's loader**: whether a release loads a file, or which error the loader returns.
//!
//! `releases.tsv` contains the knowledge. The test `outside runtime/derive` runs the releases on files, and writes this table.

mod keys;
mod predict;
mod table;

use std::fmt;
use std::str::FromStr;

pub use keys::{FileKey, keys};
pub use predict::{Prediction, RuntimePrediction, predict};
pub use table::{Column, Effect, Table, error_name};

/// The verification level of ExecuTorch's `Program::load`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// The default level, which checks little more than the headers.
    Minimal,
    /// The level that first runs the FlatBuffers verifier.
    InternalConsistency,
}

impl Verification {
    /// Both levels.
    pub const ALL: [Self; 2] = [Self::Minimal, Self::InternalConsistency];

    /// Returns the level's name in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::InternalConsistency => "internal-consistency",
        }
    }
}

/// A release whose behaviour the table contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub [u16; 3]);

/// The runtime of all known releases.
const RUNTIME: &str = "executorch";

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{RUNTIME}:{major}.{minor}.{patch}")
    }
}

impl Release {
    /// Parses `1.5.1`, also if the release is unknown.
    #[must_use]
    pub fn parse_version(text: &str) -> Option<Self> {
        let parts: Vec<u16> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        Some(Self(parts.try_into().ok()?))
    }
}

/// Parses `executorch:1.5.1`. `executorch:1.5` means the newest known 1.5 release.
impl FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Table::get().releases();
        let wanted: Option<Vec<u16>> = text
            .strip_prefix(RUNTIME)
            .and_then(|text| text.strip_prefix(':'))
            .and_then(|version| version.split('.').map(|part| part.parse().ok()).collect());
        let found = wanted
            .filter(|parts| matches!(parts.len(), 2 | 3))
            .and_then(|parts| known.iter().copied().filter(|Self(release)| release.starts_with(&parts)).max());
        found.ok_or_else(|| {
            let known: Vec<String> = known.iter().map(ToString::to_string).collect();
            format!("found an unknown release, expected one of {}", known.join(", "))
        })
    }
}
