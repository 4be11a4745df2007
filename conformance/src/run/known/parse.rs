//! Parses a list of known failures.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use globset::{Glob, GlobMatcher};
use serde::Deserialize;
use toml::Spanned;

use super::{Entry, Known, KnownError, UNWRITTEN};
use crate::corpus::case_glob;
use crate::corpus::{Case, Status};
use crate::run::grade::Grade;
use crate::run::record::area;

/// The outcomes that can make a run fail. These outcomes are valid values of `expect` in addition to grades.
const OUTCOMES: [&str; 4] = ["accept", "reject", "crash", "out-of-memory"];

/// The known failures of readers: a TOML file of `[[known]]` entries.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownFile {
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Raw>"))]
    known: Vec<Spanned<Raw>>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Raw {
    /// The id of a case, or a glob as for `--cases`. All matching ids must have the same first two parts.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    case: String,
    /// The expected failure: a grade that makes a run fail, an outcome, or a list of grades and outcomes.
    expect: Words,
    /// The reason, written by a person.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"\S"), extend("not" = { "pattern": "^TODO: say why" })))]
    reason: String,
    /// A name for the reader, or a glob for names. A name is the name in reports or in `hello`, or the name followed by
    /// the version. Default: all readers.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    reader: Option<String>,
    /// The web address or the id of an issue with more details.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"\S")))]
    reference: Option<String>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`expect` must be a grade, an outcome, or a list of these")]
enum Words {
    One(#[cfg_attr(feature = "schema", schemars(regex(pattern = FAILURE)))] String),
    Many(#[cfg_attr(feature = "schema", schemars(length(min = 1), inner(regex(pattern = FAILURE))))] Vec<String>),
}

/// The regular expression for valid values of `expect`: the grades that make a run fail, and [`OUTCOMES`].
#[cfg(feature = "schema")]
const FAILURE: &str = "^(accepts-invalid|rejects-valid|wrong-value|late-reject|crash|hang|resource|vacuous|adapter-error\
    |accept|reject|out-of-memory)$";

impl Known {
    /// Reads the list of known failures at `path`.
    ///
    /// If `update` is set, the run rewrites the list. With `update`, the file can be missing, and reasons can be
    /// placeholders.
    ///
    /// # Errors
    /// Fails if the file cannot be read, if an entry is incomplete, or if an expected result cannot make a run fail.
    pub fn load(path: &Path, update: bool) -> Result<Self, KnownError> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(path, text, update),
            Err(error) if update && error.kind() == io::ErrorKind::NotFound => {
                Ok(Known { path: path.to_owned(), text: String::new(), entries: Vec::new() })
            }
            Err(error) => Err(KnownError::Io { path: path.to_owned(), error }),
        }
    }

    fn parse(path: &Path, text: String, update: bool) -> Result<Self, KnownError> {
        let line_at = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        let file: KnownFile = toml::from_str(&text).map_err(|error| {
            let line = line_at(error.span().map_or(0, |span| span.start));
            KnownError::at(path, line, error.message())
        })?;
        let entry = |raw: Spanned<Raw>| {
            let line = line_at(raw.span().start);
            Entry::new(raw.into_inner(), line, update).map_err(|message| KnownError::at(path, line, message))
        };
        let entries = file.known.into_iter().map(entry).collect::<Result<_, _>>()?;
        Ok(Known { path: path.to_owned(), text, entries })
    }

    /// Checks that the entries are unambiguous. Each entry must match cases of only one area, and two entries must not
    /// match the same case and reader.
    ///
    /// # Errors
    /// Fails if an entry matches several areas, or if two entries overlap. The error gives the line of the entry.
    pub(crate) fn check(&self, cases: &[Case]) -> Result<(), KnownError> {
        let error = |entry: &Entry, message: String| Err(KnownError::at(&self.path, entry.line, message));
        for (at, entry) in self.entries.iter().enumerate() {
            let covered = || entry.matching(cases);
            let areas: BTreeSet<&str> = covered().map(|case| area(&case.id)).collect();
            if let [one, other, ..] = areas.iter().collect::<Vec<_>>()[..] {
                let (glob, count) = (&entry.case, areas.len());
                return error(
                    entry,
                    format!(
                        "found cases of {count} areas for `{glob}`, such as {one} and {other}; expected one area; split the entry"
                    ),
                );
            }
            let twice = self.entries[..at].iter().find_map(|before| {
                let same = match (&before.reader, &entry.reader) {
                    (Some((one, _)), Some((other, _))) => one == other,
                    _ => true,
                };
                covered().find(|case| same && before.glob.is_match(&case.id)).map(|case| (before.line, case))
            });
            if let Some((line, case)) = twice {
                return error(entry, format!("line {line} lists {} already; remove one of the entries", case.id));
            }
        }
        Ok(())
    }
}

impl Entry {
    fn new(raw: Raw, line: usize, update: bool) -> Result<Self, String> {
        let Raw { case, expect, reason, reader, reference } = raw;
        let glob = case_glob(&case).map_err(|error| format!("`case`: {error}"))?;
        let expect = match expect {
            Words::One(word) => vec![word],
            Words::Many(words) => words,
        };
        if expect.is_empty() {
            return Err(format!("`expect` is empty for {case}; expected a grade or an outcome"));
        }
        for word in &expect {
            expected(word)?;
        }
        if reason.trim().is_empty() {
            return Err(format!("`reason` is empty for {case}; expected the reason of the failure"));
        }
        if reason.starts_with(UNWRITTEN) && !update {
            return Err(format!("`reason` is still `{UNWRITTEN}` for {case}; write the reason of the failure"));
        }
        if reference.as_ref().is_some_and(|reference| reference.trim().is_empty()) {
            return Err("`reference` is empty; leave it out if there is none".to_owned());
        }
        let reader = reader.map(|reader| reader_glob(&reader).map(|glob| (reader, glob))).transpose()?;
        Ok(Entry { case, glob, reader, expect, reason, reference, line })
    }

    /// Returns the cases that the entry matches, except retired cases.
    pub(super) fn matching<'a>(&'a self, cases: &'a [Case]) -> impl Iterator<Item = &'a Case> {
        cases.iter().filter(|case| case.status != Status::Retired && self.glob.is_match(&case.id))
    }
}

/// Checks that a result with the grade or outcome `word` can make a run fail.
fn expected(word: &str) -> Result<(), String> {
    let grade = Grade::ALL.into_iter().find(|grade| grade.name() == word);
    match grade {
        Some(grade) if grade.is_unexpected() && grade != Grade::Fixed => Ok(()),
        _ if OUTCOMES.contains(&word) => Ok(()),
        Some(_) => Err(format!("`expect`: `{word}` does not fail a run; remove the entry")),
        None => {
            let failing = Grade::ALL.into_iter().filter(|grade| grade.is_unexpected() && *grade != Grade::Fixed);
            let grades = failing.map(Grade::name).collect::<Vec<_>>().join(", ");
            Err(format!(
                "`expect`: found `{word}`, expected a grade ({grades}) or an outcome ({})",
                OUTCOMES.join(", ")
            ))
        }
    }
}

fn reader_glob(text: &str) -> Result<GlobMatcher, String> {
    Glob::new(text).map(|glob| glob.compile_matcher()).map_err(|error| format!("`reader`: {error}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    #[test]
    fn reports_an_invalid_entry_with_its_line() {
        let errors = [
            "expect = \"crash\"",
            "expect = \"crash\"\nreason = \" \"",
            "expect = \"crash\"\nreason = \"TODO: say why\"",
            "expect = \"pass\"\nreason = \"x\"",
            "expect = \"known\"\nreason = \"x\"",
            "expect = \"fixed\"\nreason = \"x\"",
            "expect = \"crahs\"\nreason = \"x\"",
            "expect = []\nreason = \"x\"",
            "expect = 7\nreason = \"x\"",
            "expect = \"crash\"\nreason = \"x\"\nreference = \"\"",
            "expect = \"crash\"\nreason = \"x\"\nreader = \"[\"",
            "expect = \"crash\"\nreason = \"x\"\nbecause = 1",
        ]
        .map(|rest| {
            let text = format!("# of us\n\n[[known]]\ncase = \"pte/a/b\"\n{rest}");
            Known::parse(Path::new("known.toml"), text, false).unwrap_err().to_string()
        });
        insta::assert_snapshot!(errors.join("\n"));
    }

    #[test]
    fn accepts_one_expectation_or_a_list() {
        let text = "[[known]]\ncase = \"a\"\nexpect = [\"crash\", \"reject\"]\nreason = \"x\"\n";
        let known = Known::parse(Path::new("known.toml"), text.to_owned(), false).unwrap();
        assert!(known.entries[0].expects(Grade::LateReject, "reject"));
        assert!(known.entries[0].expects(Grade::Crash, "crash"));
        assert!(!known.entries[0].expects(Grade::AcceptsInvalid, "accept"));
    }
}
