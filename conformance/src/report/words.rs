//! **Grades in words.**

use crate::run::grade::Grade;

/// What a grade says of a reader, as a sentence without a full stop.
pub(super) const fn meaning(grade: Grade) -> &'static str {
    match grade {
        Grade::Pass => "does as the case demands",
        Grade::AcceptsInvalid => "accepts a file that must be rejected",
        Grade::RejectsValid => "rejects a file that must be accepted",
        Grade::WrongValue => "accepts a file and reads something else in it than it holds",
        Grade::LateReject => "rejects a file later than is safe",
        Grade::Crash => "dies, whatever the case demands",
        Grade::Hang => "does not end, whatever the case demands",
        Grade::Resource => "runs out of memory, whatever the case demands",
        Grade::Vacuous => "rejects the file, and its control too, so that nothing is shown",
        Grade::AdapterError => "its adapter broke the protocol or did not get the files, so nothing is known",
        Grade::Skip => "the case does not apply to this reader",
        Grade::Info => "readers may differ: counted and graded by nobody",
        Grade::Known => "fails as the list of known failures says",
        Grade::Fixed => "is listed as a known failure, and does not fail that way",
    }
}
