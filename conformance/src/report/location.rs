//! **The file to which a SARIF report pins failures**, because code-scanning sites show only results in files of the
//! repository.

use std::path::{Path, PathBuf};

use torchproof_harness::disk::open::open_regular;
use torchproof_harness::run::record::RunReport;

/// Project files, in order of preference.
const PROJECT_FILES: [&str; 11] = [
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "package.json",
    "go.mod",
    "CMakeLists.txt",
    "BUILD.bazel",
    "Makefile",
    "Package.swift",
    "README.md",
    "README",
];

/// The first bytes of ELF and Mach-O executables, which do not belong in a repository.
const PROGRAM_MAGIC: [&[u8]; 3] = [b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];

pub(crate) const NO_CHECKOUT_FILE: &str =
    "found no file in a checkout to attach the results to; pass --sarif-location FILE";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckoutFile {
    /// The path relative to the top of the repository.
    pub(crate) path: PathBuf,
    is_known_list: bool,
}

impl CheckoutFile {
    /// Returns `listed` if the file is the list of known failures, otherwise 1.
    pub(crate) fn line(&self, listed: Option<usize>) -> usize {
        listed.filter(|_| self.is_known_list).unwrap_or(1)
    }
}

/// Returns `given`, or the first of these files that is in the repository of the current folder: the list of known
/// failures, a source file named in a reader's address, a project file.
pub(crate) fn checkout_file(report: &RunReport, given: Option<&Path>) -> Option<CheckoutFile> {
    find(report, given, &std::env::current_dir().ok()?)
}

fn find(report: &RunReport, given: Option<&Path>, here: &Path) -> Option<CheckoutFile> {
    let top = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(here);
    let inside = |path: &Path| {
        let path = here.join(path).canonicalize().ok().filter(|path| path.is_file())?;
        path.strip_prefix(top.canonicalize().ok()?).ok().map(Path::to_owned)
    };
    let found = |path| Some(CheckoutFile { path, is_known_list: false });
    if let Some(path) = given {
        return inside(path).and_then(found);
    }
    let known = report.options.get("known").into_iter().flatten().find_map(|path| inside(Path::new(path)));
    if let Some(path) = known {
        return Some(CheckoutFile { path, is_known_list: true });
    }
    let commands = report.readers.iter().filter_map(|reader| reader.address.split_once(':'));
    let words = commands.filter_map(|(_, command)| shell_words::split(command).ok()).flatten();
    // Someone else may have written the results, so open only files in the repository.
    let source = words.map(PathBuf::from).filter(|path| path.is_relative()).filter_map(|path| inside(&path));
    let source = source.filter(|path| !is_program(&top.join(path)));
    let project = PROJECT_FILES.iter().map(PathBuf::from);
    let of_top = PROJECT_FILES.iter().map(|name| top.join(name));
    source.chain(project.chain(of_top).filter_map(|path| inside(&path))).next().and_then(found)
}

fn is_program(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 4];
    let read = open_regular(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && PROGRAM_MAGIC.contains(&start.as_slice())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

    use std::fs;

    use super::*;
    use torchproof_harness::run::record::{CorpusReport, GivenValues};

    #[test]
    fn prefers_the_known_failures_then_a_source_file_then_a_project_file() {
        let top = tempfile::tempdir().unwrap();
        let here = top.path().join("readers");
        fs::create_dir_all(top.path().join(".git")).unwrap();
        fs::create_dir_all(&here).unwrap();
        let report = |known: Option<&str>| {
            let options = GivenValues::from_iter(known.map(|path| ("known".to_owned(), vec![path.to_owned()])));
            let corpus = CorpusReport { version: String::new(), digest: String::new() };
            let mut report = RunReport::new(corpus, options, Vec::new(), Vec::new(), None, None);
            let reader = serde_json::json!({
                "reader": "r", "name": "r", "delivery": "file", "address": "mine=once:./built worker.py", "version": "",
                "language": "", "formats": [], "stages": [], "capabilities": [], "deliveries": [],
            });
            report.readers.push(serde_json::from_value(reader).unwrap());
            report
        };
        let path = |known, given: Option<&str>| {
            let file = find(&report(known), given.map(Path::new), &here)?;
            Some((file.path.to_str().unwrap().to_owned(), file.is_known_list))
        };
        fs::write(here.join("built"), b"\x7fELF....").unwrap();
        assert_eq!(path(Some("known.toml"), None), None);
        fs::write(top.path().join("README.md"), "x").unwrap();
        assert_eq!(path(None, None), Some(("README.md".to_owned(), false)));
        fs::write(here.join("worker.py"), "x").unwrap();
        assert_eq!(path(Some("known.toml"), None), Some(("readers/worker.py".to_owned(), false)));
        fs::write(here.join("known.toml"), "x").unwrap();
        assert_eq!(path(Some("known.toml"), None), Some(("readers/known.toml".to_owned(), true)));
        assert_eq!(path(Some("known.toml"), Some("../README.md")), Some(("README.md".to_owned(), false)));
        assert_eq!(path(None, Some("/etc/passwd")), None);
    }
}
