//! Detects stale entries, which cannot match any result.

use std::collections::BTreeMap;

use super::KnownFailures;
use super::entry::KnownEntry;
use super::index::GradedResults;
use crate::corpus::{Case, CaseSelection};
use crate::run::record::{KnownReport, NAME_KEPT, OtherReader, ReaderReport, Record, Stale};
use crate::text::escape::plain_line;

/// How similar a name must be to be suggested in place of an unknown name.
const MIN_SIMILARITY: f64 = 0.6;

/// What an entry matches in a run.
pub(super) enum EntryStatus {
    Matched,
    /// The entry's cases or readers were not selected.
    NotSelected,
    /// The entry cannot match any result, for this reason.
    Stale(&'static str),
}

impl KnownFailures {
    pub(crate) fn report(
        &self,
        cases: &[Case],
        chosen: &CaseSelection,
        readers: &[ReaderReport],
        results: &[Record],
    ) -> KnownReport {
        let mut report = KnownReport {
            file: self.file(),
            entries: self.entries.len(),
            not_selected: 0,
            other_readers: self.other_readers(readers),
            stale: Vec::new(),
        };
        let graded = GradedResults::new(readers, results);
        for (entry, cases) in self.entries.iter().zip(self.cases_of_entries(cases)) {
            match entry.status(&cases, chosen, readers, &graded) {
                EntryStatus::Matched => {}
                EntryStatus::NotSelected => report.not_selected += 1,
                EntryStatus::Stale(message) => report.stale.push(Stale {
                    entry: plain_line(&entry.case, usize::MAX),
                    line: entry.line,
                    message: message.to_owned(),
                }),
            }
        }
        report
    }

    /// Returns the reader names in entries that match no reader of the run.
    fn other_readers(&self, readers: &[ReaderReport]) -> Vec<OtherReader> {
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.entries {
            if let Some((name, _)) =
                entry.reader.as_ref().filter(|_| !readers.iter().any(|one| entry.is_of(&one.names)))
            {
                *others.entry(name).or_default() += 1;
            }
        }
        let other = |(name, entries): (&str, usize)| OtherReader {
            reader: plain_line(name, NAME_KEPT),
            entries,
            suggestion: suggestion(name, readers.iter().flat_map(|reader| &reader.names)),
        };
        others.into_iter().map(other).collect()
    }
}

/// Returns the name most similar to `name`, if it is similar enough.
fn suggestion<'n>(name: &str, names: impl Iterator<Item = &'n String>) -> Option<String> {
    let similarity = |other: &&String| strsim::normalized_damerau_levenshtein(name, other);
    let like = names.map(|other| (similarity(&other), other)).filter(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    like.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name.clone())
}

impl KnownEntry {
    /// Returns the status of the entry, which matches these cases.
    pub(super) fn status(
        &self,
        cases: &[&Case],
        chosen: &CaseSelection,
        readers: &[ReaderReport],
        graded: &GradedResults<'_>,
    ) -> EntryStatus {
        if cases.is_empty() {
            return EntryStatus::Stale("no case of the corpus has a matching id");
        }
        if cases.iter().any(|case| graded.of(self, case).next().is_some()) {
            return EntryStatus::Matched;
        }
        let all_chosen = cases.iter().all(|case| chosen.takes(case));
        if all_chosen && readers.iter().any(|reader| self.is_of(&reader.names)) {
            return EntryStatus::Stale("every matching case is skipped or not graded");
        }
        EntryStatus::NotSelected
    }
}
