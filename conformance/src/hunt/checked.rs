//! The result of the checker for a file, as far as a campaign needs it.

use torchproof::check::{Checker, Report};
use torchproof::rules::{Rule, Strength};

/// The first must-rule that a file breaks, for hosts of 64 bits.
///
/// ```
/// let file = std::fs::read("../corpus/files/pte/header/length-23.pte").unwrap();
/// assert_eq!(torchproof_cli::hunt::first_must(&file).unwrap().id, "eh-length-min");
/// ```
#[must_use]
pub fn first_must(bytes: &[u8]) -> Option<&'static Rule> {
    checked(bytes).must
}

/// The result of the checker for a file, or for a program and its data file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CheckerResult {
    /// The first broken must-rule.
    pub(super) must: Option<&'static Rule>,
    /// Whether a weaker rule is broken; readers may accept or reject such a file.
    pub(super) warned: bool,
    /// Whether the check stopped before the end.
    pub(super) incomplete: bool,
}

pub(super) fn checked(bytes: &[u8]) -> CheckerResult {
    CheckerResult::of(&Checker::new().max_findings(0).check(bytes))
}

/// Checks a file; or a program, its data file, and both together if each is valid by itself.
pub(super) fn checked_together(files: &[&[u8]]) -> CheckerResult {
    let alone: Vec<CheckerResult> = files.iter().map(|bytes| checked(bytes)).collect();
    let mut all = CheckerResult {
        must: alone.iter().find_map(|one| one.must),
        warned: alone.iter().any(|one| one.warned),
        incomplete: alone.iter().any(|one| one.incomplete),
    };
    if let ([program, data], None, false) = (files, all.must, all.incomplete) {
        let together = CheckerResult::of(&Checker::new().max_findings(0).with(data).check(program));
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
}
