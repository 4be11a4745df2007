//! **The data files of a program**, found by their names.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use globset::GlobBuilder;

use super::sources::{NotFound, sources};

/// The placeholder in the pattern of [`Pairing::by`] for the program's name without its extension.
const STEM: &str = "{stem}";

/// A way to find the data files of a program.
#[derive(Debug)]
pub struct Pairing {
    search: Search,
    /// The files of each folder that was listed. Each folder is listed once.
    folders: Mutex<HashMap<PathBuf, Arc<Folder>>>,
    /// The files of each glob that was searched. Each glob is searched once.
    globs: Mutex<HashMap<PathBuf, Result<Vec<PathBuf>, NotFound>>>,
}

#[derive(Debug)]
enum Search {
    Name,
    Glob(String),
    Nothing,
}

/// The names of the files in a folder.
#[derive(Debug, Default)]
struct Folder {
    /// The names of the data files, sorted.
    data_files: Vec<OsString>,
    /// The names of the programs without their extensions.
    programs: HashSet<OsString>,
}

impl Pairing {
    /// Pairs `STEM.pte` with the files `STEM.ptd` and `STEM.*.ptd` in the same folder. A data file that matches several programs
    /// belongs to the program with the longest stem.
    #[must_use]
    pub fn by_name() -> Self {
        Self::new(Search::Name)
    }

    /// Pairs a program with the files that match a glob. The glob is relative to the program's folder, and `{stem}`
    /// stands for the program's name without its extension. The pattern `none` pairs no files.
    ///
    /// # Errors
    ///
    /// Fails if the glob is invalid.
    pub fn by(pattern: String) -> Result<Self, String> {
        if pattern == "none" {
            return Ok(Self::new(Search::Nothing));
        }
        let glob = GlobBuilder::new(&pattern.replace(STEM, "stem")).literal_separator(true).build();
        glob.map_err(|error| format!("{error}; correct the glob of --pairs"))?;
        Ok(Self::new(Search::Glob(pattern)))
    }

    fn new(search: Search) -> Self {
        Self { search, folders: Mutex::default(), globs: Mutex::default() }
    }

    /// Returns the data files of a program, sorted by name. A file that is not a program has no data files.
    ///
    /// # Errors
    ///
    /// Fails if the glob matches a folder that cannot be listed.
    pub fn of(&self, program: &Path) -> Result<Vec<PathBuf>, NotFound> {
        let (Some(stem), true) = (program.file_stem(), has_extension(program, "pte")) else { return Ok(Vec::new()) };
        let folder = program.parent().unwrap_or(Path::new(""));
        match &self.search {
            Search::Nothing => Ok(Vec::new()),
            Search::Name => {
                let names = self.folder(folder);
                Ok(names.data_files_of(stem).map(|name| folder.join(name)).collect())
            }
            Search::Glob(pattern) => {
                let pattern = pattern.replace(STEM, &globset::escape(&stem.to_string_lossy()));
                self.matches(match folder.to_str() {
                    Some("") | None => PathBuf::from(pattern),
                    Some(folder) => PathBuf::from(globset::escape(folder)).join(pattern),
                })
            }
        }
    }

    /// Returns the data files that match a glob. A glob without a match is not an error.
    fn matches(&self, glob: PathBuf) -> Result<Vec<PathBuf>, NotFound> {
        if let Some(known) = self.globs.lock().unwrap_or_else(PoisonError::into_inner).get(&glob) {
            return known.clone();
        }
        let is_data_file = |path: &PathBuf| has_extension(path, "ptd") && path.is_file();
        let found = sources(vec![glob.clone()]).filter(|found| found.as_ref().map_or(true, is_data_file));
        let found: Result<Vec<_>, _> =
            found.filter(|found| !matches!(found, Err(NotFound { unmatched: true, .. }))).collect();
        self.globs.lock().unwrap_or_else(PoisonError::into_inner).insert(glob, found.clone());
        found
    }

    fn folder(&self, folder: &Path) -> Arc<Folder> {
        match self.folders.lock().unwrap_or_else(PoisonError::into_inner).entry(folder.to_owned()) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => Arc::clone(new.insert(Arc::new(Folder::list(folder)))),
        }
    }
}

impl Folder {
    fn list(folder: &Path) -> Self {
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut found = Self::default();
        // Ignore errors here, because the search for programs reports a folder that cannot be listed.
        for entry in std::fs::read_dir(listed).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if has_extension(Path::new(&name), "pte") {
                found.programs.extend(Path::new(&name).file_stem().map(OsStr::to_owned));
            } else if has_extension(Path::new(&name), "ptd") && entry.path().is_file() {
                found.data_files.push(name);
            }
        }
        found.data_files.sort_unstable();
        found
    }

    fn data_files_of(&self, stem: &OsStr) -> impl Iterator<Item = &OsString> {
        let prefix = [stem.as_encoded_bytes(), b"."].concat();
        let start = self.data_files.partition_point(|name| name.as_encoded_bytes() < &prefix[..]);
        let matching = self.data_files[start..].iter();
        let len = prefix.len();
        matching
            .take_while(move |name| name.as_encoded_bytes().starts_with(&prefix))
            .filter(move |name| !self.has_longer_stem(name, len))
    }

    /// Returns whether the name of the data file begins with a program's stem of at least `len` bytes.
    fn has_longer_stem(&self, data_file: &OsStr, len: usize) -> bool {
        let mut rest = Path::new(data_file).file_stem();
        while let Some(stem) = rest.filter(|stem| stem.len() >= len) {
            if self.programs.contains(stem) {
                return true;
            }
            rest = Path::new(stem).file_stem().filter(|shorter| *shorter != stem);
        }
        false
    }
}

fn has_extension(path: &Path, expected: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(pairing: &Pairing, folder: &Path, program: &str) -> Vec<String> {
        let files = pairing.of(&folder.join(program)).unwrap();
        files.iter().map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect()
    }

    #[test]
    fn programs_are_paired_by_name_or_by_a_glob() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("[w]")).unwrap();
        for name in
            ["a.pte", "a.ptd", "a.lora.ptd", "ab.ptd", "a-b.ptd", "b.ptd", "a.txt", "[w]/a.ptd", "[w]/x.ptd", "[x].ptd"]
        {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let by_name = Pairing::by_name();
        assert_eq!(paired(&by_name, folder.path(), "a.pte"), ["a.lora.ptd", "a.ptd"]);
        assert_eq!(paired(&by_name, folder.path(), "c.pte"), [""; 0]);
        assert_eq!(paired(&by_name, folder.path(), "a.ptd"), [""; 0]);
        let by = |pattern: &str| Pairing::by(pattern.to_owned()).unwrap();
        assert_eq!(paired(&by("{stem}*.ptd"), folder.path(), "a.pte"), ["a-b.ptd", "a.lora.ptd", "a.ptd", "ab.ptd"]);
        assert_eq!(paired(&by("*/{stem}.ptd"), folder.path(), "a.pte"), ["[w]/a.ptd"]);
        assert_eq!(paired(&by("{stem}.ptd"), folder.path(), "[x].pte"), ["[x].ptd"]);
        assert_eq!(paired(&by("none"), folder.path(), "a.pte"), [""; 0]);
        assert!(Pairing::by("[".to_owned()).is_err());
        assert_eq!(paired(&by("*.ptd"), &folder.path().join("[w]"), "a.pte"), ["a.ptd", "x.ptd"]);
    }

    #[test]
    fn a_data_file_belongs_to_the_program_with_the_longest_stem() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["m.pte", "m.v2.pte", "m.ptd", "m.v2.ptd", "m.v2.lora.ptd", "m.v3.ptd"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("m.folder.ptd")).unwrap();
        let by_name = Pairing::by_name();
        assert_eq!(paired(&by_name, folder.path(), "m.pte"), ["m.ptd", "m.v3.ptd"]);
        assert_eq!(paired(&by_name, folder.path(), "m.v2.pte"), ["m.v2.lora.ptd", "m.v2.ptd"]);
    }
}
