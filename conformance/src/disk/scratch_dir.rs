//! **A scratch folder** for files that readers get while this process runs.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use tempfile::TempDir;

/// Letters and digits of a name that are drawn.
const DRAWN: usize = 10;

/// A folder that is removed with its content when this is dropped. If the process is killed first, the next that makes one of the
/// same stem beside it removes it.
#[derive(Debug)]
pub(crate) struct ScratchDir {
    folder: TempDir,
    /// Open, and with that locked: the system gives the lock back however the process ends.
    _lock: File,
}

impl ScratchDir {
    /// Makes a folder `STEM-SYSTEM-DRAWN` below `parent`, and `parent` too, and removes those that no process has locked any more.
    ///
    /// `SYSTEM` is drawn at each start of a system: on a shared file system, locks of another one may not be seen here, so none of
    /// its folders is removed.
    ///
    /// # Errors
    /// The system does not let it be made.
    pub(crate) fn new(parent: &Path, stem: &OsStr) -> io::Result<Self> {
        let here = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let parent = std::path::absolute(here)?;
        fs::create_dir_all(&parent)?;
        let prefix = of_this_system(stem);
        remove_left(&parent, &prefix);
        loop {
            let mut builder = tempfile::Builder::new();
            // A reader may run as another user.
            builder.prefix(&prefix).rand_bytes(DRAWN).permissions(Permissions::from_mode(0o777));
            let folder = builder.tempdir_in(&parent)?;
            // Before it is locked, another process may take it for one that was left.
            match lock(folder.path()) {
                Ok(Lock::Held(file) | Lock::Impossible(file)) => return Ok(Self { folder, _lock: file }),
                Ok(Lock::Others) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is; absolute.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// `STEM-SYSTEM-`.
fn of_this_system(stem: &OsStr) -> OsString {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut prefix = stem.to_owned();
    prefix.push(format!("-{}-", boot.get(..8).unwrap_or_default()));
    prefix
}

/// Whose a folder is.
enum Lock {
    /// Ours.
    Held(File),
    /// Somebody else's, or it is another folder already.
    Others,
    /// Nobody can say: folders cannot be locked here.
    Impossible(File),
}

fn lock(path: &Path) -> io::Result<Lock> {
    // In a folder that all may write to, another user can put something else there, a pipe for which to wait or a link.
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    match folder.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(Lock::Others),
        Err(TryLockError::Error(_)) => return Ok(Lock::Impossible(folder)),
        Ok(()) => {}
    }
    let [opened, there] = [folder.metadata()?, fs::symlink_metadata(path)?].map(|found| (found.dev(), found.ino()));
    Ok(if opened == there { Lock::Held(folder) } else { Lock::Others })
}

/// Removes the folders of this prefix whose processes are gone, as far as that can be done: nobody else needs them gone.
fn remove_left(parent: &Path, prefix: &OsStr) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        let drawn = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes()).unwrap_or_default();
        let is_named = drawn.len() == DRAWN && drawn.iter().all(u8::is_ascii_alphanumeric);
        // The lock is held until the folder is gone: else its maker might take it in between.
        if is_folder
            && is_named
            && let Ok(Lock::Held(_held)) = lock(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_removed_and_what_is_in_use_or_of_another_name_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let below = |name: &str| parent.path().join(name);
        let stem = OsStr::new("r.jsonl.files");
        let ours = |drawn: &str| {
            let mut name = of_this_system(stem);
            name.push(drawn);
            parent.path().join(name)
        };
        let others = ["r.jsonl", "r.files-0123456789", "r.jsonl.files", "r.jsonl.files-other-0123456789"].map(below);
        let others: Vec<_> = others.into_iter().chain(["", "012345678"].map(ours)).collect();
        let left = ["0123456789", "abcdefXYZ0"].map(ours);
        for path in others.iter().chain(&left) {
            fs::create_dir_all(path.join("0")).unwrap();
        }
        let [file, link] = ["afileafile", "alinkalink"].map(ours);
        fs::write(&file, "a file").unwrap();
        std::os::unix::fs::symlink(below("r.jsonl"), &link).unwrap();

        let one = ScratchDir::new(parent.path(), stem).unwrap();
        let two = ScratchDir::new(parent.path(), stem).unwrap();
        assert!(one.path().is_dir() && two.path().is_dir() && one.path() != two.path());
        assert!(left.iter().all(|path| !path.exists()));
        assert!(others.iter().all(|path| path.join("0").is_dir()));
        assert!(file.is_file() && link.is_symlink());

        let path = one.path().to_owned();
        fs::create_dir_all(path.join("0")).unwrap();
        drop(one);
        assert!(!path.exists() && two.path().is_dir());
    }

    /// Whoever makes a folder has it, whenever others tidy up beside it.
    #[test]
    fn none_is_removed_by_those_who_make_others() {
        let parent = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let folder = ScratchDir::new(parent.path(), OsStr::new("many")).unwrap();
                        std::thread::yield_now();
                        assert!(folder.path().is_dir());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    /// A folder in which things can be made need not be one that can be listed.
    #[test]
    fn who_may_not_list_a_folder_may_make_one_in_it() {
        let parent = tempfile::tempdir().unwrap();
        let set = |mode| fs::set_permissions(parent.path(), fs::Permissions::from_mode(mode)).unwrap();
        set(0o300);
        let made = ScratchDir::new(parent.path(), OsStr::new("unlisted")).map(|folder| folder.path().is_dir());
        set(0o700);
        assert!(made.unwrap());
    }
}
