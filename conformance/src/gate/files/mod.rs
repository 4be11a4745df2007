//! **The comparison of model files** from two exporter versions: what differs, and what a reader will notice.

mod area;
mod compare;
mod effect;
mod facts;
mod report;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use torchproof_harness::disk::io_error::cannot_read;
use torchproof_harness::text::escape::plain_name;

pub use area::Area;
pub use compare::FileDifference;
pub use report::{FileComparison, FilesComparison};

use compare::differences;

use crate::paths::sources::search;

pub fn compare(old: &Path, new: &Path) -> Result<FilesComparison, String> {
    if let Some(missing) = [old, new].into_iter().find(|path| !path.exists()) {
        return Err(cannot_read(missing, &io::ErrorKind::NotFound.into()));
    }
    if old.is_dir() != new.is_dir() {
        return Err("found a file and a folder, expected two files or two folders".to_owned());
    }
    let (mut before, mut now) = (files(old)?, files(new)?);
    let names: BTreeSet<_> = before.keys().chain(now.keys()).cloned().collect();
    let compared = names.into_iter().map(|name| {
        let (old, new) = (before.remove(&name), now.remove(&name));
        let facts = |path: &Option<PathBuf>| path.as_deref().map(facts::facts).transpose();
        let found = facts(&old).and_then(|before| Ok(differences(before.as_ref(), facts(&new)?.as_ref())));
        FileComparison::new(name, new.or(old).unwrap_or_default(), found)
    });
    Ok(FilesComparison::new(old, new, compared.collect()))
}

/// The files by relative path, which is empty if `path` is a file.
fn files(path: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    if !path.is_dir() {
        return Ok(BTreeMap::from([(String::new(), path.to_owned())]));
    }
    let mut files = BTreeMap::new();
    for found in search(path.to_owned()) {
        let file = found.map_err(|error| error.to_string())?;
        // `check` cannot examine a program in a package.
        if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ptn")) {
            let name = file.strip_prefix(path).unwrap_or(&file).to_string_lossy().into_owned();
            files.insert(name, file);
        }
    }
    if files.is_empty() {
        return Err(format!(
            "{}: found no .pte, .ptd or .bpte file; pass another folder",
            plain_name(&path.to_string_lossy())
        ));
    }
    Ok(files)
}
