//! **The JSON report**: `{"corpus":{"version","digest"},"readers":[…],"results":[{"case","reader","outcome","grade",…}]}`.

use crate::run::record::RunReport;

/// The report as indented JSON with a line feed at its end.
///
/// # Errors
/// Never for a report that a run made.
pub fn json(report: &RunReport) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}
