//! **Grades**: rate an outcome against its case, the same for every reader.

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

/// The rating of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// The outcome that the case requires.
    Pass,
    /// The reader accepts a file that it must reject.
    AcceptsInvalid,
    /// The reader rejects a file that it must accept.
    RejectsValid,
    /// The reader accepts a valid file but reads a wrong value from it.
    WrongValue,
    /// The reader rejects as required, but at a later stage than is safe.
    LateReject,
    /// The reader crashes, in any case.
    Crash,
    /// The reader exceeds its time limit, in any case.
    Hang,
    /// The reader runs out of memory, in any case.
    Resource,
    /// The reader rejects as required but also rejects the control, so the rejection proves nothing.
    Vacuous,
    /// The adapter violated the protocol or did not get the files, so nothing is known about the reader.
    AdapterError,
    /// The case does not apply to this reader.
    Skip,
    /// The outcome is counted, but not rated.
    Info,
    /// The reader fails as the list of [known failures](crate::run::known) states.
    Known,
    /// The reader passes, but the list of known failures has an entry for it.
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

    /// Returns the name in reports.
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

    /// Returns whether the grade fails a run.
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

/// Returns the reason why a case does not apply to a reader, if there is one.
#[must_use]
pub fn inapplicable(case: &Case, reader: &Hello) -> Option<String> {
    let missing = formats(case).find(|format| !reader.formats.iter().any(|have| have == format));
    if let Some(format) = missing {
        return Some(format!("does not read {format} files"));
    }
    if case.target_bits == Some(64) && reader.has(CAPABILITY_BITS_32) {
        return Some("the case needs a 64-bit host".to_owned());
    }
    let missing = case.needs.iter().find(|need| !reader.has(need));
    missing.map(|need| format!("lacks capability {need}"))
}

/// Returns the formats of a case's files, by role; the folder of a data file shows whether its layout is the legacy one.
///
/// A bundled program has no format of its own: cases with bundled programs need a capability instead.
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

/// The grading options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Grade cases of should-rules like those of must-rules: a violation must be rejected.
    ///
    /// A case without a control, or whose control also breaks a should-rule, stays ungraded, because a rejection of
    /// such a case proves nothing.
    pub strict: bool,
    /// The treatment of panics.
    pub panics: Panics,
}

/// The treatment of a panic; reports mention the panic in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panics {
    /// A crash.
    #[default]
    Fail,
    /// A rejection, at the last stage that the reader reported as entered.
    Reject,
    /// Counted, but not rated.
    Report,
}

/// Grades the outcomes of one reader.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    /// The reader's `hello` reply.
    pub reader: &'a Hello,
    /// The options.
    pub terms: Terms,
}

impl Judge<'_> {
    /// Returns the outcome that the case requires of this reader; `Either` if the case is not graded.
    ///
    /// The required outcome is the case's verdict, with two exceptions. A reader for 32-bit hosts must reject a file that
    /// breaks a must-rule only on such hosts. With strict options, a reader must reject a file that breaks a should-rule.
    #[must_use]
    pub fn required_verdict(&self, case: &Case, control: Option<&Case>) -> Verdict {
        let target32 = self.reader.has(CAPABILITY_BITS_32);
        let controlled = control.is_some_and(|control| control.verdict == Verdict::Accept);
        match case.strength {
            _ if case.status != Status::Active => Verdict::Either,
            Strength::Must if case.target_bits == Some(32) && target32 => Verdict::Reject,
            Strength::Must => case.verdict,
            Strength::Should if self.terms.strict && controlled && (case.target_bits != Some(32) || target32) => {
                Verdict::Reject
            }
            Strength::Should | Strength::May => Verdict::Either,
        }
    }

    /// Returns the outcome to grade; the options may replace a panic with a rejection.
    #[must_use]
    pub fn graded_outcome<'o>(&self, outcome: &'o Outcome) -> Cow<'o, Outcome> {
        match (outcome.panic(), self.terms.panics) {
            (Some(termination), Panics::Reject) => {
                Cow::Owned(Outcome::Reject { stage: termination.stage, message: outcome.message() })
            }
            _ => Cow::Borrowed(outcome),
        }
    }

    /// Grades an outcome against the [required verdict](Self::required_verdict), and gives the reason.
    ///
    /// The reason adds details to the outcome, and is empty for a pass without a panic. It may hold untrusted bytes.
    ///
    /// `control` is the outcome for the case's control, `expect` the canonical JSON of an accepted case.
    #[must_use]
    pub fn grade(
        &self,
        case: &Case,
        required: Verdict,
        outcome: &Outcome,
        control: Option<&Outcome>,
        expect: Option<&Value>,
    ) -> (Grade, String) {
        if outcome.panic().is_some() && self.terms.panics == Panics::Report {
            return (Grade::Info, outcome.message());
        }
        let (grade, reason) = self.grade_outcome(case, required, &self.graded_outcome(outcome), control, expect);
        // A panic is mentioned even if there is no other reason.
        let add_panic = outcome.panic().is_some() && reason.is_empty();
        (grade, if add_panic { outcome.message() } else { reason })
    }

    fn grade_outcome(
        &self,
        case: &Case,
        required: Verdict,
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
        match (required, outcome) {
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

    /// Grades the acceptance of a case that must be rejected.
    fn acceptance(&self, case: &Case, stage: Stage) -> (Grade, String) {
        let reader = self.reader;
        match due(case) {
            Some(due) if !reader.stages.is_empty() && deepest(reader) < due => {
                (Grade::Skip, format!("reads only to stage {stage}; the defect must be rejected by {due}"))
            }
            // Data is readable without preparing a method, so a reader may reach a later stage without the method
            // stage.
            Some(due @ Stage::Method) if !reader.stages.is_empty() && !stages_of(reader).contains(&due) => {
                (Grade::Skip, format!("prepares no method; the defect must be rejected by {due}"))
            }
            Some(due) => (Grade::AcceptsInvalid, format!("expected a rejection by stage {due}")),
            None => (Grade::AcceptsInvalid, "expected a rejection".to_owned()),
        }
    }

    /// Grades the rejection of a case that must be rejected.
    fn rejection(&self, case: &Case, outcome: &Outcome, control: Option<&Outcome>) -> (Grade, String) {
        match control {
            Some(Outcome::Accept { .. }) => {}
            Some(Outcome::Unsupported { message }) => {
                return (Grade::Skip, format!("the control is unsupported: {message}"));
            }
            Some(other) => {
                let id = case.control.as_deref().unwrap_or_default();
                return (Grade::Vacuous, format!("the control {id} is not accepted either: {other}"));
            }
            None => return (Grade::Vacuous, "the case has no control".to_owned()),
        }
        match (outcome.stage(), due(case)) {
            (Some(stage), Some(due)) if stage > allowed(due, self.reader) => {
                (Grade::LateReject, format!("expected a rejection by stage {due}: {}", outcome.message()))
            }
            _ => (Grade::Pass, String::new()),
        }
    }
}

/// Returns the latest stage at which a reader must reject: the case's, or for a should-rule the rule's.
fn due(case: &Case) -> Option<Stage> {
    let of_rule = || case.rule.as_deref().and_then(rules::get).map(|rule| rule.stage);
    case.stage.or_else(|| (case.strength == Strength::Should).then(of_rule).flatten())
}

/// Returns the latest permitted stage for a rejection due at `due`.
///
/// The result is the first of the reader's stages from `due` on: a reader that does not separate the header from the
/// structure may reject a header at the structure stage.
fn allowed(due: Stage, reader: &Hello) -> Stage {
    stages_of(reader).into_iter().filter(|stage| *stage >= due).min().unwrap_or(Stage::Data)
}

#[cfg(test)]
mod tests;
