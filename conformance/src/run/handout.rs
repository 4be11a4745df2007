//! **Files as readers are given them**: copies of their own, under names that tell nothing of the case.
//!
//! In a corpus a file's path is its case's id. A reader sees the beginning of the file's digest instead, in a folder of the run's
//! own. The files there are made for one read and removed after it. They cannot be written without being made writable
//! first, but a reader may do even that: it harms neither the corpus nor the next reader, and its answer counts for nothing.
//!
//! For the delivery `file-at-offset` such a file stands inside of a larger one, between bytes of others.

use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use torchproof::corpus::{Case, CaseFile};

use super::Error;
use super::place::Places;
use super::verified::{self, Verified};
use crate::delivery::{Delivery, PADDING};
use crate::input::InputError;
use crate::own_folder::OwnFolder;
use crate::reader::Input;

/// Digits of the digest in a name.
const DIGITS: usize = 16;

/// Where the readers of one run find their files: a folder that is removed with all that is in it in the end.
#[derive(Debug)]
pub(super) struct Handout {
    places: Places,
    folder: OwnFolder,
    trays: AtomicUsize,
    /// Whether readers are kept from writing, and from truncating too.
    sandboxed: bool,
}

/// A folder in it for one thread, in which one reader at a time is at work; elsewhere, once nothing could be made there.
#[derive(Debug)]
pub(super) struct Tray<'h> {
    handout: &'h Handout,
    /// What is laid there.
    files: &'h Verified<'h>,
    dir: PathBuf,
    /// What `dir` is in where it is elsewhere.
    own: Option<OwnFolder>,
}

/// A case's files, while a reader has them.
pub(super) struct Laid<'a> {
    case: &'a Case,
    inputs: Vec<Input>,
    stamps: Vec<Stamp>,
    sandboxed: bool,
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
    /// A folder of no other run for files of so many bytes at once.
    pub(super) fn new(places: Places, most: u64, sandboxed: bool) -> Result<Self, Error> {
        let folder = places.folder(most)?;
        Ok(Self { places, folder, trays: AtomicUsize::new(0), sandboxed })
    }

    /// A folder for one thread, in which these files are laid.
    pub(super) fn tray<'h>(&'h self, files: &'h Verified<'h>) -> Tray<'h> {
        let dir = self.folder.path().join(self.trays.fetch_add(1, Ordering::Relaxed).to_string());
        Tray { handout: self, files, dir, own: None }
    }
}

impl Tray<'_> {
    /// Makes copies of a case's files as the delivery wants them, whatever readers have done here before.
    ///
    /// # Errors
    /// They cannot be made here nor elsewhere; the error names the place.
    pub(super) fn lay<'a>(&mut self, case: &'a Case, delivery: Delivery) -> Result<Laid<'a>, InputError> {
        self.lay_here(case, delivery).or_else(|_| {
            self.move_on()?;
            self.lay_here(case, delivery)
        })
    }

    /// Leaves a folder that is full, or that somebody has removed: to make it again would be to make one that nobody has locked.
    fn move_on(&mut self) -> Result<(), InputError> {
        let folder = self.handout.places.another();
        let folder = folder.map_err(|error| InputError::new(&self.handout.places.on_disk(), &error))?;
        self.dir = folder.path().join("0");
        self.own = Some(folder);
        Ok(())
    }

    /// All of the files or none.
    fn lay_here<'a>(&self, case: &'a Case, delivery: Delivery) -> Result<Laid<'a>, InputError> {
        let sandboxed = self.handout.sandboxed;
        let mut laid = Laid { case, inputs: Vec::new(), stamps: Vec::new(), sandboxed };
        for file in &case.files {
            let path = self.place(file);
            let copied =
                copy(self.files, file, &path, padding(delivery)).map_err(|error| InputError::new(&path, &error));
            laid.inputs.push(Input { role: file.role, path, offset: padding(delivery).len() as u64, size: file.size });
            match copied {
                Ok(stamp) => laid.stamps.push(stamp),
                Err(error) => {
                    laid.remove();
                    return Err(error);
                }
            }
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
            // In memory, who may write can do it through a map, which leaves no trace in the times.
            .map(|((file, input), stamp)| is_same(file, input, self.sandboxed.then_some(*stamp)))
            .fold(true, |all, same| all & same);
        self.remove();
        same
    }

    fn remove(&self) {
        for input in &self.inputs {
            remove(&input.path);
        }
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

/// Whether the file is still the one that was put there and had this stamp, or at least holds what the case's file does.
fn is_same(file: &CaseFile, input: &Input, stamp: Option<Stamp>) -> bool {
    let Input { path, offset, .. } = input;
    match fs::symlink_metadata(path) {
        Ok(found) if stamp == Some(Stamp::of(&found)) => true,
        // Others than the reader change a file's times too: programs that index or back up whatever they find.
        Ok(found) if found.is_file() => {
            let same_size = found.len() == file.size + 2 * offset;
            same_size && verified::digest_of(path, *offset, file.size).is_ok_and(|digest| digest == file.sha256)
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
    // Another user of the system can put nothing into it, whatever this user's mask of modes is.
    match path.parent().map(|folder| DirBuilder::new().mode(0o711).create(folder)) {
        Some(Err(error)) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
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

    use torchproof::corpus::Role;

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
        let file = CaseFile { role: Role::Program, path: "from".to_owned(), sha256, size: 3 };
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
        let at = |offset| Input { role: file.role, path: padded.clone(), offset, size: file.size };
        let other = Stamp { size: 0, ..stamp };
        for stamp in [Some(other), None] {
            assert!(is_same(&file, &at(offset), stamp) && !is_same(&file, &at(0), stamp));
        }
        // However long it has become, it is not read.
        fs::remove_file(&padded).unwrap();
        fs::File::create(&padded).unwrap().set_len(1 << 43).unwrap();
        assert!(!is_same(&file, &at(offset), Some(stamp)));
        fs::remove_dir_all(&dir).unwrap();
    }

    /// What nobody can make here is made elsewhere, and nothing is left where making it failed.
    #[test]
    fn a_case_s_files_are_laid_all_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, role| {
            let path = dir.path().join(name);
            fs::write(&path, name).unwrap();
            let size = name.len() as u64;
            CaseFile { role, path: name.to_owned(), sha256: verified::digest_of(&path, 0, size).unwrap(), size }
        };
        let files = vec![file("one", Role::Program), file("two", Role::Data)];
        let case: Case = serde_json::from_value(serde_json::json!({
            "id": "pte/a/1", "files": files, "title": "", "why": "", "status": "active", "since": "1", "verdict": "accept", "strength": "must",
            "budget": { "ms": 1, "rss_mb": 1 },
        }))
        .unwrap();
        let verified = |room| {
            let files = case.files.iter().map(|file| (case.id.as_str(), file));
            Verified::holding(dir.path(), files, room).unwrap()
        };
        let held = verified(6);
        let results = dir.path().join("r.jsonl");
        let handout = Handout::new(Places::new(None, &results, &results), u64::MAX, false).unwrap();
        let mut tray = handout.tray(&held);
        let laid = tray.lay(&case, Delivery::File).unwrap();
        let first = tray.dir.clone();
        assert!(laid.inputs().iter().all(|input| input.path.starts_with(&first) && input.path.is_file()));
        assert!(laid.clear());
        assert_eq!(fs::read_dir(&first).unwrap().count(), 0);

        // Somebody removes the folder that was locked.
        fs::remove_dir_all(handout.folder.path()).unwrap();
        let laid = tray.lay(&case, Delivery::File).unwrap();
        assert!(tray.dir != first && !handout.folder.path().exists());
        assert!(laid.inputs().iter().all(|input| input.path.starts_with(&tray.dir)));
        fs::write(dir.path().join("other"), "owt").unwrap();
        fs::rename(dir.path().join("other"), &laid.inputs()[1].path).unwrap();
        assert!(!laid.clear());

        // The second can be read no more.
        let read = verified(3);
        fs::remove_file(dir.path().join("two")).unwrap();
        tray.files = &read;
        let error = tray.lay(&case, Delivery::File).err().unwrap().to_string();
        assert!(error.contains("/r.jsonl.files-") && error.ends_with("/two: no such file or folder"), "{error}");
        assert_eq!(fs::read_dir(&tray.dir).unwrap().count(), 0);
    }
}
