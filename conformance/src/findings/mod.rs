//! **What `check` found in files**: owned findings, and one file for each way of printing them.

pub mod json;
pub mod text;

use std::ops::ControlFlow;
use std::path::Path;

use torchproof::check::{Finding, Incomplete, Kind, Options, check};
use torchproof::rules::{Rule, Strength};
use torchproof::{Span, Stage};

use crate::input::{Input, InputError};

/// Findings kept of one file; more are counted, so that a hostile file cannot fill the memory or the screen.
pub const KEPT: usize = 1000;

/// A rule broken in a file, kept after the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The rule.
    pub rule: &'static Rule,
    /// The field; empty for the file as a whole.
    pub path: String,
    /// The bytes.
    pub span: Span,
    /// What is wrong, as one sentence without a full stop; quotes of the file are escaped.
    pub message: String,
}

/// One file's result.
#[derive(Debug)]
pub struct Examined {
    /// What kind of file it is.
    pub kind: Kind,
    /// The first [`KEPT`] findings, in the order they were made.
    pub findings: Vec<Found>,
    /// How many there were: must, should, either.
    pub counts: [u32; 3],
    /// Why the file was not examined to the end, as one line.
    pub incomplete: Option<String>,
}

impl Examined {
    /// Whether the file breaks no must-rule, or with `strict` no should-rule either, and was examined to the end.
    #[must_use]
    pub fn accepts(&self, strict: bool) -> bool {
        self.incomplete.is_none() && !self.rejects(strict)
    }

    /// Whether the file breaks a must-rule, or with `strict` a should-rule.
    #[must_use]
    pub fn rejects(&self, strict: bool) -> bool {
        self.counts[0] > 0 || strict && self.counts[1] > 0
    }

    /// The first must-finding for which a reader that goes as far as `stage` has to refuse the file.
    #[must_use]
    pub fn first_must(&self, stage: Stage) -> Option<&Found> {
        self.findings.iter().find(|found| found.rule.strength == Strength::Must && found.rule.stage <= stage)
    }
}

/// Checks the file at `path`, reading its header, its FlatBuffer and the gaps between its segments.
///
/// # Errors
///
/// The file cannot be opened or its head cannot be read. A file that fails later is incomplete, with what was found till then.
pub fn examine(path: &Path, options: &Options) -> Result<(Input, Examined), InputError> {
    let input = Input::open(path)?;
    let mut findings = Vec::new();
    let mut last_must = None;
    let mut sink = |finding: &Finding<'_>| {
        let found = || Found {
            rule: finding.rule,
            path: finding.path.to_string(),
            span: finding.span,
            message: finding.message.to_string(),
        };
        if findings.len() < KEPT {
            findings.push(found());
        } else if finding.rule.strength == Strength::Must && last_must.is_none() {
            last_must = Some(found());
        }
        ControlFlow::Continue(())
    };
    let mut memory: Vec<u64> = Vec::new();
    let report = check(input.image(), &mut &input, options, &mut memory, &mut sink);
    // A rejection has to be explained even where a thousand warnings come before its reason.
    if !findings.iter().any(|found| found.rule.strength == Strength::Must) {
        findings.extend(last_must);
    }
    let incomplete = report.incomplete.and_then(|reason| match reason {
        Incomplete::Asked => None,
        Incomplete::Limit(limit) => Some(format!("not examined to the end: {limit}")),
        Incomplete::NotHeld { needed } => Some(format!("not examined to the end: its first {needed} bytes are needed")),
        Incomplete::UnreadGap(span) => Some(format!("{} could not be read", text::bytes_of(span, u64::MAX))),
        _ => Some("not examined to the end".to_owned()),
    });
    let counts = [report.must, report.should, report.either];
    Ok((input, Examined { kind: report.kind, findings, counts, incomplete }))
}
