//! **Predictions of a runtime's loader**: whether a release loads a file, and if not, which error it returns.
//!
//! `releases.tsv` is the effects table, which the test `outside runtime/derive` writes by running the releases on
//! files. `errors.tsv` explains the error codes.

mod arena;
mod build;
mod context;
mod errors;
mod keys;
mod pools;
mod predict;
mod release;
mod requirements;
mod table;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str::FromStr;

pub use arena::{Abi, ArenaSetup, SmallestArenas};
pub use build::{BuildProfile, MethodPrediction};
pub use errors::{ErrorCause, RuntimeError};
pub use keys::{ANY_CONTEXT, DATA_FILE, FileKey, LoadedFile};
pub use pools::{PoolKind, PoolSizes, SmallPool};
pub use predict::{Prediction, RuntimePrediction, predict};
pub use release::{Release, Verification};
pub use requirements::Requirements;
pub use table::{EffectTable, ReleaseColumn, RuntimeEffect};

/// Parses a release such as `executorch:1.5.1`, or `executorch:1.5` for the newest known 1.5 release.
impl FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = EffectTable::get().releases();
        let wanted: Option<Vec<u16>> = text
            .strip_prefix(release::RUNTIME)
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
