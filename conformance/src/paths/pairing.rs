//! **A program's data files**, found by name.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use globset::GlobBuilder;

use super::sources::{GLOB, Pattern, SourceError, search, sources};

/// Stands for a program's name without the extension in the pattern of [`Pairing::by`].
const STEM: &str = "{stem}";

/// The official exporter's default name for a data file.
const DEFAULT_DATA_FILE: &str = "_default_external_constant.ptd";

#[derive(Debug)]
pub(crate) struct Pairing {
    search: Search,
    /// The files in each folder that has been listed, so that no folder is listed twice.
    folders: Mutex<HashMap<PathBuf, Arc<Folder>>>,
    /// The files for each glob that has been searched, so that one search serves the programs of all stems.
    searched: Mutex<HashMap<PathBuf, Arc<DataFiles>>>,
}

#[derive(Debug)]
enum Search {
    Name,
    Glob(String),
    Nothing,
}

#[derive(Debug, Default)]
struct Folder {
    /// The names of data files, sorted.
    data_files: Vec<OsString>,
    /// The names of programs, without their extensions.
    programs: HashSet<OsString>,
}

impl Pairing {
    /// Pairs `STEM.pte` with `STEM.ptd` and `STEM.*.ptd` in the same folder. A data file that matches several programs
    /// belongs to the program with the longest stem.
    pub(crate) fn by_name() -> Self {
        Self::new(Search::Name)
    }

    /// Pairs a program with the files that match a glob relative to its folder, in which `{stem}` stands for its name
    /// without the extension. The pattern `none` pairs no files.
    pub(crate) fn by(pattern: String) -> Result<Self, String> {
        if pattern == "none" {
            return Ok(Self::new(Search::Nothing));
        }
        let glob = GlobBuilder::new(&pattern.replace(STEM, "stem")).literal_separator(true).build();
        glob.map_err(|error| format!("{error}; correct the glob of --pair-with"))?;
        if let Some(found) = unknown_placeholder(&pattern) {
            return Err(format!("found the placeholder {{{found}}}, expected {STEM}; correct the glob of --pair-with"));
        }
        Ok(Self::new(Search::Glob(pattern)))
    }

    fn new(search: Search) -> Self {
        Self { search, folders: Mutex::default(), searched: Mutex::default() }
    }

    /// Returns the data files of a program, sorted by name; other files have none.
    pub(crate) fn of(&self, program: &Path) -> Result<Vec<PathBuf>, SourceError> {
        let (Some(stem), true) = (program.file_stem(), has_extension(program, "pte")) else { return Ok(Vec::new()) };
        let folder = program.parent().unwrap_or(Path::new(""));
        match &self.search {
            Search::Nothing => Ok(Vec::new()),
            Search::Name => {
                let names = self.folder(folder);
                Ok(names.data_files_of(stem).map(|name| folder.join(name)).collect())
            }
            Search::Glob(pattern) => self.matches(pattern, folder, &globset::escape(&stem.to_string_lossy())),
        }
    }

    /// Returns the data file with the exporter's default name in a program's folder, if programs are paired by name.
    /// External data gets this name unless the user gives another, so it can belong to any program in the folder.
    pub(crate) fn default_of(&self, program: &Path) -> Option<PathBuf> {
        let path = program.parent().unwrap_or(Path::new("")).join(DEFAULT_DATA_FILE);
        (matches!(self.search, Search::Name) && path.is_file()).then_some(path)
    }

    /// Returns the data files that the pattern matches for one stem, if any.
    fn matches(&self, pattern: &str, folder: &Path, stem: &str) -> Result<Vec<PathBuf>, SourceError> {
        let Some(text) = folder.to_str() else {
            let reason = "found a folder whose name is not UTF-8; rename the folder, or pass data files with --with";
            return Err(SourceError { path: folder.to_owned(), reason: reason.to_owned(), unmatched: false });
        };
        let in_folder = |pattern: String| Path::new(&globset::escape(text)).join(pattern);
        let (own, any) = (in_folder(pattern.replace(STEM, stem)), in_folder(for_any_stem(pattern)));
        let split = |glob: &Path| glob.to_str().filter(|text| text.contains(GLOB)).and_then(Pattern::new);
        let (glob, base, pattern) = match (split(&own), split(&any)) {
            (Some((base, pattern)), Some((shared, _))) if base == shared => (any, base, Some(pattern)),
            // The stem selects a folder or a file, so each stem needs a search of its own.
            _ => (own, PathBuf::new(), None),
        };
        let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        let found = searched.entry(glob).or_insert_with_key(|glob| Arc::new(DataFiles::search(glob, &base)));
        let found = Arc::clone(found);
        drop(searched);
        found.of(pattern.as_ref())
    }

    fn folder(&self, folder: &Path) -> Arc<Folder> {
        match self.folders.lock().unwrap_or_else(PoisonError::into_inner).entry(folder.to_owned()) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => Arc::clone(new.insert(Arc::new(Folder::list(folder)))),
        }
    }
}

/// Returns the first word in braces that is not `stem`; in a glob, braces around a single word have no meaning.
fn unknown_placeholder(pattern: &str) -> Option<&str> {
    pattern.split('{').skip(1).find_map(|rest| {
        let (word, _) = rest.split_once('}')?;
        let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (is_word && word != "stem").then_some(word)
    })
}

/// Returns the pattern that matches the files of the programs with all stems.
fn for_any_stem(pattern: &str) -> String {
    let parts = pattern.split('/').map(|part| {
        let mut any = part.replace(STEM, "*");
        // Keep only one of two adjacent stars, because two would mean `**`.
        while part.contains(STEM) && any.contains("**") {
            any = any.replace("**", "*");
        }
        any
    });
    parts.collect::<Vec<_>>().join("/")
}

#[derive(Debug, Default)]
struct DataFiles {
    /// The files, each with its path below the base of the glob, sorted by the bytes of that path.
    files: Vec<(PathBuf, PathBuf)>,
    /// The errors, with the path below the base.
    errors: Vec<(PathBuf, SourceError)>,
}

impl DataFiles {
    fn search(glob: &Path, base: &Path) -> Self {
        let mut found = Self::default();
        let below = |path: &Path| path.strip_prefix(base).unwrap_or(path).to_owned();
        for file in search(glob.to_owned()) {
            match file {
                Ok(path) if has_extension(&path, "ptd") && path.is_file() => found.files.push((below(&path), path)),
                Err(error) if !error.unmatched => found.errors.push((below(&error.path), error)),
                Ok(_) | Err(_) => {}
            }
        }
        found.files.sort_unstable_by(|(one, _), (other, _)| bytes(one).cmp(bytes(other)));
        found
    }

    /// Returns the files that a narrower pattern with the same base matches, or all of them, without duplicates.
    fn of(&self, pattern: Option<&Pattern>) -> Result<Vec<PathBuf>, SourceError> {
        if let Some((_, error)) = self.errors.iter().find(|(below, _)| pattern.is_none_or(|one| one.leads(below))) {
            return Err(error.clone());
        }
        let head = pattern.map_or("", Pattern::head).as_bytes();
        let start = self.files.partition_point(|(below, _)| bytes(below) < head);
        let near = self.files[start..].iter().take_while(|(below, _)| bytes(below).starts_with(head));
        let matching = near.filter(|(below, _)| pattern.is_none_or(|one| one.matches(below)));
        let mut files: Vec<_> = matching.map(|(_, path)| path.clone()).collect();
        files.sort_unstable();
        sources(files).collect()
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

impl Folder {
    fn list(folder: &Path) -> Self {
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut found = Self::default();
        // If a folder cannot be listed, the search for programs reports it.
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

    /// Returns whether the data file also matches a program whose stem has at least `len` bytes.
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
        assert_eq!(paired(&by("[a]*.ptd"), folder.path(), "x.pte"), ["a-b.ptd", "a.lora.ptd", "a.ptd", "ab.ptd"]);
        assert_eq!(paired(&by("./{stem}.*"), folder.path(), "a.pte"), ["a.lora.ptd", "a.ptd"]);
        assert_eq!(paired(&by("{stem}"), folder.path(), "[w].pte"), ["[w]/a.ptd", "[w]/x.ptd"]);
        assert!(Pairing::by("[".to_owned()).is_err());
        assert_eq!(
            Pairing::by("{b,{name}}.ptd".to_owned()).unwrap_err(),
            "found the placeholder {name}, expected {stem}; correct the glob of --pair-with"
        );
        assert_eq!(paired(&by("*.ptd"), &folder.path().join("[w]"), "a.pte"), ["a.ptd", "x.ptd"]);
    }

    #[test]
    fn a_glob_is_searched_once_for_all_programs() {
        let folder = tempfile::tempdir().unwrap();
        for stem in ["a", "b", "ab", "[a]", "c"] {
            std::fs::write(folder.path().join(stem).with_extension("ptd"), "").unwrap();
            std::fs::write(folder.path().join(format!("{stem}.x.ptd")), "").unwrap();
        }
        std::os::unix::fs::symlink("b.ptd", folder.path().join("d.ptd")).unwrap();
        for (pattern, stem, expected) in [
            ("{stem}.*", "a", &["a.ptd", "a.x.ptd"][..]),
            ("{stem}.*", "[a]", &["[a].ptd", "[a].x.ptd"]),
            ("{stem}*", "a", &["a.ptd", "a.x.ptd", "ab.ptd", "ab.x.ptd"]),
            ("*{stem}.ptd", "b", &["ab.ptd", "b.ptd"]),
            ("{b,{stem}}.ptd", "d", &["b.ptd"]),
            ("{b,{stem}}.ptd", "a", &["a.ptd", "b.ptd"]),
            ("**/{stem}.ptd", "d", &["d.ptd"]),
        ] {
            let pairing = Pairing::by(pattern.to_owned()).unwrap();
            for other in ["a", "b", "[a]", "none"] {
                pairing.of(&folder.path().join(other).with_extension("pte")).unwrap();
            }
            assert_eq!(paired(&pairing, folder.path(), &format!("{stem}.pte")), expected, "{pattern} {stem}");
            assert_eq!(pairing.searched.lock().unwrap().len(), 1, "{pattern}");
        }
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
