//! The checker's findings in an attacked file.

use crate::check::{Checker, Report, Target};
use crate::rules::Rule;

/// What the checker finds in a file, and whether a rule is among the findings.
pub(super) fn findings(bytes: &[u8], target: Target, wanted: Option<&Rule>) -> (Report, bool) {
    let report = Checker::new().target(target).max_findings(usize::MAX).check(bytes);
    let found = report.findings.iter().any(|finding| wanted == Some(finding.rule));
    (report, found)
}
