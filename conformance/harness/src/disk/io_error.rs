//! **I/O errors in words**: the messages for every file error that the command prints.
//!
//! Each message begins with the path, and all commands use the same words for the same fault.

use std::io;
use std::path::{Path, PathBuf};

use crate::text::escape::plain_name;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    #[error("{}", cannot_read(.0, .1))]
    Read(PathBuf, io::Error),
    #[error("{}", cannot_write(.0, .1))]
    Write(PathBuf, io::Error),
    /// The folder cannot be created or listed.
    #[error("{}", cannot_use_folder(.0, .1))]
    Folder(PathBuf, io::Error),
}

impl PathError {
    pub fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Read(path, error)
    }

    pub fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Write(path, error)
    }

    pub fn folder(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Folder(path, error)
    }
}

/// Returns the message for a file that cannot be read: `PATH: no such file; check the path`.
pub fn cannot_read(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", name(path), read_fault(error))
}

/// Returns the message for a file that cannot be written: `PATH: already exists; pass --force to replace it`. If the
/// parent is at fault, the message begins with the parent's path.
pub fn cannot_write(path: &Path, error: &io::Error) -> String {
    match (error.kind(), path.parent()) {
        (io::ErrorKind::NotFound, Some(folder)) if folder != Path::new("") && !folder.is_dir() => {
            format!("{}: no such folder; check the path or create the folder", name(folder))
        }
        (io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory, Some(folder)) if folder.is_file() => {
            cannot_use_folder(folder, error)
        }
        _ => format!("{}: {}", name(path), write_fault(error)),
    }
}

/// Returns the message for a folder that cannot be created or listed: `PATH: is a file; expected a folder`.
pub fn cannot_use_folder(path: &Path, error: &io::Error) -> String {
    let fault = match error.kind() {
        io::ErrorKind::NotFound => "no such folder; check the path or create the folder".to_owned(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => "is a file; expected a folder".to_owned(),
        _ => write_fault(error),
    };
    format!("{}: {fault}", name(path))
}

/// Returns the message for a failed read, without the path.
pub fn read_fault(error: &io::Error) -> String {
    fault(error, "cannot read")
}

fn write_fault(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists => "already exists; pass --force to replace it".to_owned(),
        // The path is in a folder such as /proc, which exists but accepts no new files.
        io::ErrorKind::NotFound => "the folder accepts no new file; choose another folder".to_owned(),
        _ => fault(error, "cannot write"),
    }
}

fn fault(error: &io::Error, action: &str) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::IsADirectory => in_words(error),
        // The message of an error created by this program is already complete.
        _ if is_own(error) => error.to_string(),
        _ => format!("{action}: {}", in_words(error)),
    }
}

fn is_own(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Other && error.get_ref().is_some()
}

/// Returns the message for an I/O error, without the operating system's error number. Errors without a text here get
/// the system's own message.
///
/// ```
/// use std::io;
/// use torchproof_harness::disk::io_error::in_words;
/// assert_eq!(in_words(&io::ErrorKind::StorageFull.into()), "the disk is full");
/// assert_eq!(in_words(&io::Error::other("is busy")), "is busy");
/// ```
pub fn in_words(error: &io::Error) -> String {
    let words = match error.kind() {
        io::ErrorKind::NotFound => "no such file; check the path",
        io::ErrorKind::PermissionDenied => "permission denied; check the permissions",
        io::ErrorKind::IsADirectory => "is a folder; expected a file",
        io::ErrorKind::NotADirectory => "a parent in this path is a file",
        io::ErrorKind::AlreadyExists => "already exists",
        io::ErrorKind::InvalidFilename => "the file system rejects this name",
        io::ErrorKind::StorageFull => "the disk is full",
        io::ErrorKind::QuotaExceeded => "the disk quota is used up",
        io::ErrorKind::FileTooLarge => "the file exceeds the size limit for files",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        io::ErrorKind::UnexpectedEof => "the file ended before the expected number of bytes",
        io::ErrorKind::OutOfMemory => "not enough memory",
        _ => return error.to_string(),
    };
    words.to_owned()
}

pub fn name(path: &Path) -> String {
    plain_name(&path.to_string_lossy())
}
