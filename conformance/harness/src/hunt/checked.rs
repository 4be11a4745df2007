//! Reduces the checker's report to what a campaign needs.

use torchproof::check::{Checker, Finding, Report};
use torchproof::rules::{Rule, Strength};

/// Returns the first must-rule that a file, or a program and its data file, break on a 64-bit host.
///
/// ```
/// let file = torchproof::corpus::find("pte/header/length-23").unwrap().build().bytes;
/// assert_eq!(torchproof_harness::hunt::first_must(&[&file]).unwrap().id, "eh-length-min");
/// ```
pub fn first_must(files: &[&[u8]]) -> Option<&'static Rule> {
    checked_together(files).must
}

/// Returns the findings on a 64-bit host. The data file's own findings come first, because a case with a broken data
/// file is about the rule that the data file breaks.
pub(super) fn findings(files: &[&[u8]]) -> Vec<Finding> {
    match files {
        [program, data] => {
            let together = Checker::new().with(data).check(program).findings;
            Checker::new().check(data).findings.into_iter().chain(together).collect()
        }
        _ => files.iter().flat_map(|bytes| Checker::new().check(bytes).findings).collect(),
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CheckerResult {
    /// The first broken must-rule.
    pub(super) must: Option<&'static Rule>,
    /// `true` if a should-rule or a may-rule is broken. If no must-rule is broken, readers may accept or reject the file.
    pub(super) warned: bool,
    /// `true` if the check stopped early without finding a broken must-rule.
    pub(super) incomplete: bool,
}

/// Checks a file, or a program and its data file. If neither of the two breaks a must-rule, also checks them as a pair.
pub(super) fn checked_together(files: &[&[u8]]) -> CheckerResult {
    let checker = Checker::new().max_findings(0);
    let alone: Vec<CheckerResult> = files.iter().map(|bytes| CheckerResult::of(&checker.check(bytes))).collect();
    let mut all = CheckerResult {
        must: alone.iter().find_map(|one| one.must),
        warned: alone.iter().any(|one| one.warned),
        incomplete: alone.iter().any(|one| one.incomplete),
    };
    if let ([program, data], None, false) = (files, all.must, all.incomplete) {
        let together = CheckerResult::of(&checker.with(data).check(program));
        (all.must, all.incomplete) = (together.must, together.incomplete);
    }
    all
}

impl CheckerResult {
    fn of(report: &Report) -> Self {
        let must = report.first(Strength::Must).map(|finding| finding.rule);
        let warned = report.should + report.may > 0;
        Self { must, warned, incomplete: must.is_none() && report.stopped.is_some() }
    }

    /// Returns whether readers must accept the file.
    pub(super) const fn is_valid(self) -> bool {
        self.must.is_none() && !self.warned && !self.incomplete
    }
}
