//! **A scratch folder** for files that readers get while this process runs.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Mode, OFlags};

/// A folder that is removed with its content when this is dropped. If the process is killed first, the next that makes one of the
/// same stem beside it removes it.
#[derive(Debug)]
pub(crate) struct ScratchDir {
    path: PathBuf,
    /// Open, and with that locked: the system gives the lock back however the process ends.
    _lock: File,
}

impl ScratchDir {
    /// Makes a folder `STEM-SYSTEM-PID-N` below `parent`, and `parent` too, and removes those that nobody has any more.
    ///
    /// Of the folders that another running system made, on a file system that is shared, none is removed: its locks may not be
    /// seen here. Where a system has no name for itself, its folders are `STEM-PID-N`.
    ///
    /// # Errors
    /// The system does not let it be made.
    pub(crate) fn new(parent: &Path, stem: &OsStr) -> io::Result<Self> {
        static FOLDERS: AtomicUsize = AtomicUsize::new(0);
        let here = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let parent = std::path::absolute(here)?;
        fs::create_dir_all(&parent)?;
        let stem = of_this_system(stem);
        remove_left(&parent, &stem);
        loop {
            let mut name = stem.clone();
            name.push(format!("-{}-{}", process::id(), FOLDERS.fetch_add(1, Ordering::Relaxed)));
            let path = parent.join(name);
            match fs::create_dir(&path) {
                // Of a process that had the same number and was killed, on a system that locks no folders.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            // Before it is locked, another process may take it for one that was left.
            match lock(&path) {
                Ok(Lock::Held(file) | Lock::Impossible(file)) => return Ok(Self { path, _lock: file }),
                Ok(Lock::Others) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is; absolute.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // What a reader has made of it may be beyond removing; nobody is the worse for it.
        let _ = fs::remove_dir_all(&self.path);
    }
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

/// `STEM-SYSTEM`, or the stem where the system does not say what start of it this is.
fn of_this_system(stem: &OsStr) -> OsString {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut stem = stem.to_owned();
    if let Some(digits) = boot.get(..8).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        stem.push("-");
        stem.push(digits);
    }
    stem
}

/// Removes the folders of this stem whose processes are gone, as far as that can be done: nobody else needs them gone.
fn remove_left(parent: &Path, stem: &OsStr) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        // The lock is held until the folder is gone: else its maker might take it in between.
        if is_folder
            && is_named(&entry.file_name(), stem)
            && let Ok(Lock::Held(_held)) = lock(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether it is `STEM-PID-N`.
fn is_named(name: &OsString, stem: &OsStr) -> bool {
    let numbers =
        name.as_encoded_bytes().strip_prefix(stem.as_encoded_bytes()).and_then(|rest| rest.strip_prefix(b"-"));
    let mut numbers = numbers.into_iter().flat_map(|rest| rest.split(|byte| *byte == b'-'));
    let mut is_number = || numbers.next().is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
    is_number() && is_number() && numbers.next().is_none()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_was_left_is_removed_and_what_is_in_use_or_of_another_name_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let below = |name: &str| parent.path().join(name);
        let stem = OsStr::new("r.jsonl.files");
        let own = of_this_system(stem).into_string().unwrap();
        let mut others = ["r.jsonl", "r.files-1-2", "r.jsonl.files-other-1-2"].map(below).to_vec();
        others.extend(["", "-", "-1", "-1-x", "-1-2-3"].map(|end| below(&format!("{own}{end}"))));
        // Of a system that gives no name.
        others.extend((own != "r.jsonl.files").then(|| below("r.jsonl.files-1-2")));
        let left = ["-1-2", "-4194305-0"].map(|end| below(&format!("{own}{end}")));
        for path in others.iter().chain(&left) {
            fs::create_dir_all(path.join("0")).unwrap();
        }
        let [file, link] = ["-1-3", "-1-4"].map(|end| below(&format!("{own}{end}")));
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
