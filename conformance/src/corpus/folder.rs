//! The files of a corpus folder: their names, and what can be wrong with one.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;

use walkdir::WalkDir;

use super::CorpusError;

/// The manifest's name.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The name of the changelog.
pub(crate) const CHANGELOG: &str = "CHANGELOG.md";

/// The name of the manifest in a few columns.
pub(crate) const INDEX: &str = "index.tsv";

/// The folders whose every file is generated.
const GENERATED: [&str; 3] = ["dict", "expect", "files"];

/// A file that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileProblem {
    /// Below the corpus folder, with `/`.
    pub path: String,
    /// What is the matter with it.
    pub fault: FileFault,
}

/// What is the matter with a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileFault {
    /// It is not there.
    Missing,
    /// It holds something else.
    Differs(String),
    /// It is there, and nothing names it.
    Stray,
    /// It contradicts itself.
    Wrong(String),
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileProblem { path, fault } = self;
        match fault {
            FileFault::Missing => write!(f, "missing  {path}"),
            FileFault::Differs(how) => write!(f, "differs  {path}: {how}"),
            FileFault::Stray => write!(f, "stray    {path}"),
            FileFault::Wrong(how) => write!(f, "wrong    {path}: {how}"),
        }
    }
}

/// The files in the generated folders, by path below the corpus folder, with `/`.
pub(crate) fn generated_files(dir: &Path) -> Result<BTreeSet<String>, CorpusError> {
    let mut paths = BTreeSet::new();
    for top in GENERATED.map(|folder| dir.join(folder)).iter().filter(|top| top.is_dir()) {
        for entry in WalkDir::new(top) {
            let entry = entry.map_err(|error| CorpusError::Io { path: top.clone(), error: io::Error::from(error) })?;
            if !entry.file_type().is_dir() {
                let below = entry.path().strip_prefix(dir).unwrap_or(entry.path());
                paths.insert(below.to_string_lossy().into_owned());
            }
        }
    }
    Ok(paths)
}
