//! **Where the files are made that readers are given**: in memory where the system has a place for that, else on a disk.
//!
//! To make a file on a disk's file system and to remove it can take more time than most readers need for it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Error;
use crate::own_folder::OwnFolder;

/// Where folders of a run's own are made.
#[derive(Debug)]
pub(super) struct Places {
    /// The place that the user named.
    named: Option<PathBuf>,
    /// Results beside which there can be a folder.
    results: PathBuf,
}

impl Places {
    /// Those of a run whose results go to `results`; if that is a device, which has no folder beside it, to `default`.
    pub(super) fn new(named: Option<&Path>, results: &Path, default: &Path) -> Self {
        let stays = fs::metadata(results).map_or(true, |found| found.is_file());
        let results = if stays { results } else { default };
        Self { named: named.map(Path::to_owned), results: results.to_owned() }
    }

    /// A folder for files of so many bytes at once.
    ///
    /// # Errors
    /// There can be none where it has to be; the error names that.
    pub(super) fn folder(&self, most: u64) -> Result<OwnFolder, Error> {
        let memory = || memory(most).filter(|_| self.named.is_none());
        // A place in memory where nothing can be made is none.
        let folder = memory().and_then(|place| OwnFolder::in_shared(place, own_stem().as_ref()).ok());
        folder.map_or_else(|| self.another().map_err(|error| Error::Io { path: self.on_disk(), error }), Ok)
    }

    /// A folder for who can make no files in the one before, because it is full, or because somebody has removed it.
    pub(super) fn another(&self) -> io::Result<OwnFolder> {
        if let Some(named) = &self.named {
            return OwnFolder::in_shared(named, own_stem().as_ref());
        }
        let path = self.on_disk();
        OwnFolder::new(path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default())
    }

    /// The place that was named, or what folders beside the results begin with.
    pub(super) fn on_disk(&self) -> PathBuf {
        let beside = || {
            let mut stem: OsString = self.results.file_name().unwrap_or_default().to_owned();
            stem.push(".files");
            self.results.with_file_name(stem)
        };
        self.named.clone().unwrap_or_else(beside)
    }
}

/// What this user's folders begin with, where those of others may be.
fn own_stem() -> String {
    format!("torchproof-{}", rustix::process::getuid().as_raw())
}

/// The place for files in memory, if there is one with ample room for so many bytes.
#[cfg(target_os = "linux")]
fn memory(most: u64) -> Option<&'static Path> {
    /// Where shared memory is by name: the C library makes it here.
    const PLACE: &str = "/dev/shm";
    /// What `statfs` calls a file system that is in memory.
    const TMPFS: u64 = 0x0102_1994;
    /// What is worth its memory.
    const MOST: u64 = 64 << 20;
    let found = rustix::fs::statfs(PLACE).ok()?;
    let free = found.f_bavail.saturating_mul(u64::try_from(found.f_bsize).ok()?);
    let fits = u64::try_from(found.f_type) == Ok(TMPFS) && most <= MOST.min(free / 2);
    fits.then_some(Path::new(PLACE))
}

/// There is none that every such system has.
#[cfg(not(target_os = "linux"))]
fn memory(_most: u64) -> Option<&'static Path> {
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    #[test]
    fn files_are_made_where_the_user_says_or_where_there_is_room() {
        let dir = tempfile::tempdir().unwrap();
        let below = |name: &str| dir.path().join(name);
        let default = below("default/results.jsonl");
        let named = Places::new(Some(&below("named")), &below("r.jsonl"), &default);
        for folder in [named.folder(0).unwrap(), named.folder(u64::MAX).unwrap(), named.another().unwrap()] {
            assert!(folder.path().starts_with(below("named")) && folder.path().is_dir());
        }
        let beside = Places::new(None, &below("r.jsonl"), &default);
        for folder in [beside.folder(u64::MAX).unwrap(), beside.another().unwrap()] {
            let path = folder.path().display().to_string();
            assert!(path.starts_with(&below("r.jsonl.files-").display().to_string()), "{path}");
        }
        let device = Places::new(None, Path::new("/dev/null"), &default);
        let path = device.folder(u64::MAX).unwrap().path().display().to_string();
        assert!(path.starts_with(&below("default/results.jsonl.files-").display().to_string()), "{path}");

        fs::write(below("file"), "").unwrap();
        let nowhere = below("file/below");
        let error = Places::new(Some(&nowhere), &below("r.jsonl"), &default).folder(0).unwrap_err();
        assert!(matches!(error, Error::Io { path, .. } if path == nowhere));
    }
}
