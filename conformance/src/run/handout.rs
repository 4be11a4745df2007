//! **Files as readers are given them**: copies of their own, under names that tell nothing of the case.
//!
//! In a corpus a file's path is its case's id. A reader sees the beginning of the file's digest instead, in a folder of the run's
//! own. The files there are made for one read and removed after it. They cannot be written without being made writable
//! first, but a reader may do even that: it harms neither the corpus nor the next reader, and its answer counts for nothing.
//!
//! Where readers are kept from writing, the next case's files are made, and those of the case before removed, while a reader is at
//! work: it is not kept waiting for either.
//!
//! For the delivery `file-at-offset` such a file stands inside of a larger one, between bytes of others.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use torchproof::corpus::Case;

use super::Error;
use super::laid::Laid;
use super::place::Places;
use super::verified::Verified;
use crate::delivery::{Delivery, PADDING};
use crate::input::InputError;
use crate::own_folder::OwnFolder;

/// Where the readers of one run find their files: a folder that is removed with all that is in it in the end.
#[derive(Debug)]
pub(super) struct Handout {
    places: Places,
    folder: OwnFolder,
    trays: AtomicUsize,
    /// Whether readers are kept from writing, and from truncating too.
    sandboxed: bool,
}

/// Folders in it for one thread, in which one reader at a time is at work; elsewhere, once nothing could be made there.
#[derive(Debug)]
pub(super) struct Tray<'h> {
    handout: &'h Handout,
    /// What is laid there.
    files: &'h Verified<'h>,
    /// Where the files are of the case that is read, and where those of the next.
    dirs: [PathBuf; 2],
    /// What these are in where they are elsewhere.
    own: Option<OwnFolder>,
    /// The next case's files.
    ahead: Option<Laid<'h>>,
    /// Files of the case before, which are to be removed.
    done: Option<Laid<'h>>,
}

impl Handout {
    /// A folder of no other run for files of so many bytes at once.
    pub(super) fn new(places: Places, most: u64, sandboxed: bool) -> Result<Self, Error> {
        let folder = places.folder(most)?;
        Ok(Self { places, folder, trays: AtomicUsize::new(0), sandboxed })
    }

    /// Folders for one thread, in which these files are laid.
    pub(super) fn tray<'h>(&'h self, files: &'h Verified<'h>) -> Tray<'h> {
        let dir = || self.folder.path().join(self.trays.fetch_add(1, Ordering::Relaxed).to_string());
        Tray { handout: self, files, dirs: [dir(), dir()], own: None, ahead: None, done: None }
    }
}

impl<'h> Tray<'h> {
    /// Whether a case's files are here already.
    fn has(&self, case: &Case, delivery: Delivery) -> bool {
        self.ahead.as_ref().is_some_and(|laid| laid.is_of(case, delivery))
    }

    /// Copies of a case's files as the delivery wants them, whatever readers have done here before.
    ///
    /// # Errors
    /// They cannot be made here nor elsewhere; the error names the place.
    pub(super) fn lay(&mut self, case: &'h Case, delivery: Delivery) -> Result<Laid<'h>, InputError> {
        if let Some(laid) = self.ahead.take_if(|laid| laid.is_of(case, delivery)) {
            // Whoever was at work meanwhile could change modes: nobody else is to be told that it has changed its input.
            if laid.is_untouched() {
                self.dirs.swap(0, 1);
                return Ok(laid);
            }
            laid.remove();
        }
        // What is to be removed may have the name of what is to be made.
        self.tidy();
        Laid::lay(case, delivery, self.files, &self.dirs[0]).or_else(|_| {
            self.move_on()?;
            Laid::lay(case, delivery, self.files, &self.dirs[0])
        })
    }

    /// Takes the files back from a reader; whether it left them as they were.
    pub(super) fn clear(&mut self, laid: Laid<'h>) -> bool {
        let same = laid.is_same(self.handout.sandboxed);
        self.tidy();
        self.done = Some(laid);
        // Who may write could find them.
        if !self.handout.sandboxed {
            self.tidy();
        }
        same
    }

    /// What can be done while a reader is at work, so that it need not wait for it: removes what is done with, and makes the
    /// files of the case that comes next, if one does.
    pub(super) fn meanwhile(&mut self, next: Option<&'h Case>, delivery: Delivery) {
        self.tidy();
        // Who can write to them can do it without a trace that is found before the next case.
        let next = next.filter(|case| self.handout.sandboxed && self.files.holds(case));
        let Some(next) = next.filter(|case| !self.has(case, delivery)) else { return };
        if let Some(other) = self.ahead.take() {
            other.remove();
        }
        // What cannot be made now is tried again when it is wanted, and told then.
        self.ahead = Laid::lay(next, delivery, self.files, &self.dirs[1]).ok();
    }

    fn tidy(&mut self) {
        if let Some(done) = self.done.take() {
            done.remove();
        }
    }

    /// Leaves a folder that is full, or that somebody has removed: to make it again would be to make one that nobody has locked.
    fn move_on(&mut self) -> Result<(), InputError> {
        let folder = self.handout.places.another();
        let folder = folder.map_err(|error| InputError::new(&self.handout.places.on_disk(), &error))?;
        self.dirs = ["0", "1"].map(|name| folder.path().join(name));
        if let Some(ahead) = self.ahead.take() {
            ahead.remove();
        }
        self.own = Some(folder);
        Ok(())
    }
}

/// The bytes of a case's files as readers are given them, at most.
pub(super) fn size_of(case: &Case) -> u64 {
    let padding = 2 * PADDING.len() as u64;
    case.files.iter().fold(0, |size: u64, file| size.saturating_add(file.size).saturating_add(padding))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use std::fs;
    use std::path::Path;

    use torchproof::corpus::{CaseFile, Role};

    use super::super::verified;
    use super::*;

    /// A case for each of these lists of names, which are what their files hold too.
    fn cases(dir: &Path, names: &[&[&str]]) -> Vec<Case> {
        let file = |name: &&str| {
            let path = dir.join(name);
            fs::write(&path, name).unwrap();
            let size = name.len() as u64;
            let role = if size == 3 { Role::Program } else { Role::Data };
            CaseFile { role, path: (*name).to_owned(), sha256: verified::digest_of(&path, 0, size).unwrap(), size }
        };
        let case = |names: &&[&str]| {
            serde_json::from_value(serde_json::json!({
                "id": "pte/a/1", "files": names.iter().map(file).collect::<Vec<_>>(), "title": "", "why": "", "status": "active",
                "since": "1", "verdict": "accept", "strength": "must", "budget": { "ms": 1, "rss_mb": 1 },
            }))
            .unwrap()
        };
        names.iter().map(case).collect()
    }

    fn holding<'c>(dir: &'c Path, cases: &'c [Case], room: u64) -> Verified<'c> {
        let files = cases.iter().flat_map(|case| case.files.iter().map(|file| (case.id.as_str(), file)));
        Verified::holding(dir, files, room).unwrap()
    }

    /// What nobody can make here is made elsewhere, and nothing is left where making it failed.
    #[test]
    fn a_case_s_files_are_laid_all_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let cases = cases(dir.path(), &[&["one", "more"]]);
        let case = &cases[0];
        let (held, read) = (holding(dir.path(), &cases, 7), holding(dir.path(), &cases, 3));
        let results = dir.path().join("r.jsonl");
        let handout = Handout::new(Places::new(None, &results, &results), u64::MAX, false).unwrap();
        let mut tray = handout.tray(&held);
        let laid = tray.lay(case, Delivery::File).unwrap();
        let first = tray.dirs[0].clone();
        assert!(laid.inputs().iter().all(|input| input.path.starts_with(&first) && input.path.is_file()));
        assert!(tray.clear(laid));
        assert_eq!(fs::read_dir(&first).unwrap().count(), 0);

        // Somebody removes the folder that was locked.
        fs::remove_dir_all(handout.folder.path()).unwrap();
        let laid = tray.lay(case, Delivery::File).unwrap();
        assert!(tray.dirs[0] != first && !handout.folder.path().exists());
        assert!(laid.inputs().iter().all(|input| input.path.starts_with(&tray.dirs[0])));
        fs::write(dir.path().join("other"), "owt!").unwrap();
        fs::rename(dir.path().join("other"), &laid.inputs()[1].path).unwrap();
        assert!(!tray.clear(laid));

        // The second can be read no more.
        tray.files = &read;
        fs::remove_file(dir.path().join("more")).unwrap();
        let error = tray.lay(case, Delivery::File).err().unwrap().to_string();
        assert!(error.contains("/r.jsonl.files-") && error.ends_with("/more: no such file or folder"), "{error}");
        assert_eq!(fs::read_dir(&tray.dirs[0]).unwrap().count(), 0);
    }

    /// What is in the folder, each file with what it holds.
    fn found(handout: &Handout) -> Vec<String> {
        let folders = fs::read_dir(handout.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let files = folders.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
        let mut found: Vec<_> = files.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn while_a_reader_is_at_work_the_next_case_is_laid_and_the_one_before_removed() {
        let dir = tempfile::tempdir().unwrap();
        // Two of them have a file in common, so that both have one of the same name.
        let cases = cases(dir.path(), &[&["one", "more"], &["two", "more"], &["six"], &["ten"]]);
        let [first, second, control, last] = [0, 1, 2, 3].map(|at| &cases[at]);
        let files = holding(dir.path(), &cases, 64);
        let results = dir.path().join("r.jsonl");
        let handout = Handout::new(Places::new(None, &results, &results), u64::MAX, true).unwrap();
        let mut tray = handout.tray(&files);
        let by = Delivery::File;
        let laid = tray.lay(first, by).unwrap();
        tray.meanwhile(Some(second), by);
        tray.meanwhile(Some(second), by);
        assert_eq!(found(&handout), ["more", "more", "one", "two"]);
        assert!(tray.clear(laid));
        // What was not expected comes between.
        let laid = tray.lay(control, by).unwrap();
        assert_eq!(found(&handout), ["more", "six", "two"]);
        tray.meanwhile(Some(second), by);
        assert!(tray.clear(laid));
        let ahead = tray.ahead.as_ref().unwrap().inputs()[0].path.clone();
        let laid = tray.lay(second, by).unwrap();
        assert_eq!(laid.inputs()[0].path, ahead);
        assert!(laid.inputs().iter().all(|input| input.path.is_file()));
        tray.meanwhile(Some(first), by);
        assert_eq!(found(&handout), ["more", "more", "one", "two"]);
        tray.meanwhile(Some(last), by);
        assert_eq!(found(&handout), ["more", "ten", "two"]);
        // Somebody has put something else in its place.
        fs::write(dir.path().join("other"), "net").unwrap();
        fs::rename(dir.path().join("other"), &tray.ahead.as_ref().unwrap().inputs()[0].path).unwrap();
        assert!(tray.clear(laid));
        let laid = tray.lay(last, by).unwrap();
        assert_eq!(fs::read(&laid.inputs()[0].path).unwrap(), b"ten");
        tray.meanwhile(Some(second), by);
        assert_eq!(found(&handout), ["more", "ten", "two"]);
        // Another thread has taken it, or it is wanted otherwise.
        tray.meanwhile(Some(control), by);
        assert_eq!(found(&handout), ["six", "ten"]);
        assert!(tray.clear(laid));
        let laid = tray.lay(control, Delivery::FileAtOffset).unwrap();
        assert!(fs::metadata(&laid.inputs()[0].path).unwrap().len() > 3);
        tray.meanwhile(None, by);
        assert!(tray.clear(laid));
        // What was laid ahead may have been changed since.
        let laid = tray.lay(control, by).unwrap();
        fs::rename(dir.path().join("ten"), &laid.inputs()[0].path).unwrap();
        assert!(!tray.clear(laid));
        tray.meanwhile(None, by);
        assert!(found(&handout).is_empty());
    }

    #[test]
    fn nothing_is_laid_ahead_for_who_can_write_nor_what_has_to_be_read_first() {
        let dir = tempfile::tempdir().unwrap();
        let cases = cases(dir.path(), &[&["one"], &["two"]]);
        let results = dir.path().join("r.jsonl");
        for (sandboxed, room, wanted) in
            [(false, 64, vec!["one"]), (true, 3, vec!["one"]), (true, 64, vec!["one", "two"])]
        {
            let files = holding(dir.path(), &cases, room);
            let handout = Handout::new(Places::new(None, &results, &results), u64::MAX, sandboxed).unwrap();
            let mut tray = handout.tray(&files);
            let laid = tray.lay(&cases[0], Delivery::File).unwrap();
            tray.meanwhile(Some(&cases[1]), Delivery::File);
            assert_eq!(found(&handout), wanted);
            assert!(tray.clear(laid));
            let left = found(&handout);
            assert!(sandboxed || left.is_empty(), "{left:?}");
        }
    }
}
