//! **A corpus on disk**: the manifest, and proof that the files are those it describes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};
use torchproof::corpus::{Case, MANIFEST_VERSION, Manifest};

use super::Error;

const MANIFEST: &str = "manifest.json";

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
    pub fn find() -> Result<PathBuf, Error> {
        let here = std::env::current_dir().ok();
        let program = std::env::current_exe().ok();
        let above = [here, program].into_iter().flatten();
        let found = above
            .flat_map(|path| path.ancestors().map(|folder| folder.join("corpus")).collect::<Vec<_>>())
            .find(|folder| folder.join(MANIFEST).is_file());
        found.ok_or(Error::NoCorpus)
    }

    /// Reads the manifest in `dir`.
    ///
    /// # Errors
    /// It is not there, of another version, or contradicts itself.
    pub fn load(dir: &Path) -> Result<Self, Error> {
        let dir = std::path::absolute(dir).map_err(|error| Error::Io { path: dir.to_owned(), error })?;
        let path = dir.join(MANIFEST);
        let bytes = fs::read(&path).map_err(|error| Error::Io { path: path.clone(), error })?;
        let bad = |message: String| Error::Manifest { path: path.clone(), message };
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
    pub(super) fn control_of(&self, case: &Case) -> Option<usize> {
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
    pub(super) fn expect(&self, case: &Case) -> Result<Option<Value>, Error> {
        let Some(path) = case.expect.as_ref().map(|path| self.dir.join(path)) else { return Ok(None) };
        let bytes = fs::read(&path).map_err(|error| Error::Io { path: path.clone(), error })?;
        let value = serde_json::from_slice(&bytes);
        value.map(Some).map_err(|error| Error::Manifest { path, message: error.to_string() })
    }

    /// Proves that the case's files are those of the manifest.
    ///
    /// # Errors
    /// One of them is missing or holds something else, so that whatever a reader did with it would prove nothing.
    pub(super) fn verify(&self, case: &Case) -> Result<(), Error> {
        for file in &case.files {
            let path = self.dir.join(&file.path);
            let (size, digest) = digest(&path).map_err(|error| Error::Io { path: path.clone(), error })?;
            if size != file.size || digest != file.sha256 {
                return Err(Error::Changed { path, id: case.id.clone() });
            }
        }
        Ok(())
    }
}

/// Whether the path stays below the folder that it is relative to.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The size and the SHA-256 of a file, in lower-case hex.
pub(super) fn digest(path: &Path) -> io::Result<(u64, String)> {
    hash(File::open(path)?)
}

/// The SHA-256 of a part of a file.
pub(super) fn digest_of(path: &Path, offset: u64, size: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    hash(file.take(size)).map(|(_, digest)| digest)
}

fn hash(mut bytes: impl Read) -> io::Result<(u64, String)> {
    struct Hasher(Sha256);
    impl io::Write for Hasher {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut hasher = Hasher(Sha256::new());
    let size = io::copy(&mut bytes, &mut hasher)?;
    Ok((size, HEXLOWER.encode(&hasher.0.finalize())))
}
