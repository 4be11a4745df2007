//! The files of a corpus folder: their names, and what can be wrong with them.

use std::collections::BTreeSet;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use walkdir::WalkDir;

use super::CorpusError;
use crate::disk::io_error::PathError;
use crate::disk::named::OwnFolder;
use crate::disk::open::{MAX_MODEL, bytes_up_to};
use crate::text::escape::plain_name;

pub(crate) const MANIFEST: &str = "manifest.json";

pub(crate) const CHANGELOG: &str = "CHANGELOG.md";

pub(crate) const INDEX: &str = "index.tsv";

/// The folders that contain only generated files.
const GENERATED: [&str; 3] = ["dict", "expect", "files"];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileProblem {
    /// The path relative to the corpus folder, with `/` as the separator.
    pub path: String,
    pub fault: FileFault,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileFault {
    Missing,
    /// The content is not what was expected.
    Differs(String),
    /// The manifest does not list the file.
    Stray,
    /// The content is invalid or inconsistent.
    Wrong(String),
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileProblem { path, fault } = self;
        let path = plain_name(path);
        match fault {
            FileFault::Missing => write!(f, "missing  {path}"),
            FileFault::Differs(how) => write!(f, "differs  {path}: {how}"),
            FileFault::Stray => write!(f, "stray    {path}"),
            FileFault::Wrong(how) => write!(f, "wrong    {path}: {how}"),
        }
    }
}

/// Returns the files in the generated folders, as paths relative to the corpus folder, with `/` as the separator.
pub(crate) fn generated_files(dir: &Path) -> Result<BTreeSet<String>, CorpusError> {
    let mut paths = BTreeSet::new();
    for top in GENERATED.map(|folder| dir.join(folder)).iter().filter(|top| top.is_dir()) {
        for entry in WalkDir::new(top) {
            let entry = entry.map_err(|error| PathError::folder(top)(error.into()))?;
            if !entry.file_type().is_dir() {
                let below = entry.path().strip_prefix(dir).unwrap_or(entry.path());
                let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
                paths.insert(names.join("/"));
            }
        }
    }
    Ok(paths)
}

pub(super) fn read_if_there(dir: &Path, path: &str) -> Result<Option<Vec<u8>>, CorpusError> {
    match OwnFolder::new(dir).and_then(|dir| bytes_up_to(dir.open(path)?, MAX_MODEL)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(PathError::read(&dir.join(path))(error).into()),
    }
}
