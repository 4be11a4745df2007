//! **Files as readers are given them**: copies of their own, under names that tell nothing of the case.
//!
//! In a corpus a file's path is its case's id. A reader sees the beginning of the file's digest instead, in a folder of the run's
//! own. The files there are made for one read and removed after it. They cannot be written without being made writable
//! first, but a reader may do even that: it harms neither the corpus nor the next reader, and its answer counts for nothing.
//!
//! The folder is in memory where the system has a place for that: on a disk's file system, to make and to remove a file can
//! take more time than most readers need for it.
//!
//! For the delivery `file-at-offset` such a file stands inside of a larger one, between bytes of others.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use torchproof::corpus::{Case, CaseFile};

use super::Error;
use super::verified::{self, Verified};
use crate::delivery::{Delivery, PADDING};
use crate::own_folder::OwnFolder;
use crate::reader::Input;

/// What files may take in memory that readers have at once.
const MOST_IN_MEMORY: u64 = 64 << 20;
/// Digits of the digest in a name.
const DIGITS: usize = 16;

/// The folder of the files that the readers of one run are given; removed with all that is in it in the end.
#[derive(Debug)]
pub(super) struct Handout {
    folder: OwnFolder,
    trays: AtomicUsize,
}

/// A folder in it for one thread, in which one reader at a time is at work.
#[derive(Debug)]
pub(super) struct Tray {
    dir: PathBuf,
}

/// A case's files, while a reader has them.
pub(super) struct Laid<'a> {
    case: &'a Case,
    inputs: Vec<Input>,
    stamps: Vec<Stamp>,
}

/// What differs in a file that has been changed. (Whoever resets the time of the last write changes that of the last change.)
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Handout {
    /// A folder of no other run for files of so many bytes at once: below `named` if the user named a place, else in memory, and
    /// where there is no room for them, as `results.jsonl.files-…` beside the results.
    pub(super) fn new(named: Option<&Path>, most: u64, results: &Path, default: &Path) -> Result<Self, Error> {
        let own = || format!("torchproof-{}", rustix::process::getuid().as_raw());
        let folder = match named {
            Some(dir) => {
                OwnFolder::new(dir, own().as_ref()).map_err(|error| Error::Io { path: dir.to_owned(), error })?
            }
            // A place in memory where nothing can be made is none.
            None => match memory(most).and_then(|dir| OwnFolder::new(dir, own().as_ref()).ok()) {
                Some(folder) => folder,
                None => Self::beside(results, default)?,
            },
        };
        Ok(Self { folder, trays: AtomicUsize::new(0) })
    }

    /// Results that go to a device have no folder beside them; they are as those whose place nobody named.
    fn beside(results: &Path, default: &Path) -> Result<OwnFolder, Error> {
        let stays = fs::metadata(results).map_or(true, |found| found.is_file());
        let results = if stays { results } else { default };
        let mut stem = results.file_name().unwrap_or_default().to_owned();
        stem.push(".files");
        let folder = OwnFolder::new(results.parent().unwrap_or(Path::new("")), &stem);
        folder.map_err(|error| Error::Io { path: results.with_file_name(stem), error })
    }

    /// A folder for one thread.
    pub(super) fn tray(&self) -> Tray {
        Tray { dir: self.folder.path().join(self.trays.fetch_add(1, Ordering::Relaxed).to_string()) }
    }
}

/// The place for files in memory, if there is one with ample room for so many bytes.
#[cfg(target_os = "linux")]
fn memory(most: u64) -> Option<&'static Path> {
    /// Where shared memory is by name: the C library makes it here.
    const PLACE: &str = "/dev/shm";
    /// How `statfs` calls a file system that is in memory.
    const TMPFS: u64 = 0x0102_1994;
    let found = rustix::fs::statfs(PLACE).ok()?;
    let free = found.f_bavail.saturating_mul(u64::try_from(found.f_bsize).ok()?);
    let fits = u64::try_from(found.f_type) == Ok(TMPFS) && most <= MOST_IN_MEMORY.min(free / 2);
    fits.then_some(Path::new(PLACE))
}

/// There is none that every such system has.
#[cfg(not(target_os = "linux"))]
fn memory(_most: u64) -> Option<&'static Path> {
    None
}

impl Tray {
    /// Makes copies of a case's files as the delivery wants them, whatever readers have done here before.
    pub(super) fn lay<'a>(&self, case: &'a Case, from: &Verified<'_>, delivery: Delivery) -> io::Result<Laid<'a>> {
        let mut laid = Laid { case, inputs: Vec::new(), stamps: Vec::new() };
        for file in &case.files {
            let path = self.place(file);
            let stamp = copy(from, file, &path, padding(delivery))?;
            laid.inputs.push(Input { role: file.role, path, offset: padding(delivery).len() as u64, size: file.size });
            laid.stamps.push(stamp);
        }
        Ok(laid)
    }

    fn place(&self, file: &CaseFile) -> PathBuf {
        let digest = file.sha256.get(..DIGITS).unwrap_or(&file.sha256);
        self.dir.join(format!("{digest}.{}", file.role.extension()))
    }
}

impl Laid<'_> {
    /// The files as a reader is given them.
    pub(super) fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Removes the files; whether the reader left them as they were.
    pub(super) fn clear(self) -> bool {
        let files = self.case.files.iter().zip(&self.inputs).zip(&self.stamps);
        let same = files
            .map(|((file, input), stamp)| is_same(file, &input.path, input.offset, *stamp))
            .fold(true, |all, same| all & same);
        for input in &self.inputs {
            remove(&input.path);
        }
        same
    }
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Stamp {
            inode: found.ino(),
            size: found.size(),
            written: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

/// The bytes of a case's files as readers are given them, at most.
pub(super) fn size_of(case: &Case) -> u64 {
    let padding = 2 * PADDING.len() as u64;
    case.files.iter().fold(0, |size: u64, file| size.saturating_add(file.size).saturating_add(padding))
}

/// Whether the file at `path` is still the one that was put there, or at least holds what that did.
fn is_same(file: &CaseFile, path: &Path, offset: u64, stamp: Stamp) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) if Stamp::of(&found) == stamp => true,
        // Others than the reader change a file's times too: programs that index or back up whatever they find.
        Ok(found) if found.is_file() => {
            let same_size = found.len() == file.size + 2 * offset;
            same_size && verified::digest_of(path, offset, file.size).is_ok_and(|digest| digest == file.sha256)
        }
        _ => false,
    }
}

/// The bytes of others before and behind a file.
fn padding(delivery: Delivery) -> &'static [u8] {
    if delivery == Delivery::FileAtOffset { &PADDING } else { &[] }
}

/// Makes `to` a copy of a file that nobody may write to, with padding before and behind it.
fn copy(from: &Verified<'_>, file: &CaseFile, to: &Path, padding: &[u8]) -> io::Result<Stamp> {
    // A new file, so that no link laid here by a reader is followed. Its mode binds whoever opens it after this.
    let create = || OpenOptions::new().write(true).create_new(true).mode(0o444).open(to);
    // It is the first in its folder, or a reader has taken that away, or left something in the file's place.
    let mut copy = create().or_else(|_| make_room(to).and_then(|()| create()))?;
    copy.write_all(padding)?;
    from.copy(file, &mut copy)?;
    copy.write_all(padding)?;
    Ok(Stamp::of(&copy.metadata()?))
}

/// Sees to it that there is a folder for a new file, and nothing in its place.
fn make_room(path: &Path) -> io::Result<()> {
    remove(path);
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Removes whatever a reader may have left at `path`.
fn remove(path: &Path) {
    // If it cannot be removed, making the next copy fails and says so.
    if fs::remove_file(path).is_err() && path.is_dir() {
        let _ = fs::remove_dir_all(path);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    #[test]
    fn a_copy_takes_the_place_of_whatever_is_there_and_shares_nothing() {
        let dir = std::env::temp_dir().join(format!("torchproof-handout-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("folder.pte")).unwrap();
        fs::write(dir.join("from"), "new").unwrap();
        fs::write(dir.join("old.pte"), "old").unwrap();
        std::os::unix::fs::symlink(dir.join("from"), dir.join("link.pte")).unwrap();
        let sha256 = verified::digest_of(&dir.join("from"), 0, 3).unwrap();
        let file = CaseFile { role: torchproof::corpus::Role::Program, path: "from".to_owned(), sha256, size: 3 };
        let [held, read] = [3, 0].map(|room| Verified::holding(&dir, [("case", &file)], room).unwrap());
        for name in ["old.pte", "old.pte", "link.pte", "folder.pte", "none.pte"] {
            let to = dir.join(name);
            let stamp = copy(&held, &file, &to, &[]).unwrap();
            let found = fs::symlink_metadata(&to).unwrap();
            assert!(Stamp::of(&found) == stamp && found.is_file(), "{name}");
            assert!(found.mode() & 0o333 == 0 && found.mode() & 0o400 != 0, "{name}");
            assert_eq!(fs::read(&to).unwrap(), b"new");
            assert_ne!(found.ino(), fs::metadata(dir.join("from")).unwrap().ino());
        }
        let padded = dir.join("padded.pte");
        copy(&held, &file, &padded, &PADDING).unwrap();
        let bytes = fs::read(&padded).unwrap();
        let stamp = copy(&read, &file, &padded, &PADDING).unwrap();
        assert!(fs::read(&padded).unwrap() == bytes, "held or not");
        assert!(bytes == [&PADDING[..], b"new", &PADDING].concat());
        let offset = PADDING.len() as u64;
        let other = Stamp { size: 0, ..stamp };
        assert!(is_same(&file, &padded, offset, other) && !is_same(&file, &padded, 0, other));
        // However long it has become, it is not read.
        fs::remove_file(&padded).unwrap();
        fs::File::create(&padded).unwrap().set_len(1 << 43).unwrap();
        assert!(!is_same(&file, &padded, offset, stamp));
        fs::remove_dir_all(&dir).unwrap();
    }
}
