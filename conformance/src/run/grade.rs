//! **What an outcome is worth**: derived from the case, never from a reader's name.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde_json::Value;
use torchproof::Stage;
use torchproof::corpus::{Role, Verdict};
use torchproof::rules::{self, Strength};

use crate::corpus::{Case, CaseFile, Status};
use crate::reader::outcome::{Cause, Outcome};
use crate::reader::protocol::{deepest, stages_of};
use crate::run::compare::first_difference;
use torchproof_protocol::{CAPABILITY_BITS_32, FORMATS, Hello};

/// What an outcome is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// As the case demands.
    Pass,
    /// Accepts a file that must be rejected.
    AcceptsInvalid,
    /// Rejects a file that must be accepted.
    RejectsValid,
    /// Accepts a valid file and reads something else in it.
    WrongValue,
    /// Rejects as it must, but later than is safe.
    LateReject,
    /// Dies, whatever the case demands.
    Crash,
    /// Does not end, whatever the case demands.
    Hang,
    /// Runs out of memory, whatever the case demands.
    Resource,
    /// Rejects as it must, but its control too: nothing is shown.
    Vacuous,
    /// What speaks for the reader broke the protocol or did not get the files: nothing is known.
    AdapterError,
    /// Does not apply to this reader.
    Skip,
    /// Counted and graded by nobody.
    Info,
    /// Fails as the list of [known failures](crate::run::known) says.
    Known,
    /// Passes, and the list of known failures says otherwise.
    Fixed,
}

impl Grade {
    /// Every grade, in the order of reports.
    pub const ALL: [Grade; 14] = [
        Grade::Pass,
        Grade::AcceptsInvalid,
        Grade::RejectsValid,
        Grade::WrongValue,
        Grade::LateReject,
        Grade::Crash,
        Grade::Hang,
        Grade::Resource,
        Grade::Vacuous,
        Grade::AdapterError,
        Grade::Skip,
        Grade::Info,
        Grade::Known,
        Grade::Fixed,
    ];

    /// The grade's name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Pass => "pass",
            Grade::AcceptsInvalid => "accepts-invalid",
            Grade::RejectsValid => "rejects-valid",
            Grade::WrongValue => "wrong-value",
            Grade::LateReject => "late-reject",
            Grade::Crash => "crash",
            Grade::Hang => "hang",
            Grade::Resource => "resource",
            Grade::Vacuous => "vacuous",
            Grade::AdapterError => "adapter-error",
            Grade::Skip => "skip",
            Grade::Info => "info",
            Grade::Known => "known",
            Grade::Fixed => "fixed",
        }
    }

    /// Whether the grade fails a run.
    #[must_use]
    pub const fn is_unexpected(self) -> bool {
        !matches!(self, Grade::Pass | Grade::Skip | Grade::Info | Grade::Known)
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a case is not put to a reader, if it is not.
#[must_use]
pub fn inapplicable(case: &Case, reader: &Hello) -> Option<String> {
    let missing = formats(case).find(|format| !reader.formats.iter().any(|have| have == format));
    if let Some(format) = missing {
        return Some(format!("does not read {format}"));
    }
    if case.target_bits == Some(64) && reader.has(CAPABILITY_BITS_32) {
        return Some("no host of 32 bits can take it".to_owned());
    }
    let missing = case.needs.iter().find(|need| !reader.has(need));
    missing.map(|need| format!("lacks the capability {need}"))
}

/// The formats that a case is made of: from its files' roles, and from where they are for the older data layout, whose files
/// are those of cases of that name.
///
/// A bundled program is of no format by itself: a reader of them says so by a capability, which the cases need.
fn formats(case: &Case) -> impl Iterator<Item = &'static str> {
    let [pte, ptd, legacy] = FORMATS;
    let format = move |file: &CaseFile| match file.role {
        Role::Program => Some(pte),
        Role::Data if file.path.split('/').nth(1) == Some(legacy) => Some(legacy),
        Role::Data => Some(ptd),
        Role::Bundled => None,
    };
    case.files.iter().filter_map(format)
}

/// By which terms outcomes are graded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Grade cases of should-rules as those of must-rules: what breaks one has to be rejected.
    ///
    /// A case whose control breaks a should-rule too, or that has none, stays graded by nobody: its rejection would show nothing.
    pub strict: bool,
    /// What a panic is.
    pub panics: Panics,
}

/// What a reader's panic counts as; whatever it is, reports tell of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panics {
    /// A crash.
    #[default]
    Fail,
    /// A rejection, at the stage that the reader said it entered last.
    Reject,
    /// Something to count, and graded by nobody.
    Report,
}

/// Grades what one reader does.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    /// The reader, as it says it is.
    pub reader: &'a Hello,
    /// The terms.
    pub terms: Terms,
}

impl Judge<'_> {
    /// What a case demands of the reader, beside its control: `Either` where nobody grades what it does.
    ///
    /// That is the case's verdict, but for what breaks its rule on hosts of 32 bits alone, which a reader for these has to
    /// reject, and what breaks a should-rule, where the terms are strict.
    #[must_use]
    pub fn demanded(&self, case: &Case, control: Option<&Case>) -> Verdict {
        let narrow = self.reader.has(CAPABILITY_BITS_32);
        let controlled = control.is_some_and(|control| control.verdict == Verdict::Accept);
        match case.strength {
            _ if case.status != Status::Active => Verdict::Either,
            Strength::Must if case.target_bits == Some(32) && narrow => Verdict::Reject,
            Strength::Must => case.verdict,
            Strength::Should if self.terms.strict && controlled && (case.target_bits != Some(32) || narrow) => {
                Verdict::Reject
            }
            Strength::Should | Strength::May => Verdict::Either,
        }
    }

    /// The outcome that is graded: that of a panic may be another than the reader's.
    #[must_use]
    pub fn counted<'o>(&self, outcome: &'o Outcome) -> Cow<'o, Outcome> {
        match (outcome.panic(), self.terms.panics) {
            (Some(termination), Panics::Reject) => {
                Cow::Owned(Outcome::Reject { stage: termination.stage, message: outcome.message() })
            }
            _ => Cow::Borrowed(outcome),
        }
    }

    /// Grades what the reader did with `case`, of which `demanded` is [demanded](Self::demanded), and says why.
    ///
    /// The reason is what the outcome alone does not tell: empty for a pass, but for one by a panic. It may hold hostile bytes.
    ///
    /// `control` is what it did with the case's control, `expect` the canonical JSON of an accepted case.
    #[must_use]
    pub fn grade(
        &self,
        case: &Case,
        demanded: Verdict,
        outcome: &Outcome,
        control: Option<&Outcome>,
        expect: Option<&Value>,
    ) -> (Grade, String) {
        if outcome.panic().is_some() && self.terms.panics == Panics::Report {
            return (Grade::Info, outcome.message());
        }
        let (grade, reason) = self.grade_counted(case, demanded, &self.counted(outcome), control, expect);
        // A panic is told also where nothing else is left to say.
        let silent = outcome.panic().is_some() && reason.is_empty();
        (grade, if silent { outcome.message() } else { reason })
    }

    fn grade_counted(
        &self,
        case: &Case,
        demanded: Verdict,
        outcome: &Outcome,
        control: Option<&Outcome>,
        expect: Option<&Value>,
    ) -> (Grade, String) {
        match outcome {
            Outcome::Died(termination) => {
                let grade = match termination.cause {
                    Cause::OutOfMemory => Grade::Resource,
                    Cause::WallTime(_) | Cause::CpuTime => Grade::Hang,
                    _ => Grade::Crash,
                };
                return (grade, outcome.message());
            }
            Outcome::AdapterError { message } => return (Grade::AdapterError, message.clone()),
            Outcome::Unsupported { message } => return (Grade::Skip, message.clone()),
            Outcome::Accept { .. } | Outcome::Reject { .. } => {}
        }
        match (demanded, outcome) {
            (Verdict::Either, _) => (Grade::Info, outcome.message()),
            (Verdict::Accept, Outcome::Accept { value: Some(have), .. }) => {
                match expect.and_then(|want| first_difference(want, have)) {
                    Some(difference) => (Grade::WrongValue, difference.to_string()),
                    None => (Grade::Pass, String::new()),
                }
            }
            (Verdict::Accept, Outcome::Accept { .. }) => (Grade::Pass, String::new()),
            (Verdict::Accept, _) => (Grade::RejectsValid, outcome.message()),
            (Verdict::Reject, Outcome::Accept { stage, .. }) => self.acceptance(case, *stage),
            (Verdict::Reject, outcome) => self.rejection(case, outcome, control),
        }
    }

    /// Grades that a case was accepted that must be rejected.
    fn acceptance(&self, case: &Case, stage: Stage) -> (Grade, String) {
        let reader = self.reader;
        match due(case) {
            Some(due) if !reader.stages.is_empty() && deepest(reader) < due => {
                (Grade::Skip, format!("reads no further than {stage}, the defect is due by {due}"))
            }
            // Data is looked up without preparing a method: who gets there has not passed through that stage.
            Some(due @ Stage::Method) if !reader.stages.is_empty() && !stages_of(reader).contains(&due) => {
                (Grade::Skip, format!("prepares no method, the defect is due by {due}"))
            }
            Some(due) => (Grade::AcceptsInvalid, format!("must be rejected by {due}")),
            None => (Grade::AcceptsInvalid, "must be rejected".to_owned()),
        }
    }

    /// Grades the rejection of a case that must be rejected.
    fn rejection(&self, case: &Case, outcome: &Outcome, control: Option<&Outcome>) -> (Grade, String) {
        match control {
            Some(Outcome::Accept { .. }) => {}
            Some(Outcome::Unsupported { message }) => {
                return (Grade::Skip, format!("its control is unsupported: {message}"));
            }
            Some(other) => {
                let id = case.control.as_deref().unwrap_or_default();
                return (Grade::Vacuous, format!("its control {id} is not accepted either: {other}"));
            }
            None => return (Grade::Vacuous, "it has no control".to_owned()),
        }
        match (outcome.stage(), due(case)) {
            (Some(stage), Some(due)) if stage > allowed(due, self.reader) => {
                (Grade::LateReject, format!("due by {due}: {}", outcome.message()))
            }
            _ => (Grade::Pass, String::new()),
        }
    }
}

/// The latest stage at which a reader may notice the defect; of a case that need not be rejected, that of its rule.
fn due(case: &Case) -> Option<Stage> {
    let of_rule = || case.rule.as_deref().and_then(rules::get).map(|rule| rule.stage);
    case.stage.or_else(|| (case.strength == Strength::Should).then(of_rule).flatten())
}

/// The latest stage at which a reader may reject what is due at `due`.
///
/// That is the first of its own stages from there on: who cannot tell the header from the structure is not late in
/// rejecting a header at the structure.
fn allowed(due: Stage, reader: &Hello) -> Stage {
    stages_of(reader).into_iter().filter(|stage| *stage >= due).min().unwrap_or(Stage::Data)
}

#[cfg(test)]
mod tests;
