//! **Files as readers are given them**: under names that tell nothing of the case.
//!
//! In a corpus a file's path is its case's id. A reader sees the beginning of the file's digest instead, in a folder beside the
//! results. The files there are hard links, which cost the same however large a file is, or copies where links cannot be had.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use torchproof::corpus::{Case, CaseFile, Role};

use super::Error;
use crate::reader::Input;

/// Digits of the digest in a name.
const DIGITS: usize = 16;

/// The folder of the files that readers are given.
#[derive(Clone, Debug)]
pub(super) struct Handout {
    dir: PathBuf,
}

impl Handout {
    /// The folder for a run whose results go to `results`: beside them, as `results.jsonl.files`.
    ///
    /// Results that go to a device have no folder beside them; they are as those whose place nobody named.
    pub(super) fn beside(results: &Path, default: &Path) -> Result<Self, Error> {
        let stays = fs::metadata(results).map_or(true, |found| found.is_file());
        let mut dir = if stays { results } else { default }.to_owned().into_os_string();
        dir.push(".files");
        let dir = PathBuf::from(dir);
        let created = std::path::absolute(&dir).and_then(|dir| fs::create_dir_all(&dir).map(|()| dir));
        created.map(|dir| Self { dir }).map_err(|error| Error::Io { path: dir, error })
    }

    /// Puts a case's files in the folder.
    pub(super) fn add(&self, case: &Case, corpus: &Path) -> Result<(), Error> {
        for file in &case.files {
            let path = self.place(file);
            put(&corpus.join(&file.path), &path).map_err(|error| Error::Io { path, error })?;
        }
        Ok(())
    }

    /// A case's files as a reader is given them.
    pub(super) fn inputs(&self, case: &Case) -> Vec<Input> {
        case.files.iter().map(|file| (file.role, self.place(file))).collect()
    }

    fn place(&self, file: &CaseFile) -> PathBuf {
        let digest = file.sha256.get(..DIGITS).unwrap_or(&file.sha256);
        let suffix = match file.role {
            Role::Program => "pte",
            Role::Data => "ptd",
        };
        self.dir.join(format!("{digest}.{suffix}"))
    }
}

/// Makes `to` the file `from`, whatever it was, and without a moment in which it is not there: another run may be using it.
fn put(from: &Path, to: &Path) -> io::Result<()> {
    let beside = to.with_extension(format!("{}.new", std::process::id()));
    // What a run that was killed has left.
    let _ = fs::remove_file(&beside);
    let done = fs::hard_link(from, &beside)
        .or_else(|_| fs::copy(from, &beside).map(drop))
        .and_then(|()| fs::rename(&beside, to));
    // A link that takes the place of another to the same file is still there, as is one that could not be moved.
    let _ = fs::remove_file(&beside);
    done
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    #[test]
    fn a_file_takes_the_place_of_whatever_is_there() {
        let dir = std::env::temp_dir().join(format!("torchproof-handout-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).unwrap();
        let (from, to) = (dir.join("from"), dir.join("to.pte"));
        fs::write(&from, "new").unwrap();
        fs::write(&to, "old").unwrap();
        for _ in 0..2 {
            put(&from, &to).unwrap();
            assert_eq!(fs::read(&to).unwrap(), b"new");
            assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
        }
        fs::remove_dir_all(&dir).unwrap();
    }
}
