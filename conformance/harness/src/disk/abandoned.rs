//! **Temporary files of killed processes**: their names, their locks and their removal.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use super::system::{is_same_file, open_unfollowed};

/// The number of random letters and digits in a temporary name.
pub(super) const RANDOM_LEN: usize = 10;

pub(super) enum Lock {
    /// The operating system releases the lock when this process ends.
    Acquired,
    /// Another process has the lock, or the path now leads to another file.
    Unavailable,
    /// The file system does not support this lock.
    Unsupported,
}

/// Returns the prefix `STEM-BOOT-` of temporary names; `BOOT` identifies the current boot of this machine.
pub(super) fn prefix_of_this_boot(stem: &OsStr) -> OsString {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut prefix = stem.to_owned();
    prefix.push(format!("-{}-", boot.get(..8).unwrap_or_default()));
    prefix
}

pub(super) fn lock(open: &File, path: &Path) -> io::Result<Lock> {
    match open.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(Lock::Unavailable),
        Err(TryLockError::Error(_)) => return Ok(Lock::Unsupported),
        Ok(()) => {}
    }
    let is_there = is_same_file(&open.metadata()?, &fs::symlink_metadata(path)?);
    Ok(if is_there { Lock::Acquired } else { Lock::Unavailable })
}

/// Removes the files with this prefix that no process has locked, and ignores errors.
///
/// Files with a different `BOOT` stay: they may belong to another machine that shares the file system, and this process
/// may not see that machine's locks.
pub(super) fn remove_abandoned(parent: &Path, prefix: &OsStr) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let random = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes()).unwrap_or_default();
        let is_named = random.len() == RANDOM_LEN && random.iter().all(u8::is_ascii_alphanumeric);
        // Keep the lock during the removal, because another process may have just created this entry and be about to lock it.
        if is_named
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(open) = open_unfollowed(&path)
            && let Ok(Lock::Acquired) = lock(&open, &path)
        {
            let _ = fs::remove_file(&path);
        }
    }
}
