//! The names in a corpus folder.

use std::collections::BTreeSet;
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
