//! Atomic file writes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{NamedTempFile, TempPath};

use super::abandoned::{Lock, RANDOM_LEN, lock, prefix_of_this_boot, remove_abandoned};
use super::open::expect_regular;
use super::system::{copy_owner, link_unnamed, open_unnamed, with_mode};

pub(super) const PIECE: usize = 1 << 16;

/// What a write does if its target already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwritePolicy {
    /// Replace the file, and keep its permissions, owner and group. Its other hard links keep the old bytes.
    Replace,
    /// Keep the file, and fail.
    Keep,
}

/// A temporary file in the target's folder, which [`persist`](Self::persist) puts at the target.
///
/// Dropping it removes the temporary file. On Linux, the file has no name while it is written, so nothing is left if
/// the process is killed. It has a temporary name only if it replaces another file, and only between two system calls.
/// Other systems, and file systems without unnamed files, need a name from the start. On Unix, the next process that
/// writes to the folder removes what killed processes left.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use std::io::Write;
/// use torchproof_harness::disk::{AtomicFile, OverwritePolicy};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model.pte");
/// let mut new = AtomicFile::create(&path, OverwritePolicy::Keep)?;
/// new.file().write_all(b"abc")?;
/// assert!(!path.exists());
/// new.persist()?;
/// assert_eq!(std::fs::read(&path)?, b"abc");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    /// A path that leads to the file.
    path: PathBuf,
    /// The temporary name; `None` for a file without a name.
    name: Option<TempPath>,
    target: PathBuf,
    existing: OverwritePolicy,
}

impl AtomicFile {
    /// Creates the temporary file. Fails if the target is a folder, a symbolic link, a special file or read-only, or if
    /// its owner cannot be copied.
    pub fn create(target: &Path, existing: OverwritePolicy) -> io::Result<Self> {
        let replaced = match fs::symlink_metadata(target) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(found) = &replaced {
            expect_replaceable(target, found, existing)?;
        }
        let mode = if replaced.is_some() { 0o600 } else { 0o666 };
        let folder = folder_of(target);
        remove_leftovers(folder);
        let (file, path, name) = match open_unnamed(folder, mode) {
            Some((file, path)) => (file, path, None),
            None => create_named(folder, mode)?,
        };
        if let Some(found) = &replaced {
            copy_owner(&file, found)?;
        }
        Ok(Self { file, path, name, target: target.to_owned(), existing })
    }

    /// Writes a file without waiting for the disk, for files that can be generated again.
    pub fn write_unsynced(target: &Path, bytes: &[u8], existing: OverwritePolicy) -> io::Result<()> {
        let mut new = Self::create(target, existing)?;
        new.file().write_all(bytes)?;
        new.persist_unsynced()
    }

    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Returns a path that leads to the temporary file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until the bytes are on the disk, then puts the file at the target. For [`OverwritePolicy::Keep`], fails if
    /// another process has created a file there.
    pub fn persist(self) -> io::Result<()> {
        self.file.sync_all()?;
        let target = self.target.clone();
        self.persist_unsynced()?;
        // Ignore errors, because the file already has its final name, and some file systems cannot sync folders.
        let _ = File::open(folder_of(&target)).and_then(|folder| folder.sync_all());
        Ok(())
    }

    /// Like [`persist`](Self::persist), but does not wait for the disk.
    pub(crate) fn persist_unsynced(self) -> io::Result<()> {
        let name = match self.name {
            Some(name) => name,
            None => match link_unnamed(&self.path, &self.target) {
                // Only a file with a name can replace another file. The lock shows other processes that its writer is alive.
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && self.existing == OverwritePolicy::Replace =>
                {
                    let _ = self.file.try_lock();
                    named(folder_of(&self.target), |name| link_unnamed(&self.path, name))?.into_temp_path()
                }
                linked => return linked,
            },
        };
        match self.existing {
            OverwritePolicy::Keep => name.persist_noclobber(&self.target)?,
            OverwritePolicy::Replace => name.persist(&self.target)?,
        }
        Ok(())
    }
}

fn create_named(folder: &Path, mode: u32) -> io::Result<(File, PathBuf, Option<TempPath>)> {
    // Open the file here, because errors from `tempfile`'s own open function contain the path of the temporary file.
    let open = |path: &Path| with_mode(File::options().read(true).write(true).create_new(true), mode).open(path);
    loop {
        let (file, name) = named(folder, open)?.into_parts();
        // On Windows, the lock would prevent reads of the file.
        let locked = if cfg!(unix) { lock(&file, &name) } else { Ok(Lock::Unsupported) };
        match locked {
            Ok(Lock::Acquired | Lock::Unsupported) => return Ok((file, name.to_path_buf(), Some(name))),
            // Another process removed the file before this one could lock it, so create a new one.
            Ok(Lock::Unavailable) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

fn named<F>(folder: &Path, make: impl FnMut(&Path) -> io::Result<F>) -> io::Result<NamedTempFile<F>> {
    tempfile::Builder::new().prefix(&prefix()).rand_bytes(RANDOM_LEN).make_in(folder, make)
}

fn prefix() -> OsString {
    prefix_of_this_boot(OsStr::new(".torchproof"))
}

/// Removes what killed processes left in the folder, but only once per folder, because this process may write thousands
/// of files to it.
fn remove_leftovers(folder: &Path) {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if cfg!(unix) && DONE.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        remove_abandoned(folder, &prefix());
    }
}

/// Returns an error if a write must not replace the existing file at `target`.
fn expect_replaceable(target: &Path, found: &Metadata, existing: OverwritePolicy) -> io::Result<()> {
    const READ_ONLY: &str = "is read-only; make it writable or write to another file";
    if found.is_symlink() {
        return Err(io::Error::other("is a symbolic link; pass the path of its target"));
    }
    expect_regular(found)?;
    if existing == OverwritePolicy::Keep {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    // A rename would replace even a read-only file, so check here.
    match File::options().write(true).open(target) {
        Ok(_) if !found.permissions().readonly() => Ok(()),
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
        _ => Err(io::Error::other(READ_ONLY)),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the bytes to a new file, or makes a hole if all bytes are zero.
pub fn write_sparse<W: Write + Seek>(file: &mut W, piece: &[u8]) -> io::Result<()> {
    static ZEROS: [u8; PIECE] = [0; PIECE];
    match i64::try_from(piece.len()) {
        Ok(len) if ZEROS.starts_with(piece) => file.seek(SeekFrom::Current(len)).map(|_| ()),
        _ => file.write_all(piece),
    }
}

/// Returns whether two paths refer to the same file.
pub fn same_place(one: &Path, other: &Path) -> bool {
    let resolved = |path: &Path| match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some(fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?))
        }
        found => found.ok(),
    };
    resolved(one).is_some_and(|one| Some(one) == resolved(other))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_new_file_gets_permissions_and_owner_of_the_replaced_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        fs::write(&target, b"old").unwrap();
        fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
        // Only a privileged process can change a file's owner, so other processes skip this test.
        let changed = chown(&target, Some(1234), Some(5678)).is_ok();
        let owner = fs::metadata(&target).map(|found| (found.uid(), found.gid())).unwrap();
        let mut new = AtomicFile::create(&target, OverwritePolicy::Replace).unwrap();
        new.file().write_all(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        new.persist().unwrap();
        let found = fs::metadata(&target).unwrap();
        assert_eq!((found.mode() & 0o7777, (found.uid(), found.gid())), (0o640, owner));
        assert!(!changed || owner == (1234, 5678));
        assert_eq!((fs::read(&target).unwrap(), names(folder.path())), (b"new".to_vec(), 1));
    }

    #[test]
    fn rejected_targets_keep_their_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("folder")).unwrap();
        for name in ["locked", "file"] {
            fs::write(path(name), b"old").unwrap();
        }
        fs::set_permissions(path("locked"), Permissions::from_mode(0o444)).unwrap();
        symlink("file", path("link")).unwrap();
        symlink("nothing", path("astray")).unwrap();
        let before = names(folder.path());
        let refused = |name, existing| AtomicFile::create(&path(name), existing).unwrap_err().to_string();
        let lines = ["folder", "locked", "link", "astray", "none/file"]
            .map(|name| format!("{name}: {}", refused(name, OverwritePolicy::Replace)));
        insta::assert_snapshot!(lines.join("\n"), @r"
        folder: is a directory
        locked: is read-only; make it writable or write to another file
        link: is a symbolic link; pass the path of its target
        astray: is a symbolic link; pass the path of its target
        none/file: No such file or directory (os error 2)
        ");
        assert_eq!(
            AtomicFile::create(&path("file"), OverwritePolicy::Keep).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        assert_eq!((fs::read(path("locked")).unwrap(), names(folder.path())), (b"old".to_vec(), before));
    }

    #[test]
    fn only_named_files_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let [target, notes] = ["model", ".torchproof-notes"].map(|name| folder.path().join(name));
        fs::write(&notes, b"notes").unwrap();
        let (file, path, name) = create_named(folder.path(), 0o600).unwrap();
        let (killed, left, keep) = create_named(folder.path(), 0o600).unwrap();
        keep.unwrap().keep().unwrap();
        drop(killed);
        AtomicFile::write_unsynced(&target, b"new", OverwritePolicy::Keep).unwrap();
        assert!(notes.is_file() && path.exists() && !left.exists());
        let new = AtomicFile { file, path, name, target: target.clone(), existing: OverwritePolicy::Keep };
        assert_eq!(new.persist().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&target).unwrap(), names(folder.path())), (b"new".to_vec(), 2));
        let (file, path, name) = create_named(folder.path(), 0o600).unwrap();
        AtomicFile { file, path, name, target: target.clone(), existing: OverwritePolicy::Replace }.persist().unwrap();
        assert_eq!((fs::read(&target).unwrap(), names(folder.path())), (Vec::new(), 2));
    }

    #[test]
    fn persist_keeps_a_file_that_appeared_at_the_target() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        let new = AtomicFile::create(&target, OverwritePolicy::Keep).unwrap();
        fs::write(&target, b"old").unwrap();
        assert_eq!(new.persist().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&target).unwrap(), names(folder.path())), (b"old".to_vec(), 1));
    }
}
