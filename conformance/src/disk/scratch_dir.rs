//! **A scratch folder** for the files that a run passes to readers.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::abandoned::{Lock, RANDOM_LEN, lock, prefix_of_this_boot, remove_abandoned};
use super::system::{open_unfollowed, writable_by_all};

/// A temporary folder that is removed with its content on drop.
///
/// If a process is killed, its folder stays. The next process that creates a folder with the same stem and parent
/// removes the old folder.
#[derive(Debug)]
pub(crate) struct ScratchDir {
    folder: TempDir,
    /// The open folder, which this process has locked. The operating system releases the lock when the process ends.
    _lock: File,
}

impl ScratchDir {
    /// Creates the folder `STEM-BOOT-RANDOM` in `parent`, and removes abandoned folders.
    ///
    /// The function also creates `parent` if necessary. A folder counts as abandoned if it has the same stem, the same
    /// `BOOT` and no lock.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub(crate) fn new(parent: &Path, stem: &OsStr) -> io::Result<Self> {
        let here = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let parent = std::path::absolute(here)?;
        fs::create_dir_all(&parent)?;
        let prefix = prefix_of_this_boot(stem);
        remove_abandoned(&parent, &prefix, true);
        loop {
            let mut builder = tempfile::Builder::new();
            // Let every user write, because a reader can run as another user.
            builder.prefix(&prefix).rand_bytes(RANDOM_LEN);
            let folder = writable_by_all(&mut builder).tempdir_in(&parent)?;
            // If another process removed the folder before this process locked the folder, create another folder.
            // In a world-writable parent, another user can replace the folder by a link or a pipe, so follow no links and open
            // only folders.
            let locked = open_unfollowed(folder.path(), true)
                .and_then(|open| lock(&open, folder.path()).map(|lock| (lock, open)));
            match locked {
                Ok((Lock::Acquired | Lock::Unsupported, open)) => return Ok(Self { folder, _lock: open }),
                Ok((Lock::Unavailable, _)) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the absolute path of the folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_abandoned_folders_of_the_same_stem_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let below = |name: &str| parent.path().join(name);
        let stem = OsStr::new("r.jsonl.files");
        let ours = |random: &str| {
            let mut name = prefix_of_this_boot(stem);
            name.push(random);
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

    #[test]
    fn concurrent_creation_removes_no_folder_in_use() {
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

    #[test]
    fn a_folder_is_created_below_an_unlistable_parent() {
        let parent = tempfile::tempdir().unwrap();
        let set = |mode| fs::set_permissions(parent.path(), fs::Permissions::from_mode(mode)).unwrap();
        set(0o300);
        let made = ScratchDir::new(parent.path(), OsStr::new("unlisted")).map(|folder| folder.path().is_dir());
        set(0o700);
        assert!(made.unwrap());
    }
}
