//! **Descriptions of grades.**

use serde::Serialize;
use torchproof_harness::run::grade::Grade;

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Tone {
    Good,
    Bad,
    Quiet,
}

impl Tone {
    pub(super) fn of(grade: Grade) -> Self {
        match grade {
            Grade::Pass => Tone::Good,
            grade if grade.is_unexpected() => Tone::Bad,
            _ => Tone::Quiet,
        }
    }
}

pub(super) const fn meaning(grade: Grade) -> &'static str {
    match grade {
        Grade::Pass => "gives the outcome that the case requires",
        Grade::AcceptsInvalid => "accepts a file that must be rejected",
        Grade::RejectsValid => "rejects a file that must be accepted",
        Grade::WrongValue => "accepts a file but reads a wrong value from it",
        Grade::LateReject => "rejects a file later than is safe",
        Grade::Crash => "crashes, which no case permits",
        Grade::Hang => "exceeds the time limit, which no case permits",
        Grade::Resource => "runs out of memory, which no case permits",
        Grade::ControlFailed => "does not accept the control either, so the rejection of the file proves nothing",
        Grade::AdapterError => {
            "the adapter violated the protocol or did not get the files, so the reader was not tested"
        }
        Grade::Skip => "the case does not apply to this reader",
        Grade::Ungraded => "readers may differ, so the result is counted but not graded",
        Grade::Known => "fails as the list of known failures says",
        Grade::Fixed => "passes, but is listed as a known failure",
    }
}
