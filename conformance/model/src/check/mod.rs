//! **The check of a file**: findings, verdict and predictions.

mod builds;
mod examined;
mod external;
mod options;
mod result;

pub use builds::{BuildResult, NamedBuild, depends_on};
pub use examined::{AllowedFinding, CheckVerdict, ExaminedFile, bytes_of};
pub use options::{CheckOptions, CheckedFile};
pub use result::{FileResult, FoundRule, Verdict};

use crate::ModelFile;

/// Checks a file, and a program together with its data files.
#[must_use]
pub fn check(file: &ModelFile<'_>, data: &[ModelFile<'_>], options: &CheckOptions) -> FileResult {
    FileResult::of(options.examine(file, data).selected(&options.bases), options.deny_should)
}
