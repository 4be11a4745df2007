//! A file that is changed by one at a time.

use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Keeps what others do to a file meanwhile from being lost when the file is replaced.
///
/// Another guard on the file fails for as long as this one is there. Whoever does not ask for one is found out: see
/// [`Guard::expect_unchanged`].
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use torchproof_cli::edit::Guard;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model.pte");
/// std::fs::write(&path, "before")?;
/// let guard = Guard::of(&path)?;
/// assert!(Guard::of(&path).is_err());
/// guard.expect_unchanged()?;
/// std::fs::write(&path, "somebody else's")?;
/// assert!(guard.expect_unchanged().is_err());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Guard {
    path: PathBuf,
    stamp: Stamp,
    /// Open, and with that locked.
    _file: File,
}

impl Guard {
    /// Guards the file that is there, before it is read.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or somebody else is changing it.
    pub fn of(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("is being changed by somebody else; try again"));
            }
            // Where files cannot be locked, the stamp has to do.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let guard = Self { path: path.to_owned(), stamp: Stamp::of(&file.metadata()?), _file: file };
        // Whoever had the lock may have put another file in this one's place.
        guard.expect_unchanged()?;
        Ok(guard)
    }

    /// Nothing, if the file is the one that it was and nobody has written to it.
    ///
    /// # Errors
    ///
    /// When it is not, or is not there.
    pub fn expect_unchanged(&self) -> io::Result<()> {
        if Stamp::of(&fs::metadata(&self.path)?) == self.stamp {
            return Ok(());
        }
        Err(io::Error::other("was changed by somebody else meanwhile, and is left as that; try again"))
    }
}

/// What tells a file from another, and from what it was.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    len: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        let modified = (found.mtime(), found.mtime_nsec());
        Self { device: found.dev(), inode: found.ino(), len: found.len(), modified }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As an editor does that replaces the file.
    #[test]
    fn a_file_that_was_replaced_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["model", "other"].map(|name| folder.path().join(name));
        fs::write(&path, "bytes").unwrap();
        let guard = Guard::of(&path).unwrap();
        fs::write(&other, "bytes").unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(guard.expect_unchanged().unwrap_err().to_string().contains("somebody else"));
        // The one in its place is free.
        Guard::of(&path).unwrap().expect_unchanged().unwrap();
    }

    #[test]
    fn a_guard_that_is_gone_keeps_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, "bytes").unwrap();
        drop(Guard::of(&path).unwrap());
        assert!(Guard::of(&path).is_ok());
        assert_eq!(Guard::of(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
