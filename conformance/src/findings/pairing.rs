//! **The data files of a program**, found by their names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::sources::{NotFound, sources};

/// The word in the pattern of [`Pairing::by`] that stands for the name of the program without its extension.
const STEM: &str = "{stem}";

/// A way to find the data files of a program.
#[derive(Debug, Default)]
pub struct Pairing {
    pattern: Option<String>,
    /// The data files of each folder that was listed, by name. Each folder is listed once.
    folders: Mutex<HashMap<PathBuf, Arc<[OsString]>>>,
}

impl Pairing {
    /// Pairs `STEM.pte` with the files `STEM.ptd` and `STEM.*.ptd` in the same folder.
    #[must_use]
    pub fn by_name() -> Self {
        Self::default()
    }

    /// Pairs a program with the files that match a glob. The glob is relative to the program's folder, and `{stem}` stands for
    /// the program's name without its extension.
    #[must_use]
    pub fn by(pattern: String) -> Self {
        Self { pattern: Some(pattern), ..Self::default() }
    }

    /// Returns the data files of a program, sorted by name. Another file than a program has no data files.
    ///
    /// # Errors
    ///
    /// Fails if the glob matches a folder that cannot be listed.
    pub fn of(&self, program: &Path) -> Result<Vec<PathBuf>, NotFound> {
        let (Some(stem), true) = (program.file_stem(), has_extension(program, "pte")) else { return Ok(Vec::new()) };
        let folder = program.parent().unwrap_or(Path::new(""));
        let Some(pattern) = &self.pattern else {
            let prefix = [stem.as_encoded_bytes(), b"."].concat();
            let names = self.data_files(folder);
            let start = names.partition_point(|name| name.as_encoded_bytes() < &prefix[..]);
            let paired = names[start..].iter().take_while(|name| name.as_encoded_bytes().starts_with(&prefix));
            return Ok(paired.map(|name| folder.join(name)).collect());
        };
        let escaped = |text: &str| globset::escape(text);
        let pattern = pattern.replace(STEM, &escaped(&stem.to_string_lossy()));
        let glob = match folder.to_str() {
            Some("") | None => PathBuf::from(pattern),
            Some(folder) => PathBuf::from(escaped(folder)).join(pattern),
        };
        let data_file = |path: &PathBuf| has_extension(path, "ptd") && path.is_file();
        let found = sources(vec![glob]).filter(|found| found.as_ref().map_or(true, data_file));
        // A program without data files is not an error.
        found.filter(|found| !matches!(found, Err(NotFound { unmatched: true, .. }))).collect()
    }

    /// Returns the sorted names of the data files in a folder.
    fn data_files(&self, folder: &Path) -> Arc<[OsString]> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        match folders.entry(folder.to_owned()) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => {
                let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                // The search for programs reports a folder that cannot be listed.
                let names = std::fs::read_dir(listed).into_iter().flatten().flatten().map(|entry| entry.file_name());
                let mut names: Vec<_> = names.filter(|name| has_extension(Path::new(name), "ptd")).collect();
                names.sort_unstable();
                Arc::clone(new.insert(names.into()))
            }
        }
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
        let by = |pattern: &str| Pairing::by(pattern.to_owned());
        assert_eq!(paired(&by("{stem}*.ptd"), folder.path(), "a.pte"), ["a-b.ptd", "a.lora.ptd", "a.ptd", "ab.ptd"]);
        assert_eq!(paired(&by("*/{stem}.ptd"), folder.path(), "a.pte"), ["[w]/a.ptd"]);
        assert_eq!(paired(&by("{stem}.ptd"), folder.path(), "[x].pte"), ["[x].ptd"]);
        assert_eq!(paired(&by("none"), folder.path(), "a.pte"), [""; 0]);
        assert_eq!(paired(&by("*.ptd"), &folder.path().join("[w]"), "a.pte"), ["a.ptd", "x.ptd"]);
    }
}
