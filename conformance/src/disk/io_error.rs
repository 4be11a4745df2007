//! **Errors of the system in words**, without their numbers.

use std::io;

/// What people call an error of the system, without its number; what has no such name says itself what it is.
///
/// ```
/// use std::io;
/// use torchproof_cli::disk::io_error::in_words;
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
        io::ErrorKind::UnexpectedEof => "ends earlier than it did when it was opened",
        io::ErrorKind::OutOfMemory => "there is not enough memory",
        _ => return error.to_string(),
    };
    words.to_owned()
}
