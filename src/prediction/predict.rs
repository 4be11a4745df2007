//! The prediction for a file: how its keys affect a loader.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use crate::Stage;
use crate::rules;
use serde::Serialize;

use super::errors::error_name;
use super::keys::{MISSING_BACKEND, MISSING_OPERATOR, SMALL_POOL};
use super::table::ReleaseColumn;
use super::{FileKey, RuntimeEffect, Verification};

/// What a loader is predicted to do.
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
        /// What causes the error: the id of a broken rule, or a property such as `(constants in the FlatBuffer)`.
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

/// Predicts what a loader does with a file that has these keys.
///
/// The first refusal decides, because a loader stops at its first error. A key without a known effect prevents a
/// prediction, unless the loader stops earlier because it refuses the header or because the FlatBuffer fails
/// verification.
#[must_use]
pub fn predict(column: &ReleaseColumn, keys: &[FileKey]) -> Prediction {
    let refusal = |key: &FileKey| match column.effect(key)? {
        RuntimeEffect::Refuses(stage, code) => Some((stage, code, key.subject)),
        _ => None,
    };
    let refusal = keys.iter().filter_map(refusal).min_by_key(|(stage, ..)| *stage);
    let is_first = |stage: Stage, cause: &str| {
        let of_header = rules::get(cause).is_some_and(|rule| rule.stage <= Stage::Header);
        let of_verifier = column.verification == Verification::InternalConsistency && stage == Stage::Structure;
        of_header || of_verifier
    };
    let is_read = |key: &FileKey| match refusal {
        Some((stage, _, cause)) => {
            !is_first(stage, cause) && rules::get(key.subject).is_none_or(|rule| rule.stage <= stage)
        }
        None => true,
    };
    let find = |effect| keys.iter().find(|key| column.effect(key) == effect && is_read(key));
    if let Some(key) = find(Some(RuntimeEffect::Undefined)) {
        return Prediction::Undefined { cause: key.subject };
    }
    if let Some(FileKey { subject, field }) = find(None) {
        let place = if field.is_empty() { String::new() } else { format!(" at {field}") };
        return Prediction::Unknown { reason: format!("the behavior for {subject}{place} is not known") };
    }
    match refusal {
        Some((stage, code, cause)) => Prediction::Refuses { stage, code, error: error_name(code), cause },
        None => Prediction::Loads,
    }
}

impl RuntimePrediction {
    /// Returns the prediction [`Prediction::Unknown`] for a column, with the given reason.
    #[must_use]
    pub fn unknown(column: &ReleaseColumn, reason: &str) -> Self {
        Self {
            release: column.release.to_string(),
            verification: column.verification,
            prediction: Prediction::Unknown { reason: reason.to_owned() },
        }
    }

    /// Returns a column's prediction for a file with these keys.
    #[must_use]
    pub fn of(column: &ReleaseColumn, keys: &[FileKey]) -> Self {
        Self {
            release: column.release.to_string(),
            verification: column.verification,
            prediction: predict(column, keys),
        }
    }
}

impl fmt::Display for RuntimePrediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.release, self.verification.name(), self.prediction)
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loads => f.write_str("loads"),
            Self::Refuses { stage, code, error, cause } => {
                write!(f, "refuses at {stage} with 0x{code:02x} ({error})")?;
                // The list of everything that the build lacks follows.
                if [MISSING_BACKEND, MISSING_OPERATOR, SMALL_POOL].contains(cause) {
                    Ok(())
                } else {
                    write!(f, ", because of {cause}")
                }
            }
            Self::Undefined { cause } => {
                write!(f, "undefined: the file breaks {cause}, which the loader does not check in every case")
            }
            Self::Unknown { reason } => write!(f, "unknown: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::prediction::EffectTable;

    #[test]
    fn a_key_without_a_line_counts_unless_the_loader_stops_before_it() {
        let text = "rule\tfield\t1.5.1 minimal\nderivation\t\tadapter, 1 files\n\
            eh-length-min\theader.length\tstructure:0x23\nt-rank-max\t*\tmethod:0x23\nt-device\t*\tundefined\n\
            mem-aligned\t* (in any context)\tloads\n";
        let table = EffectTable::parse(text).unwrap();
        let predicted = |keys: &[(&'static str, &str)]| {
            let keys = keys.iter().map(|(subject, field)| FileKey { subject, field: (*field).to_owned() });
            RuntimePrediction::of(&table.columns[0], &keys.collect::<Vec<_>>()).to_string()
        };
        let unknown = ("val-nonnull", "val (input)");
        for (keys, expected) in [
            (&[][..], "loads"),
            (&[("mem-aligned", "offset (output)")], "loads"),
            (&[unknown], "unknown: the behavior for val-nonnull at val (input) is not known"),
            (&[("t-rank-max", "sizes")], "refuses at method with 0x23 (InvalidProgram), because of t-rank-max"),
            (&[("t-rank-max", "sizes (input)")], "unknown: the behavior for t-rank-max at sizes (input) is not known"),
            (&[("t-rank-max", "sizes"), unknown], "unknown: the behavior for val-nonnull at val (input) is not known"),
            (
                &[unknown, ("eh-length-min", "header.length")],
                "refuses at structure with 0x23 (InvalidProgram), because of eh-length-min",
            ),
            (
                &[unknown, ("t-device", "device")],
                "undefined: the file breaks t-device, which the loader does not check in every case",
            ),
        ] {
            assert_eq!(predicted(keys).strip_prefix("executorch:1.5.1 (minimal): "), Some(expected), "{keys:?}");
        }
    }
}
