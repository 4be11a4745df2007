//! New files of one folder, of which all are there in the end or none.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::new_file::ClosedFile;
use super::{EditError, Existing, NewFile, Together};

/// Files that a process has open beside new ones.
const OTHERS: u64 = 32;

/// Many new files for a folder, which is made with them if it is not there.
///
/// They are as [`NewFile`] is, and so without a name until [`NewFiles::put_in_place`]; those that are more than the process may
/// have open have temporary ones. Until [`NewFiles::keep`], all of them are taken back when this is dropped.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::io::Write;
/// use torchproof_cli::edit::{Existing, NewFiles};
/// # let parent = tempfile::tempdir()?;
/// let folder = parent.path().join("parts");
/// let mut files = NewFiles::of(&folder, Existing::Keep);
/// files.add("one", |file| file.write_all(b"1"))?;
/// files.add("other", |file| file.write_all(b"2"))?;
/// assert!(!folder.exists());
/// files.put_in_place()?;
/// files.keep();
/// assert_eq!(std::fs::read(folder.join("other"))?, b"2");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct NewFiles {
    folder: PathBuf,
    existing: Existing,
    /// The folders to be made, from the outermost one on.
    missing: Vec<PathBuf>,
    /// Those of them that were made, in turn.
    made: Vec<PathBuf>,
    targets: BTreeSet<PathBuf>,
    waiting: Vec<Waiting>,
    most_open: u64,
    placed: Together,
}

/// A file that is whole.
#[derive(Debug)]
enum Waiting {
    Open(NewFile),
    Closed(ClosedFile),
}

impl NewFiles {
    /// No files yet, for this folder.
    #[must_use]
    pub fn of(folder: &Path, existing: Existing) -> Self {
        let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let mut missing: Vec<_> = missing.map(Path::to_owned).collect();
        missing.reverse();
        let open = rlimit::Resource::NOFILE.get_soft().unwrap_or(0);
        Self {
            folder: folder.to_owned(),
            existing,
            missing,
            made: Vec::new(),
            targets: BTreeSet::new(),
            waiting: Vec::new(),
            most_open: open.saturating_sub(OTHERS),
            placed: Together::default(),
        }
    }

    /// Has `write` make the file that is to have this name.
    ///
    /// # Errors
    ///
    /// When it cannot be created or written, one is there that may not be replaced, or it comes to be in the place of another.
    pub fn add(&mut self, name: &str, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), EditError> {
        let path = self.folder.join(name);
        let failed = |error| EditError::Output { path: path.clone(), error };
        let mut new = match self.missing.first() {
            None => NewFile::create(&path, self.existing),
            Some(first) => {
                let there = first.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                NewFile::create_before_its_folder(there, &path, self.existing)
            }
        }
        .map_err(failed)?;
        // By a link.
        if !self.targets.insert(new.target().to_owned()) {
            return Err(EditError::SamePlace { path });
        }
        // What takes long is done before the first of them is put in place.
        write(new.file()).and_then(|()| new.sync()).map_err(failed)?;
        let waiting = if (self.waiting.len() as u64) < self.most_open {
            Waiting::Open(new)
        } else {
            Waiting::Closed(new.close().map_err(failed)?)
        };
        self.waiting.push(waiting);
        Ok(())
    }

    /// Makes the folder, and gives all files their names.
    ///
    /// # Errors
    ///
    /// When one cannot have it; then all is as it was.
    pub fn put_in_place(&mut self) -> Result<(), EditError> {
        let done = self.try_put_in_place();
        if done.is_err() {
            self.restore()?;
        }
        done
    }

    fn try_put_in_place(&mut self) -> Result<(), EditError> {
        let failed = |path: &Path, error| EditError::Output { path: path.to_owned(), error };
        for folder in std::mem::take(&mut self.missing) {
            match fs::create_dir(&folder) {
                Ok(()) => self.made.push(folder),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
                Err(error) => return Err(failed(&folder, error)),
            }
        }
        for waiting in std::mem::take(&mut self.waiting) {
            let target = waiting.target().to_owned();
            let put = || match waiting {
                Waiting::Open(new) => new.put_in_place(),
                Waiting::Closed(closed) => closed.put_in_place(),
            };
            self.placed.put(&target, put).map_err(|error| failed(&target, error))?;
        }
        Ok(())
    }

    /// Lets all of them stay; what they replaced is gone.
    pub fn keep(mut self) {
        std::mem::take(&mut self.placed).keep();
        self.made.clear();
    }

    /// Takes all of them back, and puts there what they replaced, as dropping does.
    ///
    /// # Errors
    ///
    /// As [`Together::take_back`].
    pub fn take_back(mut self) -> Result<(), EditError> {
        self.restore()
    }

    fn restore(&mut self) -> Result<(), EditError> {
        self.waiting.clear();
        let restored = std::mem::take(&mut self.placed).take_back();
        // Somebody may have put something there meanwhile, which stays.
        self.made.drain(..).rev().for_each(|folder| drop(fs::remove_dir(folder)));
        restored.map_err(|(path, error)| EditError::Output { path, error })
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        // There is an error to tell already.
        let _ = self.restore();
    }
}

impl Waiting {
    fn target(&self) -> &Path {
        match self {
            Waiting::Open(new) => new.target(),
            Waiting::Closed(closed) => closed.target(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;

    fn of(folder: &Path, existing: Existing, most_open: u64) -> NewFiles {
        let mut files = NewFiles::of(folder, existing);
        files.most_open = most_open;
        files
    }

    fn bytes(bytes: &[u8]) -> impl FnOnce(&mut File) -> io::Result<()> {
        move |file| file.write_all(bytes)
    }

    /// Whatever number of them is open until then.
    #[test]
    fn the_folder_is_there_with_the_files_or_not_at_all() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("some/where");
        for most_open in 0..3 {
            for stay in [false, true] {
                let mut files = of(&folder, Existing::Keep, most_open);
                files.add("one", bytes(b"1")).unwrap();
                files.add("other", bytes(b"2")).unwrap();
                assert!(!parent.path().join("some").exists());
                files.put_in_place().unwrap();
                assert_eq!(fs::read(folder.join("one")).unwrap(), b"1");
                assert_eq!(fs::read(folder.join("other")).unwrap(), b"2");
                if stay {
                    files.keep();
                } else {
                    files.take_back().unwrap();
                }
                assert_eq!(folder.exists(), stay);
                let _ = fs::remove_dir_all(parent.path().join("some"));
                assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
            }
        }
    }

    /// Another file came to be there in the meantime.
    #[test]
    fn when_one_is_in_the_way_all_is_as_it_was() {
        let parent = tempfile::tempdir().unwrap();
        for most_open in 0..3 {
            let mut files = of(parent.path(), Existing::Keep, most_open);
            files.add("one", bytes(b"1")).unwrap();
            files.add("other", bytes(b"2")).unwrap();
            fs::write(parent.path().join("other"), b"precious").unwrap();
            let error = files.put_in_place().unwrap_err();
            assert!(error.to_string().ends_with("other: exists already"), "{error}");
            assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
            assert_eq!(fs::read(parent.path().join("other")).unwrap(), b"precious");
            fs::remove_file(parent.path().join("other")).unwrap();
        }
    }

    #[test]
    fn two_files_in_one_place_are_refused() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("one"), b"old").unwrap();
        symlink("one", parent.path().join("other")).unwrap();
        let mut files = of(parent.path(), Existing::Replace, 2);
        files.add("one", bytes(b"1")).unwrap();
        assert!(matches!(files.add("other", bytes(b"2")), Err(EditError::SamePlace { .. })));
        drop(files);
        assert_eq!(fs::read(parent.path().join("one")).unwrap(), b"old");
    }
}
