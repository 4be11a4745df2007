//! A built corpus, beside the one in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::error::BuildError;
use super::names::{FOLDERS, MANIFEST};

/// Every generated file of the corpus: its path below the corpus folder, with `/`, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, Vec<u8>>,
}

/// A file that is in a folder not as it was built.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeDifference {
    /// Below the corpus folder, with `/`.
    pub path: String,
    /// What is the matter with it.
    pub change: TreeChange,
}

/// What is the matter with a file in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TreeChange {
    /// It was built and is not there.
    Missing,
    /// It is there and holds something else.
    Differs,
    /// It is there and was not built.
    Extra,
}

impl fmt::Display for TreeDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.change {
            TreeChange::Missing => "missing",
            TreeChange::Differs => "differs",
            TreeChange::Extra => "extra",
        };
        write!(f, "{word:<7}  {}", self.path)
    }
}

impl Tree {
    pub(super) fn new(files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { files }
    }

    /// The files, by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// What is in `dir` otherwise than in here, by path; what is written by hand is not looked at.
    ///
    /// # Errors
    ///
    /// Something below `dir` cannot be read. That there is no such folder is no error: everything is missing then.
    pub fn differences(&self, dir: &Path) -> Result<Vec<TreeDifference>, BuildError> {
        let mut differences = BTreeSet::new();
        for (path, bytes) in &self.files {
            let change = match fs::read(place(dir, path)) {
                Ok(found) if found == *bytes => continue,
                Ok(_) => TreeChange::Differs,
                Err(error) if error.kind() == ErrorKind::NotFound => TreeChange::Missing,
                Err(error) => return Err(BuildError::io(&place(dir, path))(error)),
            };
            differences.insert(TreeDifference { path: path.clone(), change });
        }
        for folder in FOLDERS {
            self.extras(dir, folder, &mut differences)?;
        }
        Ok(differences.into_iter().collect())
    }

    /// Adds what is below `folder` and in no build.
    fn extras(&self, dir: &Path, folder: &str, differences: &mut BTreeSet<TreeDifference>) -> Result<(), BuildError> {
        let place = place(dir, folder);
        let entries = match fs::read_dir(&place) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(BuildError::io(&place))?,
        };
        for entry in entries {
            let entry = entry.map_err(BuildError::io(&place))?;
            let path = format!("{folder}/{}", entry.file_name().display());
            if entry.file_type().map_err(BuildError::io(&entry.path()))?.is_dir() {
                self.extras(dir, &path, differences)?;
            } else if !self.files.contains_key(&path) {
                differences.insert(TreeDifference { path, change: TreeChange::Extra });
            }
        }
        Ok(())
    }

    /// Makes `dir` hold this, and gives what was not so before.
    ///
    /// Each file is written beside its place and then moved there, the manifest after all others, so that none is ever seen
    /// half-written. What is in the generated folders and not in here is deleted.
    ///
    /// # Errors
    ///
    /// Something cannot be written, or would have to be deleted in a folder without a manifest, which is no corpus.
    pub fn write(&self, dir: &Path) -> Result<Vec<TreeDifference>, BuildError> {
        let differences = self.differences(dir)?;
        let extra = differences.iter().find(|difference| difference.change == TreeChange::Extra);
        if let Some(extra) = extra.filter(|_| !dir.join(MANIFEST).is_file()) {
            return Err(BuildError::Foreign { path: place(dir, &extra.path) });
        }
        let (last, first): (Vec<&TreeDifference>, _) = differences.iter().partition(|at| at.path == MANIFEST);
        for TreeDifference { path, change } in first.into_iter().chain(last) {
            let place = place(dir, path);
            match self.files.get(path) {
                Some(bytes) => replace(&place, bytes),
                None => fs::remove_file(&place),
            }
            .map_err(BuildError::io(&place))?;
            if *change == TreeChange::Extra {
                prune(dir, path);
            }
        }
        Ok(differences)
    }
}

fn place(dir: &Path, path: &str) -> PathBuf {
    path.split('/').fold(dir.to_owned(), |place, part| place.join(part))
}

/// Puts a file in place whole or not at all.
fn replace(place: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = place.with_file_name(name);
    let done = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, place));
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done
}

/// Deletes the folders of a deleted file that nothing is left in, below the generated one.
fn prune(dir: &Path, path: &str) {
    let mut path = path;
    while let Some((folder, _)) = path.rsplit_once('/') {
        if !folder.contains('/') || fs::remove_dir(place(dir, folder)).is_err() {
            return;
        }
        path = folder;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        Tree::new(files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect())
    }

    /// A folder of the test's own, empty.
    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("torchproof-tree-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        dir
    }

    fn told(differences: &[TreeDifference]) -> Vec<String> {
        differences.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_written_is_what_is_compared() {
        let dir = folder("written");
        let first = tree(&[("manifest.json", "1"), ("files/a/b/c.pte", "c"), ("files/a/d.pte", "d")]);
        assert_eq!(first.write(&dir).unwrap().len(), 3);
        assert!(first.differences(&dir).unwrap().is_empty());

        // By hand, and none of the build's business.
        fs::write(dir.join("README.md"), "hello").unwrap();
        fs::create_dir(dir.join("real")).unwrap();
        fs::write(dir.join("real/x.pte"), "x").unwrap();

        let second = tree(&[("manifest.json", "2"), ("files/a/d.pte", "D"), ("expect/e.json", "e")]);
        let expected =
            ["missing  expect/e.json", "extra    files/a/b/c.pte", "differs  files/a/d.pte", "differs  manifest.json"];
        assert_eq!(told(&second.differences(&dir).unwrap()), expected);
        assert_eq!(told(&second.write(&dir).unwrap()), expected);
        assert!(second.write(&dir).unwrap().is_empty());
        assert!(!dir.join("files/a/b").exists());
        assert!(dir.join("README.md").exists() && dir.join("real/x.pte").exists());
        assert_eq!(fs::read_dir(dir.join("files/a")).unwrap().count(), 1, "nothing is left beside");
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn nothing_is_deleted_where_there_is_no_corpus() {
        let dir = folder("foreign");
        fs::create_dir_all(dir.join("files")).unwrap();
        fs::write(dir.join("files/mine.txt"), "mine").unwrap();
        let error = tree(&[("manifest.json", "1")]).write(&dir).unwrap_err();
        assert!(matches!(error, BuildError::Foreign { .. }), "{error}");
        assert!(dir.join("files/mine.txt").exists() && !dir.join("manifest.json").exists());
        fs::remove_dir_all(dir).unwrap();
    }
}
