//! **A case's files while a reader has them**: copies of its own, and whether it left them as they were.

use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use torchproof::corpus::{Case, CaseFile};

use super::verified::{self, Verified};
use crate::delivery::{Delivery, PADDING};
use crate::input::InputError;
use crate::reader::Input;

/// Digits of the digest in a name.
const DIGITS: usize = 16;

/// A case's files as a reader is given them.
#[derive(Debug)]
pub(super) struct Laid<'c> {
    case: &'c Case,
    delivery: Delivery,
    inputs: Vec<Input>,
    stamps: Vec<Stamp>,
}

/// What differs in a file that has been changed. (Whoever resets the time of the last write changes that of the last change.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl<'c> Laid<'c> {
    /// Makes copies of all files of a case in `dir` as the delivery wants them, or none.
    ///
    /// # Errors
    /// They cannot be made; the error names the place.
    pub(super) fn lay(case: &'c Case, delivery: Delivery, from: &Verified<'_>, dir: &Path) -> Result<Self, InputError> {
        let mut laid = Laid { case, delivery, inputs: Vec::new(), stamps: Vec::new() };
        for file in &case.files {
            let path = place(dir, file);
            let copied = copy(from, file, &path, padding(delivery)).map_err(|error| InputError::new(&path, &error));
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

    /// Whether it is of this case, for this delivery.
    pub(super) fn is_of(&self, case: &Case, delivery: Delivery) -> bool {
        std::ptr::eq(self.case, case) && self.delivery == delivery
    }

    /// The files as a reader is given them.
    pub(super) fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Whether nobody has done anything to the files, not even to their modes, or to the folder that they are in.
    pub(super) fn is_untouched(&self) -> bool {
        let mut files = self.inputs.iter().zip(&self.stamps);
        files.all(|(input, stamp)| fs::symlink_metadata(&input.path).is_ok_and(|found| Stamp::of(&found) == *stamp))
    }

    /// Whether the files are as they were laid. Who reads `sandboxed` cannot have changed them without a trace in their times.
    pub(super) fn is_same(&self, sandboxed: bool) -> bool {
        let files = self.case.files.iter().zip(&self.inputs).zip(&self.stamps);
        files
            // In memory, who may write can do it through a map, which leaves no trace in the times.
            .map(|((file, input), stamp)| is_same(file, input, sandboxed.then_some(*stamp)))
            .fold(true, |all, same| all & same)
    }

    /// Removes the files.
    pub(super) fn remove(&self) {
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

fn place(dir: &Path, file: &CaseFile) -> PathBuf {
    let digest = file.sha256.get(..DIGITS).unwrap_or(&file.sha256);
    dir.join(format!("{digest}.{}", file.role.extension()))
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
}
