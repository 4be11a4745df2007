//! **The gate**: comparisons that protect a format's users from a change.

pub mod files;
mod kinds;
mod report;
pub mod results;
pub mod schema;

use std::path::Path;

pub(crate) use report::Comparison;

use crate::settings::ProjectSettings;

pub fn settings(given: Option<&Path>) -> Result<ProjectSettings, String> {
    use files::FilesComparison;
    use results::ResultsComparison;
    use schema::SchemaComparison;
    let kinds = [FilesComparison::KINDS, ResultsComparison::KINDS, SchemaComparison::KINDS].concat();
    ProjectSettings::load(given, &kinds)
}
