//! **A corpus on disk**: its manifest, and what it says of cases.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::CorpusError;
use super::folder::MANIFEST;
use crate::corpus::{Case, MANIFEST_VERSION, Manifest};

/// A corpus folder whose manifest has been read.
#[derive(Clone, Debug)]
pub struct Corpus {
    dir: PathBuf,
    manifest: Manifest,
    by_id: HashMap<String, usize>,
}

impl Corpus {
    /// The corpus folder to use when none is named: `corpus` here, in a folder above, or above the program itself.
    ///
    /// # Errors
    /// There is none.
    pub fn find() -> Result<PathBuf, CorpusError> {
        let here = std::env::current_dir().ok();
        let program = std::env::current_exe().ok();
        let above = [here, program].into_iter().flatten();
        let found = above
            .flat_map(|path| path.ancestors().map(|folder| folder.join("corpus")).collect::<Vec<_>>())
            .find(|folder| folder.join(MANIFEST).is_file());
        found.ok_or(CorpusError::NoCorpus)
    }

    /// Reads the manifest in `dir`.
    ///
    /// # Errors
    /// It is not there, of another version, or contradicts itself.
    pub fn load(dir: &Path) -> Result<Self, CorpusError> {
        let dir = std::path::absolute(dir).map_err(|error| CorpusError::Io { path: dir.to_owned(), error })?;
        let path = dir.join(MANIFEST);
        let bytes = fs::read(&path).map_err(|error| CorpusError::Io { path: path.clone(), error })?;
        let bad = |message: String| CorpusError::Manifest { path: path.clone(), message };
        let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        if manifest.manifest != MANIFEST_VERSION {
            let message = format!("version {}; this program reads {MANIFEST_VERSION}", manifest.manifest);
            return Err(bad(message));
        }
        let mut by_id = HashMap::new();
        for (at, case) in manifest.cases.iter().enumerate() {
            if by_id.insert(case.id.clone(), at).is_some() {
                return Err(bad(format!("two cases are called {}", case.id)));
            }
            let paths = case.files.iter().map(|file| &file.path).chain(&case.expect);
            if let Some(path) = paths.into_iter().find(|path| !is_inside(path)) {
                return Err(bad(format!("{}: `{path}` is not a path inside the corpus", case.id)));
            }
            if case.files.is_empty() {
                return Err(bad(format!("{} has no files", case.id)));
            }
        }
        for case in &manifest.cases {
            if let Some(control) = case.control.as_ref().filter(|id| !by_id.contains_key(*id)) {
                return Err(bad(format!("{} has the control {control}, which does not exist", case.id)));
            }
        }
        Ok(Corpus { dir, manifest, by_id })
    }

    /// What the manifest says.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The case of this id.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.by_id.get(id).map(|at| &self.manifest.cases[*at])
    }

    /// Where the case's control stands in the manifest, if it has one.
    pub(crate) fn control_of(&self, case: &Case) -> Option<usize> {
        self.by_id.get(case.control.as_ref()?).copied()
    }

    /// The folder that the manifest's paths are relative to.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The canonical JSON that the case expects.
    ///
    /// # Errors
    /// It is promised and not there.
    pub(crate) fn expect(&self, case: &Case) -> Result<Option<Value>, CorpusError> {
        let Some(path) = case.expect.as_ref().map(|path| self.dir.join(path)) else { return Ok(None) };
        let bytes = fs::read(&path).map_err(|error| CorpusError::Io { path: path.clone(), error })?;
        let value = serde_json::from_slice(&bytes);
        value.map(Some).map_err(|error| CorpusError::Manifest { path, message: error.to_string() })
    }
}

/// Whether the path stays below the folder that it is relative to.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}
