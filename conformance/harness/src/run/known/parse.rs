//! Parses a list of known failures.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;

use globset::{Glob, GlobMatcher};
use serde::Deserialize;
use toml::Spanned;

use super::entry::KnownEntry;
use super::index::EntryIndex;
use super::{KnownError, KnownFailures, UNWRITTEN};
use crate::corpus::case_glob;
use crate::corpus::{Case, Status};
use crate::disk::io_error::PathError;
use crate::disk::open::read_argument_text;
use crate::run::grade::Grade;
use crate::run::record::area;

/// The outcomes that can make a run fail, and that `expect` can have besides grades.
const OUTCOMES: [&str; 4] = ["accept", "reject", "crash", "out-of-memory"];

/// The known failures of readers: a TOML file of `[[known]]` entries.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KnownFile {
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Raw>"))]
    known: Vec<Spanned<Raw>>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Raw {
    /// A case's id, or a glob as for `--cases`. All matching ids must have the same first two parts.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    case: String,
    /// The expected failure: a grade that makes a run fail, an outcome, or a list of grades and outcomes.
    expect: Words,
    /// The reason, written by a person.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"\S"), extend("not" = { "pattern": "^TODO: say why" })))]
    reason: String,
    /// The reader's name, or a glob for it: the name in reports, or the name in `hello` with or without the version.
    /// Default: all readers.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    reader: Option<String>,
    /// The web address or the id of an issue with more details.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"\S")))]
    reference: Option<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "`expect` must be a grade, an outcome, or a list of these")]
enum Words {
    One(#[cfg_attr(feature = "schema", schemars(regex(pattern = FAILURE)))] String),
    Many(#[cfg_attr(feature = "schema", schemars(length(min = 1), inner(regex(pattern = FAILURE))))] Vec<String>),
}

/// The values of `expect`: the grades that make a run fail, and [`OUTCOMES`].
#[cfg(feature = "schema")]
const FAILURE: &str = "^(accepts-invalid|rejects-valid|wrong-value|late-reject|crash|hang|resource|control-failed|adapter-error\
    |accept|reject|out-of-memory)$";

impl KnownFailures {
    /// Reads the list at `path`. If `update` is set, the run rewrites the list, so the list can be missing or contain
    /// placeholders.
    pub fn load(path: &Path, update: bool) -> Result<Self, KnownError> {
        match read_argument_text(path) {
            Ok(text) => Self::parse(path, text, update),
            Err(error) if update && error.kind() == io::ErrorKind::NotFound => Self::parse(path, String::new(), update),
            Err(error) => Err(PathError::read(path)(error).into()),
        }
    }

    /// Parses the text of a list as [`load`](Self::load) does. Errors name `path`.
    pub fn parse(path: &Path, text: String, update: bool) -> Result<Self, KnownError> {
        let lines_in = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        let file: KnownFile = toml::from_str(&text).map_err(|error| {
            let line = 1 + lines_in(&text.as_bytes()[..error.span().map_or(0, |span| span.start)]);
            KnownError::at(path, line, error.message())
        })?;
        let (mut entries, mut line, mut counted) = (Vec::new(), 1, 0);
        for raw in file.known {
            // Entries are in file order, so each line is counted only once.
            let start = raw.span().start;
            line += lines_in(text.as_bytes().get(counted..start).unwrap_or_default());
            counted = start;
            let entry = KnownEntry::new(raw.into_inner(), line, update);
            entries.push(entry.map_err(|message| KnownError::at(path, line, message))?);
        }
        let index = EntryIndex::new(&entries).map_err(|error| KnownError::at(path, 1, error.to_string()))?;
        Ok(KnownFailures { path: path.to_owned(), text, entries, index })
    }

    /// Checks that each entry matches cases in only one area, and that no two entries match the same case and reader.
    pub fn check(&self, cases: &[Case]) -> Result<(), KnownError> {
        let overlaps = self.overlaps(cases);
        for ((entry, covered), overlap) in self.entries.iter().zip(self.cases_of_entries(cases)).zip(overlaps) {
            let error = |message: String| Err(KnownError::at(&self.path, entry.line, message));
            let areas: BTreeSet<&str> = covered.iter().map(|case| area(&case.id)).collect();
            if let [one, other, ..] = areas.iter().collect::<Vec<_>>()[..] {
                let (glob, count) = (&entry.case, areas.len());
                return error(format!(
                    "found cases in {count} areas for `{glob}`, such as {one} and {other}; expected one area; split the entry"
                ));
            }
            if let Some((before, case)) = overlap {
                let line = self.entries[before].line;
                return error(format!("line {line} already lists {case}; remove one of the entries"));
            }
        }
        Ok(())
    }

    /// Returns, for each entry, the first earlier entry that matches the same case and reader, and that case.
    fn overlaps<'c>(&self, cases: &'c [Case]) -> Vec<Option<(usize, &'c str)>> {
        let mut overlaps = vec![None; self.entries.len()];
        for case in cases.iter().filter(|case| case.status != Status::Retired) {
            let covering = self.covering(&case.id);
            // The first entry for each reader. An entry that names no reader applies to all readers.
            let mut firsts: HashMap<Option<&str>, usize> = HashMap::new();
            for at in &covering {
                let reader = self.entries[*at].reader.as_ref().map(|(reader, _)| reader.as_str());
                let before = match reader {
                    None => covering.first().filter(|first| *first < at).copied(),
                    Some(_) => [None, reader].iter().filter_map(|reader| firsts.get(reader).copied()).min(),
                };
                if let Some(before) = before {
                    let known = overlaps[*at].get_or_insert((before, case.id.as_str()));
                    if before < known.0 {
                        *known = (before, &case.id);
                    }
                }
                firsts.entry(reader).or_insert(*at);
            }
        }
        overlaps
    }
}

impl KnownEntry {
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
            return Err(format!("`reason` is empty for {case}; expected the reason for the failure"));
        }
        if reason.starts_with(UNWRITTEN) && !update {
            return Err(format!("`reason` is still `{UNWRITTEN}` for {case}; write the reason for the failure"));
        }
        if reference.as_ref().is_some_and(|reference| reference.trim().is_empty()) {
            return Err("`reference` is empty; leave it out if there is none".to_owned());
        }
        let reader = reader.map(|reader| reader_glob(&reader).map(|glob| (reader, glob))).transpose()?;
        Ok(KnownEntry { case, glob, reader, expect, reason, reference, line })
    }
}

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
            KnownFailures::parse(Path::new("known.toml"), text, false).unwrap_err().to_string()
        });
        insta::assert_snapshot!(errors.join("\n"));
    }

    #[test]
    fn accepts_one_expectation_or_a_list() {
        let text = "[[known]]\ncase = \"a\"\nexpect = [\"crash\", \"reject\"]\nreason = \"x\"\n";
        let known = KnownFailures::parse(Path::new("known.toml"), text.to_owned(), false).unwrap();
        assert!(known.entries[0].expects(Grade::LateReject, "reject"));
        assert!(known.entries[0].expects(Grade::Crash, "crash"));
        assert!(!known.entries[0].expects(Grade::AcceptsInvalid, "accept"));
    }
}
