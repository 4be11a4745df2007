//! **What an outcome is worth**: derived from the case, never from a reader's name.

use std::fmt;

use serde::Serialize;
use serde_json::Value;
use torchproof::Stage;
use torchproof::corpus::{Case, CaseFile, Role, Status, Strength, Verdict};

use crate::compare::first_difference;
use crate::outcome::Outcome;
use crate::protocol::{CAPABILITY_BITS_32, FORMATS, Hello};

/// What an outcome is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
    /// What speaks for the reader broke the protocol: nothing is known.
    AdapterError,
    /// Does not apply to this reader.
    Skip,
    /// Counted and graded by nobody.
    Info,
    /// Fails as the list of [known failures](crate::known) says.
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

/// A grade and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What the outcome is worth.
    pub grade: Grade,
    /// What the outcome alone does not tell of why; empty for a pass. May hold hostile bytes.
    pub reason: String,
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

/// What a case demands of a reader: its verdict, but for what breaks its rule on hosts of 32 bits alone, which a reader for these
/// has to reject.
#[must_use]
pub fn demanded(case: &Case, reader: &Hello) -> Verdict {
    if case.target_bits == Some(32) && reader.has(CAPABILITY_BITS_32) { Verdict::Reject } else { case.verdict }
}

/// Grades what `reader` did with `case`.
///
/// `control` is what the same reader did with the case's control, `expect` the canonical JSON of an accepted case.
#[must_use]
pub fn grade(
    case: &Case,
    outcome: &Outcome,
    control: Option<&Outcome>,
    reader: &Hello,
    expect: Option<&Value>,
) -> Judgement {
    let judged = |grade, reason| Judgement { grade, reason };
    match outcome {
        Outcome::Crash { .. } => return judged(Grade::Crash, outcome.message()),
        Outcome::Hang { .. } => return judged(Grade::Hang, outcome.message()),
        Outcome::OutOfMemory { .. } => return judged(Grade::Resource, outcome.message()),
        Outcome::AdapterError { message } => return judged(Grade::AdapterError, message.clone()),
        Outcome::Unsupported { message } => return judged(Grade::Skip, message.clone()),
        Outcome::Accept { .. } | Outcome::Reject { .. } => {}
    }
    let verdict = demanded(case, reader);
    if case.status != Status::Active || case.strength != Strength::Must || verdict == Verdict::Either {
        return judged(Grade::Info, outcome.message());
    }
    match (verdict, outcome) {
        (Verdict::Accept, Outcome::Accept { value: Some(have), .. }) => {
            match expect.and_then(|want| first_difference(want, have)) {
                Some(difference) => judged(Grade::WrongValue, difference.to_string()),
                None => judged(Grade::Pass, String::new()),
            }
        }
        (Verdict::Accept, Outcome::Accept { .. }) => judged(Grade::Pass, String::new()),
        (Verdict::Accept, _) => judged(Grade::RejectsValid, outcome.message()),
        (_, Outcome::Accept { stage, .. }) => match case.stage {
            Some(due) if !reader.stages.is_empty() && reader.deepest() < due => {
                judged(Grade::Skip, format!("reads no further than {stage}, the defect is due by {due}"))
            }
            // Data is looked up without preparing a method: who gets there has not passed through that stage.
            Some(due @ Stage::Method) if !reader.stages.is_empty() && !reader.stages.contains(&due) => {
                judged(Grade::Skip, format!("prepares no method, the defect is due by {due}"))
            }
            Some(due) => judged(Grade::AcceptsInvalid, format!("must be rejected by {due}")),
            None => judged(Grade::AcceptsInvalid, "must be rejected".to_owned()),
        },
        (_, outcome) => rejection(case, outcome, control, reader),
    }
}

/// Grades the rejection of a case that must be rejected.
fn rejection(case: &Case, outcome: &Outcome, control: Option<&Outcome>, reader: &Hello) -> Judgement {
    let judged = |grade, reason| Judgement { grade, reason };
    match control {
        Some(Outcome::Accept { .. }) => {}
        Some(Outcome::Unsupported { message }) => {
            return judged(Grade::Skip, format!("its control is unsupported: {message}"));
        }
        Some(other) => {
            let id = case.control.as_deref().unwrap_or_default();
            return judged(Grade::Vacuous, format!("its control {id} is not accepted either: {}", located(other)));
        }
        None => return judged(Grade::Vacuous, "it has no control".to_owned()),
    }
    match (outcome.stage(), case.stage) {
        (Some(stage), Some(due)) if stage > allowed(due, reader) => {
            judged(Grade::LateReject, format!("due by {due}: {}", outcome.message()))
        }
        _ => judged(Grade::Pass, String::new()),
    }
}

/// The latest stage at which a reader may reject what is due at `due`.
///
/// That is the first of its own stages from there on: who cannot tell the header from the structure is not late in
/// rejecting a header at the structure.
fn allowed(due: Stage, reader: &Hello) -> Stage {
    reader.stages.iter().copied().filter(|stage| *stage >= due).min().unwrap_or(Stage::Data)
}

/// The outcome with its stage and its words, for one that has no record of its own to be read in.
fn located(outcome: &Outcome) -> String {
    let stage = outcome.stage().map(|stage| format!(" at {stage}")).unwrap_or_default();
    let message = outcome.message();
    let colon = if message.is_empty() { "" } else { ": " };
    format!("{}{stage}{colon}{message}", outcome.name())
}

#[cfg(test)]
mod tests;
