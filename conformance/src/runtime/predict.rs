//! The prediction for a file: the effect of the file's keys on a loader.

use std::fmt;

use serde::Serialize;
use torchproof::Stage;
use torchproof::rules;

use super::table::Column;
use super::{FileKey, RuntimeEffect, Verification, error_name};

/// The predicted behaviour of a loader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "prediction", rename_all = "kebab-case")]
pub enum Prediction {
    /// The loader loads the program and prepares its methods, or loads the data file.
    Loads,
    /// The loader returns an error.
    Refuses {
        /// The stage at which the loader returns the error.
        stage: Stage,
        /// The error code.
        code: u8,
        /// The name of the error code.
        error: &'static str,
        /// The cause of the error: the id of a broken rule, or a property such as `(constants in the FlatBuffer)`.
        cause: &'static str,
    },
    /// The file breaks a must-rule that the loader does not check in every case.
    Undefined {
        /// The broken rule.
        cause: &'static str,
    },
    /// There is no prediction for the file.
    Unknown {
        /// The reason.
        reason: String,
    },
}

/// The prediction for one release and one verification level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuntimePrediction {
    /// The release, such as `executorch:1.5.1`.
    pub release: String,
    /// The verification level.
    pub verification: Verification,
    /// The prediction.
    #[serde(flatten)]
    pub prediction: Prediction,
}

/// Predicts the behaviour of a loader from the keys of a file.
///
/// The first refusal counts, because a loader stops at its first error. A defect that the loader does not check makes the
/// behaviour undefined. The prediction is still a refusal if the loader refuses the header, or if the loader refuses the
/// FlatBuffer during verification.
#[must_use]
pub fn predict(column: &Column, keys: &[FileKey]) -> Prediction {
    let effects = || keys.iter().map(|key| (key, column.effect(key)));
    let refusal = effects().filter_map(|(key, effect)| match effect {
        RuntimeEffect::Refuses(stage, code) => Some((stage, code, key.subject)),
        _ => None,
    });
    let refusal = refusal.min_by_key(|(stage, ..)| *stage);
    let is_first = |stage: Stage, cause: &str| {
        let of_header = rules::get(cause).is_some_and(|rule| rule.stage <= Stage::Header);
        let of_verifier = column.verification == Verification::InternalConsistency && stage == Stage::Structure;
        of_header || of_verifier
    };
    let undefined = effects().find(|(_, effect)| *effect == RuntimeEffect::Undefined);
    match (refusal, undefined) {
        (Some((stage, _, cause)), Some((key, _))) if !is_first(stage, cause) => {
            Prediction::Undefined { cause: key.subject }
        }
        (None, Some((key, _))) => Prediction::Undefined { cause: key.subject },
        (Some((stage, code, cause)), _) => Prediction::Refuses { stage, code, error: error_name(code), cause },
        (None, None) => Prediction::Loads,
    }
}

impl RuntimePrediction {
    /// Returns the prediction [`Prediction::Unknown`] for a column, with the given reason.
    #[must_use]
    pub fn unknown(column: &Column, reason: &str) -> Self {
        Self {
            release: column.release.to_string(),
            verification: column.verification,
            prediction: Prediction::Unknown { reason: reason.to_owned() },
        }
    }

    /// Returns the prediction of a column for a file with these keys.
    #[must_use]
    pub fn of(column: &Column, keys: &[FileKey]) -> Self {
        Self {
            release: column.release.to_string(),
            verification: column.verification,
            prediction: predict(column, keys),
        }
    }
}

impl fmt::Display for RuntimePrediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): ", self.release, self.verification.name())?;
        match &self.prediction {
            Prediction::Loads => f.write_str("loads"),
            Prediction::Refuses { stage, code, error, cause } => {
                write!(f, "refuses at {stage} with 0x{code:02x} ({error}), because of {cause}")
            }
            Prediction::Undefined { cause } => {
                write!(f, "undefined: the file breaks {cause}, which the loader does not check in every case")
            }
            Prediction::Unknown { reason } => write!(f, "unknown: {reason}"),
        }
    }
}
