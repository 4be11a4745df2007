//! **What `check` found in files**: owned findings, and one file for each way of printing them.

pub mod catalogue;
pub mod json;
pub mod ordered;
pub mod quiet;
pub mod sarif;
pub mod sources;
pub mod text;

use std::path::{Path, PathBuf};

use torchproof::check::{Checker, Finding, Report, StopReason};
use torchproof::rules::Strength;
use torchproof::{Span, Stage};

use crate::disk::input::{Input, InputError};
use crate::text::counted;
use crate::text::escape::plain_name;

/// One file's result.
#[derive(Debug)]
pub struct Examined {
    /// What the checker reports.
    pub report: Report,
    /// The data files that it was checked together with.
    pub companions: Vec<PathBuf>,
}

impl Examined {
    /// Whether the file breaks no must-rule, or with `strict` no should-rule either, and was examined to the end.
    #[must_use]
    pub fn accepts(&self, strict: bool) -> bool {
        self.report.stopped.is_none() && !self.rejects(strict)
    }

    /// Whether the file breaks a must-rule, or with `strict` a should-rule.
    #[must_use]
    pub fn rejects(&self, strict: bool) -> bool {
        self.report.must > 0 || strict && self.report.should > 0
    }

    /// Why the file was not examined to the end, as one line.
    #[must_use]
    pub fn incomplete(&self) -> Option<String> {
        Some(match self.report.stopped? {
            StopReason::NotCovered => "the rules do not cover .ptn packages".to_owned(),
            StopReason::Unread(span) => format!("{} could not be read", bytes_of(span, u64::MAX)),
            StopReason::NotData(index) => {
                format!("not checked together with {}, which is no data file", self.companion_name(index))
            }
            reason => format!("not examined to the end: {reason}"),
        })
    }

    /// The data file for which the program was not checked together with its data files, as one line.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let name = self.companion_name(self.report.rejected_companion?);
        Some(format!("not checked together with {name}, which is not accepted itself"))
    }

    /// The data file that a finding is in, if it is not in the file itself.
    #[must_use]
    pub fn companion(&self, finding: &Finding) -> Option<&Path> {
        self.companions.get(finding.companion?).map(PathBuf::as_path)
    }

    fn companion_name(&self, index: usize) -> String {
        self.companions.get(index).map(|path| plain_name(&path.to_string_lossy())).unwrap_or_default()
    }

    /// What it comes to.
    #[must_use]
    pub fn verdict(&self, strict: bool) -> CheckVerdict {
        if self.rejects(strict) {
            CheckVerdict::Reject
        } else if self.report.stopped.is_some() {
            CheckVerdict::Unexamined
        } else if self.report.should > 0 {
            CheckVerdict::Warn
        } else {
            CheckVerdict::Accept
        }
    }

    /// The first must-finding for which a reader that goes as far as `stage` has to refuse the file.
    #[must_use]
    pub fn first_must(&self, stage: Stage) -> Option<&Finding> {
        let must = |found: &&Finding| found.rule.strength == Strength::Must && found.rule.stage <= stage;
        self.report.findings.iter().find(must)
    }
}

/// One file that was looked at.
#[derive(Debug)]
pub struct CheckedFile {
    /// As it was given.
    pub path: PathBuf,
    /// In bytes, if it could be opened.
    pub len: Option<u64>,
    /// What was found, or why nothing could be.
    pub examined: Result<Examined, String>,
}

/// What a file's findings come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// It breaks no rule that counts, and no should-rule.
    Accept,
    /// It is accepted, and breaks a should-rule.
    Warn,
    /// It breaks a rule that counts.
    Reject,
    /// It was not examined to the end, and nothing found till then rejects it.
    Unexamined,
}

/// How many files came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub files: u64,
    /// Those that were rejected.
    pub rejected: u64,
    /// Those that were accepted with warnings.
    pub warned: u64,
    /// Those that were not examined, or not to the end; some of them may be rejected as well.
    pub unexamined: u64,
}

impl Tally {
    /// Counts one file; one that could not be read has nothing that was examined.
    pub fn add(&mut self, examined: Option<&Examined>, strict: bool) {
        self.files += 1;
        self.unexamined += u64::from(examined.is_none_or(|examined| examined.report.stopped.is_some()));
        match examined.map(|examined| examined.verdict(strict)) {
            Some(CheckVerdict::Reject) => self.rejected += 1,
            Some(CheckVerdict::Warn) => self.warned += 1,
            Some(CheckVerdict::Accept | CheckVerdict::Unexamined) | None => {}
        }
    }

    /// What `check` exits with: 2 where something could not be examined, else 1 where something was rejected.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match (self.unexamined, self.rejected) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        }
    }
}

/// Checks the file at `path`; a program together with these data files, if there are any.
///
/// # Errors
///
/// One of the files cannot be opened.
pub fn examine(path: &Path, companions: &[PathBuf], checker: &Checker<'_>) -> Result<(Input, Examined), InputError> {
    let input = Input::open(path)?;
    let data = companions.iter().map(|path| Input::open(path)).collect::<Result<Vec<_>, _>>()?;
    let report = data.iter().fold(checker.clone(), |checker, data| checker.with(data)).check_source(&input);
    Ok((input, Examined { report, companions: companions.to_vec() }))
}

/// A span of a file of `len` bytes, in words.
fn bytes_of(span: Span, len: u64) -> String {
    match span.len {
        0 if span.offset == len => format!("at {:#x} (end of file)", span.offset),
        0 => format!("at {:#x}", span.offset),
        count => format!("{} at {:#x}", counted(count, "byte"), span.offset),
    }
}
