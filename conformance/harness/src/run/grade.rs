//! **Grades**: ratings of outcomes, by the same criteria for every reader.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use torchproof::Role;
use torchproof::Stage;
use torchproof::corpus::Verdict;
use torchproof::named;
use torchproof::rules::{self, Strength};

use crate::corpus::{Case, CaseFile, Status};
use crate::reader::outcome::{Cause, Outcome};
use crate::run::compare::first_difference;
use torchproof_protocol::{CAPABILITY_BITS_32, FORMATS, Hello};

named! { all
    /// The rating of an outcome.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Grade {
        /// The outcome is what the case requires.
        Pass = "pass",
        /// The reader accepts a file that it must reject.
        AcceptsInvalid = "accepts-invalid",
        /// The reader rejects a file that it must accept.
        RejectsValid = "rejects-valid",
        /// The reader accepts a valid file but reads a wrong value from it.
        WrongValue = "wrong-value",
        /// The reader rejects the file as required, but only at an unsafe, late stage.
        LateReject = "late-reject",
        /// The reader crashes. No case permits a crash.
        Crash = "crash",
        /// The reader exceeds its time limit. No case permits a timeout.
        Hang = "hang",
        /// The reader runs out of memory. No case permits exhausted memory.
        Resource = "resource",
        /// The reader rejects the file, but also its valid control, so the rejection proves nothing.
        ControlFailed = "control-failed",
        /// The adapter violated the protocol or could not read the files, so the reader is not at fault.
        AdapterError = "adapter-error",
        /// The case does not apply to this reader.
        Skip = "skip",
        /// The outcome is reported, but not rated.
        Ungraded = "ungraded",
        /// The reader fails exactly as an entry of the list of known failures expects.
        Known = "known",
        /// The reader passes a case on the list of known failures.
        Fixed = "fixed",
    }
}

impl Grade {
    /// Returns the grade's position in lists of failures, the most severe first.
    pub const fn severity(self) -> u8 {
        match self {
            Grade::Crash => 0,
            Grade::Resource => 1,
            Grade::Hang => 2,
            Grade::AcceptsInvalid => 3,
            Grade::WrongValue => 4,
            Grade::RejectsValid => 5,
            Grade::LateReject => 6,
            Grade::ControlFailed => 7,
            Grade::AdapterError => 8,
            Grade::Fixed => 9,
            Grade::Pass | Grade::Skip | Grade::Ungraded | Grade::Known => 10,
        }
    }

    pub const fn is_unexpected(self) -> bool {
        !matches!(self, Grade::Pass | Grade::Skip | Grade::Ungraded | Grade::Known)
    }
}

/// Returns the reason why a case does not apply to a reader, or `None` if it does. Cases with legacy data files apply
/// to every reader of data files, because both layouts have the same identifier.
pub fn inapplicable(case: &Case, reader: &Hello) -> Option<String> {
    let [_, ptd, legacy] = FORMATS;
    let opens = |format: &str| reads(reader, format) || (format == legacy && reads(reader, ptd));
    if let Some(format) = formats(case).find(|format| !opens(format)) {
        return Some(format!("does not read {format} files"));
    }
    if case.target_bits == Some(64) && reader.has(CAPABILITY_BITS_32) {
        return Some("the case needs a 64-bit host".to_owned());
    }
    let missing = case.needs.iter().find(|need| !reader.has(need));
    missing.map(|need| format!("lacks capability {need}"))
}

fn reads(reader: &Hello, format: &str) -> bool {
    reader.formats.iter().any(|have| have == format)
}

/// Returns the first format of the case's files that the reader's `hello` reply does not list.
fn unlisted_format(case: &Case, reader: &Hello) -> Option<&'static str> {
    formats(case).find(|format| !reads(reader, format))
}

/// Returns the formats of a case's files; a data file's folder tells the legacy layout. Bundled programs have no
/// format: their cases need a capability instead.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradingOptions {
    /// `true` if readers must reject files that break a should-rule. Such a case is graded only if its control breaks
    /// no should-rule: without an accepted control, a rejection proves nothing.
    pub deny_should: bool,
    pub panics: Panics,
}

/// How to grade a panic. Reports always mention it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panics {
    /// Grade it as a crash.
    #[default]
    Fail,
    /// Grade it as a rejection at the last stage that the reader entered.
    Reject,
    /// Report it as [`Grade::Ungraded`].
    Report,
}

#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    pub reader: &'a Hello,
    pub grading: GradingOptions,
}

impl Judge<'_> {
    /// Returns the verdict that the case requires of this reader, or `Either` if the case is not graded.
    ///
    /// This is the case's own verdict, with three exceptions. A case with legacy data files is not graded if the reader
    /// lists only the current layout. A reader for 32-bit hosts must reject a file that breaks a must-rule only on such
    /// hosts. If should-rules are denied, a reader must also reject a file that breaks a should-rule.
    pub fn required_verdict(&self, case: &Case, control: Option<&Case>) -> Verdict {
        let target32 = self.reader.has(CAPABILITY_BITS_32);
        let controlled = control.is_some_and(|control| control.verdict == Verdict::Accept);
        match case.strength {
            _ if case.status != Status::Active => Verdict::Either,
            _ if unlisted_format(case, self.reader).is_some() => Verdict::Either,
            Strength::Must if case.target_bits == Some(32) && target32 => Verdict::Reject,
            Strength::Must => case.verdict,
            Strength::Should
                if self.grading.deny_should && controlled && (case.target_bits != Some(32) || target32) =>
            {
                Verdict::Reject
            }
            Strength::Should | Strength::May => Verdict::Either,
        }
    }

    /// Returns the outcome to grade. For [`Panics::Reject`], a panic becomes a rejection.
    pub fn graded_outcome<'o>(&self, outcome: &'o Outcome) -> Cow<'o, Outcome> {
        match (outcome.panic(), self.grading.panics) {
            (Some(termination), Panics::Reject) => {
                Cow::Owned(Outcome::Reject { stage: termination.stage, message: outcome.message() })
            }
            _ => Cow::Borrowed(outcome),
        }
    }

    /// Grades an outcome by the [required verdict](Self::required_verdict), and returns the grade with its reason. The
    /// reason can contain untrusted text, and is empty for a pass without a panic.
    ///
    /// `control` is the outcome for the case's control. `expect` is the canonical JSON that a valid file must give.
    pub fn grade(
        &self,
        case: &Case,
        required: Verdict,
        outcome: &Outcome,
        control: Option<&Outcome>,
        expect: Option<&Value>,
    ) -> (Grade, String) {
        if outcome.panic().is_some() && self.grading.panics == Panics::Report {
            return (Grade::Ungraded, outcome.message());
        }
        let (grade, reason) = self.grade_outcome(case, required, &self.graded_outcome(outcome), control, expect);
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
                return (grade, self.message(case, outcome));
            }
            Outcome::AdapterError { message } => return (Grade::AdapterError, message.clone()),
            Outcome::Unsupported { message } => return (Grade::Skip, message.clone()),
            Outcome::Accept { .. } | Outcome::Reject { .. } => {}
        }
        match (required, outcome) {
            (Verdict::Either, _) => (Grade::Ungraded, self.message(case, outcome)),
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

    /// Returns the message of an outcome, after a note about a format of the case that the reader does not list.
    fn message(&self, case: &Case, outcome: &Outcome) -> String {
        let message = outcome.message();
        match unlisted_format(case, self.reader) {
            Some(format) if message.is_empty() => format!("`hello` does not list {format}"),
            Some(format) => format!("`hello` does not list {format}: {message}"),
            None => message,
        }
    }

    fn acceptance(&self, case: &Case, stage: Stage) -> (Grade, String) {
        let reader = self.reader;
        match due(case) {
            Some(due) if reader.deepest() < due => {
                (Grade::Skip, format!("reads only to stage {stage}; the defect must be rejected by {due}"))
            }
            // A reader can reach the `data` stage but not `method`, because it can read data without preparing methods.
            Some(due @ Stage::Method) if !reader.stages.is_empty() && !reader.stages.contains(&due) => {
                (Grade::Skip, format!("prepares no method; the defect must be rejected by {due}"))
            }
            Some(due) => (Grade::AcceptsInvalid, format!("expected a rejection by stage {due}")),
            None => (Grade::AcceptsInvalid, "expected a rejection".to_owned()),
        }
    }

    fn rejection(&self, case: &Case, outcome: &Outcome, control: Option<&Outcome>) -> (Grade, String) {
        match control {
            Some(Outcome::Accept { .. }) => {}
            Some(Outcome::Unsupported { message }) => {
                return (Grade::Skip, format!("the control is unsupported: {message}"));
            }
            Some(other) => {
                let id = case.control.as_deref().unwrap_or_default();
                return (Grade::ControlFailed, format!("the control {id} is not accepted either: {other}"));
            }
            None => return (Grade::ControlFailed, "the case has no control".to_owned()),
        }
        match (outcome.stage(), due(case)) {
            (Some(stage), Some(due)) if stage > allowed(due, self.reader) => {
                (Grade::LateReject, format!("expected a rejection by stage {due}: {}", outcome.message()))
            }
            _ => (Grade::Pass, String::new()),
        }
    }
}

/// Returns the last stage at which a reader may reject the case, if there is one: the stage of the case or, for a
/// should-rule case without a stage, the stage of the rule.
fn due(case: &Case) -> Option<Stage> {
    let of_rule = || case.rule.as_deref().and_then(rules::get).map(|rule| rule.stage);
    case.stage.or_else(|| (case.strength == Strength::Should).then(of_rule).flatten())
}

/// Returns the last stage at which `reader` may reject a case by stage `due`: its first stage from `due` on. A reader
/// without a separate header stage, for example, may reject a header at the structure stage.
fn allowed(due: Stage, reader: &Hello) -> Stage {
    reader.stages.iter().copied().filter(|stage| *stage >= due).min().unwrap_or(Stage::LAST)
}

#[cfg(test)]
mod tests;
