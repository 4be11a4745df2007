//! **Staged cases**: copies of a case's files for a single read, under names that do not identify the case.
//!
//! In a corpus, a file's path contains the id of its case. A copy therefore has a random name and a constant
//! modification time. The copy exists for only one read. A reader that changes the copy affects neither the corpus nor
//! other reads, and the outcome of its read does not count.
//!
//! For the delivery `file-at-offset`, the file has padding before and after the copy.

use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;

use super::verified::is_file;
use crate::corpus::{Case, CaseFile, Corpus};
use crate::disk::input::{InputError, each_piece};
use crate::disk::open::open_regular;
use crate::disk::scratch_dir::scratch_dir;
use crate::disk::system::with_mode;
use crate::reader::ReaderInput;
use crate::reader::delivery::PADDING;
use torchproof_protocol::Delivery;

/// Stages one case at a time, in a scratch folder next to the results.
#[derive(Debug)]
pub(super) struct Staging<'c> {
    corpus: &'c Corpus,
    results: &'c Path,
    scratch: TempDir,
}

/// The copies of a case's files, removed on drop.
#[derive(Debug)]
pub(super) struct StagedCase<'c> {
    case: &'c Case,
    folder: PathBuf,
    inputs: Vec<ReaderInput>,
}

impl<'c> Staging<'c> {
    pub(super) fn new(corpus: &'c Corpus, results: &'c Path) -> io::Result<Self> {
        Ok(Self { corpus, results, scratch: scratch_beside(results)? })
    }

    /// Copies the files of `case`, with the padding that `delivery` requires.
    pub(super) fn stage(&mut self, case: &'c Case, delivery: Delivery) -> Result<StagedCase<'c>, InputError> {
        StagedCase::new(case, delivery, self.corpus, self.scratch.path()).or_else(|_| {
            // A reader without a sandbox can make the scratch folder unusable, so try a new folder.
            self.scratch = scratch_beside(self.results).map_err(|error| InputError::unwritten(self.results, &error))?;
            StagedCase::new(case, delivery, self.corpus, self.scratch.path())
        })
    }
}

fn scratch_beside(results: &Path) -> io::Result<TempDir> {
    let mut stem = results.file_name().unwrap_or_default().to_owned();
    stem.push(".files");
    scratch_dir(results.parent().unwrap_or(Path::new("")), &stem)
}

impl<'c> StagedCase<'c> {
    fn new(case: &'c Case, delivery: Delivery, corpus: &Corpus, scratch: &Path) -> Result<Self, InputError> {
        let padding: &[u8] = if delivery == Delivery::FileAtOffset { &PADDING } else { &[] };
        let folder = scratch.join("case");
        fs::create_dir(&folder).map_err(|error| InputError::unwritten(&folder, &error))?;
        // From here on, an error drops `staged`, which removes the folder.
        let mut staged = StagedCase { case, folder, inputs: Vec::new() };
        for file in &case.files {
            let path = staged.folder.join(format!("{:016x}.{}", random(), file.role.extension()));
            copy(corpus, file, &path, padding)?;
            staged.inputs.push(ReaderInput { role: file.role, path, offset: padding.len() as u64, size: file.size });
        }
        Ok(staged)
    }

    pub(super) fn inputs(&self) -> &[ReaderInput] {
        &self.inputs
    }

    /// Returns whether the copies still match the manifest.
    pub(super) fn is_unchanged(&self) -> bool {
        let mut copies = self.case.files.iter().zip(&self.inputs);
        copies.all(|(file, copy)| {
            open_regular(&copy.path).and_then(|open| is_file(open, copy.offset, file)).unwrap_or(false)
        })
    }
}

impl Drop for StagedCase<'_> {
    fn drop(&mut self) {
        // Ignore errors: if the folder cannot be removed, the next case uses a new folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn random() -> u64 {
    RandomState::new().hash_one(0)
}

/// Copies a corpus file to a new read-only file, with padding on both sides. A corpus file that changed during the run
/// is noticed only after the read, by [`StagedCase::is_unchanged`].
fn copy(corpus: &Corpus, file: &CaseFile, to: &Path, padding: &[u8]) -> Result<(), InputError> {
    let path = corpus.path_of(&file.path);
    let unread = |error: io::Error| InputError::new(&path, &error);
    let unwritten = |error: io::Error| InputError::unwritten(to, &error);
    // The mode 0o444 applies only to later opens, so `copy` is writable.
    let mut copy = with_mode(OpenOptions::new().write(true).create_new(true), 0o444).open(to).map_err(unwritten)?;
    copy.write_all(padding).map_err(unwritten)?;
    let original = corpus.open_file(&file.path).map_err(unread)?.take(file.size.saturating_add(1));
    each_piece(original, unread, |piece| copy.write_all(piece).map_err(unwritten))?;
    copy.write_all(padding).map_err(unwritten)?;
    copy.set_modified(SystemTime::UNIX_EPOCH).map_err(unwritten)
}
