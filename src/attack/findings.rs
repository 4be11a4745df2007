//! The checker's findings for an attacked file.

use crate::check::{Checker, Report, Target};
use crate::rules::Rule;

/// Checks a file, and returns the report and whether a finding reports the rule `wanted`.
pub(super) fn findings(bytes: &[u8], target: Target, wanted: Option<&Rule>) -> (Report, bool) {
    let report = Checker::new().target(target).max_findings(usize::MAX).check(bytes);
    let found = report.findings.iter().any(|finding| wanted == Some(finding.rule));
    (report, found)
}
