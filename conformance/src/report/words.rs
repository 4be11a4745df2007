//! What the system refuses and what grades mean, in words.

use std::io;

use crate::grade::Grade;

/// What people call an error of the system, without its number; what has no such name says itself what it is.
///
/// ```
/// use std::io;
/// use torchproof_cli::report::in_words;
/// assert_eq!(in_words(&io::ErrorKind::StorageFull.into()), "the disk is full");
/// assert_eq!(in_words(&io::Error::other("is busy")), "is busy");
/// ```
#[must_use]
pub fn in_words(error: &io::Error) -> String {
    let words = match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder",
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::IsADirectory => "is a directory",
        io::ErrorKind::NotADirectory => "leads through a file that is no directory",
        io::ErrorKind::AlreadyExists => "exists already",
        io::ErrorKind::InvalidFilename => "has a name that is too long, or not one that the file system takes",
        io::ErrorKind::StorageFull => "the disk is full",
        io::ErrorKind::QuotaExceeded => "the disk's quota is used up",
        io::ErrorKind::FileTooLarge => "larger than files may be here",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        io::ErrorKind::OutOfMemory => "there is not enough memory",
        _ => return error.to_string(),
    };
    words.to_owned()
}

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
