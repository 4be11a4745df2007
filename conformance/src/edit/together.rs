//! Files that are put in place one after the other, of which all are there in the end or none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::new_file::{named, sync_folder};

/// Keeps what files replace until all of them are in place, and brings it back when they are not.
///
/// What is replaced has a second name beside the new file for that long, which begins with `.torchproof-`, and which a process
/// that is killed leaves behind.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use torchproof_cli::edit::Together;
/// let folder = tempfile::tempdir()?;
/// let [one, other, new] = ["one", "other", "new"].map(|name| folder.path().join(name));
/// std::fs::write(&one, "old")?;
/// std::fs::write(&new, "new")?;
/// let mut placed = Together::default();
/// placed.put(&one, || std::fs::rename(&new, &one))?;
/// assert!(placed.put(&other, || std::fs::rename(&new, &other)).is_err());
/// drop(placed);
/// assert_eq!(std::fs::read(&one)?, b"old");
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct Together {
    placed: Vec<Before>,
}

impl Together {
    /// Puts a file in its place by `put`, which does it whole or not at all.
    ///
    /// # Errors
    ///
    /// What `put` fails with, or that what is there cannot be kept.
    pub fn put(&mut self, target: &Path, put: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let before = Before::of(target)?;
        put()?;
        self.placed.push(before);
        Ok(())
    }

    /// Lets all of them stay; what they replaced is gone.
    pub fn keep(mut self) {
        self.placed.clear();
    }

    /// Takes all of them back, as dropping does.
    ///
    /// # Errors
    ///
    /// The first place where what was there cannot be put again, and why; it is kept under another name then, which the error
    /// has.
    pub fn take_back(mut self) -> Result<(), (PathBuf, io::Error)> {
        self.restore()
    }

    /// The last one first; those that can be restored are, whatever happens to the others.
    fn restore(&mut self) -> Result<(), (PathBuf, io::Error)> {
        let mut all = Ok(());
        while let Some(before) = self.placed.pop() {
            let target = before.target.clone();
            all = before.restore().map_err(|error| (target, error)).and(all);
        }
        all
    }
}

impl Drop for Together {
    fn drop(&mut self) {
        // There is an error to tell already.
        let _ = self.restore();
    }
}

/// What was in the place of a file.
#[derive(Debug)]
struct Before {
    target: PathBuf,
    /// What was there, under another name, which goes with this.
    old: Option<NamedTempFile<()>>,
}

impl Before {
    fn of(target: &Path) -> io::Result<Self> {
        let keep = |name: &Path| match fs::hard_link(target, name) {
            // Some file systems have one name for a file and no more.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => fs::copy(target, name).map(|_| ()),
            linked => linked,
        };
        let old = match fs::symlink_metadata(target) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => Some(named(target, keep)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Self { target: target.to_owned(), old })
    }

    /// Puts it there again, in place of what is there.
    fn restore(self) -> io::Result<()> {
        match self.old {
            Some(old) => drop(old.persist(&self.target).map_err(|failed| match failed.file.keep() {
                Ok(((), path)) => {
                    let name = path.display();
                    io::Error::other(format!(
                        "what was there cannot be put back, and is kept in {name}: {}",
                        failed.error
                    ))
                }
                Err(lost) => lost.error,
            })?),
            None => fs::remove_file(&self.target)?,
        }
        sync_folder(&self.target);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use std::os::unix::fs::symlink;

    use super::*;

    /// Links are what they were too, and one that leads nowhere is there.
    #[test]
    fn what_was_there_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let put = |placed: &mut Together, name: &str| {
            fs::write(path("new"), b"new").unwrap();
            placed.put(&path(name), || fs::rename(path("new"), path(name)))
        };
        let mut placed = Together::default();
        fs::write(path("file"), b"old").unwrap();
        symlink("file", path("link")).unwrap();
        symlink("nothing", path("astray")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        for name in ["file", "link", "astray", "none"] {
            put(&mut placed, name).unwrap();
            assert_eq!(fs::read(path(name)).unwrap(), b"new");
        }
        assert_eq!(put(&mut placed, "folder").unwrap_err().kind(), io::ErrorKind::IsADirectory);
        fs::remove_file(path("new")).unwrap();
        placed.take_back().unwrap();
        assert_eq!(fs::read(path("file")).unwrap(), b"old");
        assert_eq!(fs::read_link(path("link")).unwrap(), Path::new("file"));
        assert_eq!(fs::read_link(path("astray")).unwrap(), Path::new("nothing"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn what_cannot_be_put_back_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let [path, new] = ["file", "new"].map(|name| folder.path().join(name));
        fs::write(&path, b"old").unwrap();
        fs::write(&new, b"new").unwrap();
        let mut placed = Together::default();
        placed.put(&path, || fs::rename(&new, &path)).unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let (at, error) = placed.take_back().unwrap_err();
        assert_eq!(at, path);
        let kept = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_file());
        let kept = kept.unwrap();
        assert!(error.to_string().contains(kept.to_str().unwrap()), "{error}");
        assert_eq!(fs::read(kept).unwrap(), b"old");
    }
}
