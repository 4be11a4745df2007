//! **The comparison of model files** from two versions of an exporter: what differs, and what a reader notices.

mod area;
mod compare;
mod facts;
mod report;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

pub use area::Area;
pub use compare::FileDifference;
pub use report::{FileComparison, FilesComparison, Only};

/// The extensions of model files.
const EXTENSIONS: [&str; 3] = ["pte", "ptd", "bpte"];

/// Compares two files, or the files with the same relative path in two folders.
///
/// # Errors
///
/// Fails if a folder cannot be listed, if it contains no model file, or if a file is compared with a folder.
pub fn compare(old: &Path, new: &Path) -> Result<FilesComparison, String> {
    let (mut before, mut now) = (files(old)?, files(new)?);
    if old.is_dir() != new.is_dir() {
        return Err("found a file and a folder, expected two files or two folders".to_owned());
    }
    let names: Vec<_> =
        before.keys().chain(now.keys()).cloned().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    let compared = names.into_iter().map(|name| {
        let (old, new) = (before.remove(&name), now.remove(&name));
        let facts = |path: &Option<PathBuf>| path.as_deref().map(facts::facts).transpose();
        match (facts(&old), facts(&new)) {
            (Ok(before), Ok(now)) => {
                FileComparison::new(name, new.or(old).unwrap_or_default(), before.as_ref(), now.as_ref())
            }
            (Err(error), _) | (_, Err(error)) => FileComparison::failed(name, new.or(old).unwrap_or_default(), error),
        }
    });
    Ok(FilesComparison::new(old, new, compared.collect()))
}

/// Returns the model files in a folder by their relative paths. A file alone has the name of the old file.
fn files(path: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    if !path.is_dir() {
        return Ok(BTreeMap::from([(String::new(), path.to_owned())]));
    }
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(path).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        let model = entry.path().extension().is_some_and(|found| EXTENSIONS.iter().any(|known| found == *known));
        if model && entry.file_type().is_file() {
            let name = entry.path().strip_prefix(path).unwrap_or(entry.path()).to_string_lossy().into_owned();
            files.insert(name, entry.into_path());
        }
    }
    if files.is_empty() {
        return Err(format!("{}: found no .pte, .ptd or .bpte file", path.display()));
    }
    Ok(files)
}
