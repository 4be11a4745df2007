//! The corpus, or part of it, as a tar archive.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use walkdir::WalkDir;

use super::build::{DICTIONARIES, digest, index, manifest_text};
use super::folder::{INDEX, MANIFEST, read_if_there};
use super::{Case, CaseSelection, CorpusError, Manifest};
use crate::disk::io_error::PathError;

/// The files that every export includes if the folder contains them.
const BY_HAND: [&str; 2] = ["CHANGELOG.md", "README.md"];

/// Returns the text about a case, given its first file and the base of its recipe.
type Annotate<'a> = &'a dyn Fn(&Case, Vec<u8>, Option<Vec<u8>>) -> String;

/// Returns the corpus in `dir` as a tar archive with one top-level folder. Its bytes depend only on the files' content:
/// entries are sorted, and have no owner and no time.
///
/// A selection's archive also contains the controls of its cases, recursively, and has its own manifest and digest. A
/// selection that matches no case is an error. `annotate` adds a text for each case, at `annotated/ID.txt`.
pub fn archive(
    dir: &Path,
    manifest: &Manifest,
    choice: Option<&CaseSelection>,
    annotate: Option<Annotate<'_>>,
) -> Result<Vec<u8>, CorpusError> {
    let part = choice.map(|choice| part(manifest, choice, true)).transpose()?;
    let manifest = part.as_ref().unwrap_or(manifest);
    let mut files = BTreeMap::new();
    files.insert(MANIFEST.to_owned(), manifest_text(manifest));
    files.insert(INDEX.to_owned(), index(&manifest.cases).into_bytes());
    for path in manifest.cases.iter().flat_map(|case| case.files.iter().map(|file| &file.path).chain(&case.expect)) {
        let missing = || PathError::read(&dir.join(path))(io::ErrorKind::NotFound.into());
        files.insert(path.clone(), read_if_there(dir, path)?.ok_or_else(missing)?);
    }
    if let Some(annotate) = annotate {
        let all = &manifest.cases;
        let bytes = |case: &Case| files.get(&case.files.first()?.path).cloned();
        let text = |case: &Case| {
            let base = case.recipe.as_ref().and_then(|recipe| all.iter().find(|base| base.id == recipe.base));
            let text = annotate(case, bytes(case).unwrap_or_default(), base.and_then(bytes));
            (format!("annotated/{}.txt", case.id), text.into_bytes())
        };
        let texts: Vec<_> = all.iter().map(text).collect();
        files.extend(texts);
    }
    let mut beside: Vec<String> = DICTIONARIES.iter().chain(&BY_HAND).map(|path| (*path).to_owned()).collect();
    if part.is_none() {
        beside.extend(exported(dir)?);
    }
    for path in beside {
        if let Some(bytes) = read_if_there(dir, &path)? {
            files.insert(path, bytes);
        }
    }
    let folder = format!("torchproof-corpus-{}", manifest.version);
    Ok(tar(&folder, &files).map_err(PathError::write(Path::new("the archive")))?)
}

/// Returns the manifest of the selected cases and, if `with_controls` is true, of their controls, recursively.
///
/// # Errors
///
/// Fails if the selection matches no case, or if it names an unknown rule.
pub fn part(manifest: &Manifest, choice: &CaseSelection, with_controls: bool) -> Result<Manifest, CorpusError> {
    choice.check(&manifest.cases)?;
    let mut taken = BTreeSet::new();
    let mut pending: Vec<&str> =
        manifest.cases.iter().filter(|case| choice.takes(case)).map(|case| case.id.as_str()).collect();
    while let Some(id) = pending.pop() {
        let Some(case) = manifest.cases.iter().find(|case| case.id == id).filter(|_| taken.insert(id)) else {
            continue;
        };
        if !with_controls {
            continue;
        }
        pending.extend(case.control.as_deref());
        pending.extend(case.recipe.as_ref().map(|recipe| recipe.base.as_str()));
    }
    if taken.is_empty() {
        return Err(CorpusError::NothingChosen);
    }
    let mut part = manifest.clone();
    part.cases.retain(|case| taken.contains(case.id.as_str()));
    part.digest = digest(&part.cases);
    Ok(part)
}

/// Returns the paths of the files that exporters wrote, in the folders `real` and `released`.
fn exported(dir: &Path) -> Result<Vec<String>, CorpusError> {
    let mut paths = Vec::new();
    for top in ["real", "released"].map(|folder| dir.join(folder)).iter().filter(|top| top.is_dir()) {
        for entry in WalkDir::new(top).min_depth(1).max_depth(5) {
            let entry = entry.map_err(|error| PathError::folder(top)(error.into()))?;
            if entry.file_type().is_file() {
                let inside = entry.path().strip_prefix(dir).unwrap_or(entry.path());
                let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
                paths.push(parts.join("/"));
            }
        }
    }
    Ok(paths)
}

fn tar(folder: &str, files: &BTreeMap<String, Vec<u8>>) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_entry_type(tar::EntryType::Regular);
        archive.append_data(&mut header, format!("{folder}/{path}"), bytes.as_slice())?;
    }
    archive.into_inner()
}
