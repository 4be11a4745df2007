//! A built corpus, and its comparison with a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::corpus::folder::{FileFault, FileProblem, MANIFEST, generated_files};
use crate::corpus::{CorpusError, Manifest};
use crate::disk::io_error::PathError;
use crate::disk::open::read_regular;
use crate::disk::{AtomicFile, OverwritePolicy};

#[derive(Clone, Debug)]
pub struct Tree {
    /// The manifest, which `files` also contains as text.
    pub manifest: Manifest,
    /// All generated files, by their path relative to the corpus folder, with `/` as the separator.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Tree {
    /// Compares a folder with the build, and returns the differences ordered by path. Handwritten files are ignored. If
    /// the folder is missing, every file counts as missing.
    pub fn differences(&self, dir: &Path) -> Result<Vec<FileProblem>, CorpusError> {
        let mut differences = BTreeSet::new();
        for (path, bytes) in &self.files {
            let fault = match read_regular(&dir.join(path)) {
                Ok(found) if found == *bytes => continue,
                Ok(_) => FileFault::Differs("the bytes differ from the build".to_owned()),
                Err(error) if error.kind() == ErrorKind::NotFound => FileFault::Missing,
                Err(error) => return Err(PathError::read(&dir.join(path))(error).into()),
            };
            differences.insert(FileProblem { path: path.clone(), fault });
        }
        let stray = generated_files(dir)?.into_iter().filter(|path| !self.files.contains_key(path));
        differences.extend(stray.map(|path| FileProblem { path, fault: FileFault::Stray }));
        Ok(differences.into_iter().collect())
    }

    /// Writes the build to a folder, and returns the files that differed before.
    ///
    /// Each file is replaced atomically, the manifest last. Other files in the generated folders are deleted; if the
    /// folder has no manifest, the function fails instead of deleting them.
    pub fn write(&self, dir: &Path) -> Result<Vec<FileProblem>, CorpusError> {
        let differences = self.differences(dir)?;
        let stray = differences.iter().find(|difference| difference.fault == FileFault::Stray);
        if let Some(stray) = stray.filter(|_| !dir.join(MANIFEST).is_file()) {
            return Err(CorpusError::Foreign { path: dir.join(&stray.path) });
        }
        let (last, first): (Vec<&FileProblem>, _) = differences.iter().partition(|at| at.path == MANIFEST);
        for FileProblem { path, .. } in first.into_iter().chain(last) {
            let place = dir.join(path);
            let done = match self.files.get(path) {
                Some(bytes) => replace(&place, bytes),
                None => fs::remove_file(&place),
            };
            done.map_err(PathError::write(&place))?;
        }
        Ok(differences)
    }
}

fn replace(place: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(place.parent().unwrap_or(place))?;
    AtomicFile::write_unsynced(place, bytes, OverwritePolicy::Replace)
}
