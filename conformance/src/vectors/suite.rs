//! Complete tests: the vectors, a program that runs them, the exceptions, and the build files.

use minijinja::context;
use torchproof::Stage;
use torchproof::corpus::Verdict;
use torchproof_harness::corpus::{Case, Corpus, Manifest, case_glob};

use super::language::Language;
use super::source::{Error, fill};
use crate::init::NewFile;

/// The cases, ordered so that each case tests loader checks that no earlier case tests.
const BY_CHECKS: &str = include_str!("suite/loader-checks.tsv");

/// Public reports about released loaders that, as far as we know, no release has fixed: a glob for cases and the address of the report.
const REPORTED: &str = include_str!("suite/reported.tsv");

/// The number of cases in a test if the user selects none.
const DEFAULT_CASES: usize = 50;

/// A complete test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suite {
    Gtest,
    Python,
    Rust,
}

/// Returns the ids of the cases in a test if the user selects none.
pub(crate) fn default_cases() -> Vec<String> {
    BY_CHECKS.lines().skip(1).take(DEFAULT_CASES).filter_map(|line| Some(line.split('\t').next()?.to_owned())).collect()
}

impl Suite {
    const fn language(self) -> Language {
        match self {
            Suite::Gtest => Language::Cpp,
            Suite::Python => Language::Python,
            Suite::Rust => Language::Rust,
        }
    }

    /// Returns the path and the template of each file except the vectors.
    const fn templates(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Suite::Gtest => &[
                ("loader_vectors_test.cpp", include_str!("suite/gtest/loader_vectors_test.cpp")),
                ("exceptions.h", include_str!("suite/gtest/exceptions.h.jinja")),
                ("CMakeLists.txt", include_str!("suite/gtest/CMakeLists.txt")),
                ("targets.bzl", include_str!("suite/gtest/targets.bzl")),
                ("README.md", include_str!("suite/gtest/README.md.jinja")),
            ],
            Suite::Python => &[
                ("test_vectors.py", include_str!("suite/pytest/test_vectors.py")),
                ("reader.py", include_str!("suite/pytest/reader.py")),
                ("exceptions.py", include_str!("suite/pytest/exceptions.py.jinja")),
                ("README.md", include_str!("suite/pytest/README.md.jinja")),
            ],
            Suite::Rust => &[
                ("main.rs", include_str!("suite/rust/main.rs.txt")),
                ("reader.rs", include_str!("suite/rust/reader.rs.txt")),
                ("exceptions.rs", include_str!("suite/rust/exceptions.rs.jinja")),
                ("README.md", include_str!("suite/rust/README.md.jinja")),
            ],
        }
    }

    const fn vectors_path(self) -> &'static str {
        match self {
            Suite::Gtest => "vectors.h",
            Suite::Python => "vectors.py",
            Suite::Rust => "vectors.rs",
        }
    }

    /// Returns the test's files. Its cases include every control.
    pub(crate) fn files(self, corpus: &Corpus, mut cases: Manifest) -> Result<Vec<NewFile>, Error> {
        cases.cases.retain(|case| case.verdict != Verdict::Either);
        let unfit = |case: &&_| self == Suite::Gtest && !is_for_loader(case);
        if let Some(case) = cases.cases.iter().find(unfit) {
            let message = "at most a program with one data file, and no execution; select other cases";
            return Err(format!("{}: found a case that the test cannot run, expected {message}", case.id).into());
        }
        let mut exceptions = Vec::new();
        for (glob, reference) in REPORTED.lines().filter_map(|line| line.split_once('\t')) {
            let glob = case_glob(glob)?.compile_matcher();
            let known = cases.cases.iter().filter(|case| case.verdict == Verdict::Reject && glob.is_match(&case.id));
            exceptions.extend(known.map(|case| context!(id => case.id.as_str(), reference)));
        }
        let (count, version) = (cases.cases.len(), &cases.version);
        let values = context!(exceptions, count, version);
        let file = |path: &str, text| NewFile { path: path.to_owned(), text, is_executable: false };
        let vectors = self.language().render(corpus, &cases, true)?;
        let mut files = vec![file(self.vectors_path(), vectors)];
        for (path, template) in self.templates() {
            let is_template = template.contains("{{") && (path.starts_with("exceptions") || path.ends_with(".md"));
            let text = if is_template { fill(template, values.clone())? } else { (*template).to_owned() };
            files.push(file(path, text));
        }
        Ok(files)
    }
}

/// Returns whether the C++ loader's test can run the case: it loads programs with at most one data file, and executes
/// nothing.
fn is_for_loader(case: &Case) -> bool {
    case.needs.iter().all(|need| need == "pairs")
        && case.files.len() <= 2
        && case.target_bits.is_none()
        && case.stage != Some(Stage::Execute)
        && !case.id.starts_with("ptd-legacy/")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may panic on a broken fixture.

    use std::fs;

    use super::*;

    #[test]
    fn default_cases_exist() {
        let ids = default_cases();
        assert_eq!(ids.len(), DEFAULT_CASES);
        for id in ids {
            assert!(torchproof::corpus::find(&id).is_some(), "{id}");
        }
    }

    #[test]
    fn each_exception_has_a_report_that_the_book_names() {
        let page = |name| fs::read_to_string(format!("{}/../docs/src/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let pages = page("loader-bugs.md") + &page("review.md");
        for (glob, reference) in REPORTED.lines().filter_map(|line| line.split_once('\t')) {
            assert!(pages.contains(&format!("({reference})")), "{glob}: {reference}");
        }
    }
}
