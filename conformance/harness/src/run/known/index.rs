//! Lookup tables that find the entries and the results for a case.

use std::collections::HashMap;

use globset::{Candidate, GlobSet};

use super::entry::KnownEntry;
use crate::corpus::Case;
use crate::run::grade::Grade;
use crate::run::record::{ReaderReport, Record};

/// How many globs to compile together. The compiled form of all of them would be too large.
const TOGETHER: usize = 128;

#[derive(Clone, Debug)]
pub(super) struct EntryIndex(Vec<GlobSet>);

impl EntryIndex {
    pub(super) fn new(entries: &[KnownEntry]) -> Result<Self, globset::Error> {
        let sets = entries.chunks(TOGETHER).map(|entries| GlobSet::new(entries.iter().map(|entry| &entry.glob)));
        sets.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the indexes of the entries whose globs match the case, in list order.
    pub(super) fn covering(&self, case: &str) -> Vec<usize> {
        let case = Candidate::new(case);
        let found = self.0.iter().enumerate().map(|(set, globs)| (set * TOGETHER, globs.matches_candidate(&case)));
        found.flat_map(|(first, globs)| globs.into_iter().map(move |at| first + at)).collect()
    }
}

/// Maps each case to the results that entries can match.
pub(super) struct GradedResults<'r>(HashMap<&'r str, Vec<(&'r Record, &'r ReaderReport)>>);

impl<'r> GradedResults<'r> {
    pub(super) fn new(readers: &'r [ReaderReport], results: &'r [Record]) -> Self {
        let readers: HashMap<&str, &ReaderReport> =
            readers.iter().map(|reader| (reader.reader.as_str(), reader)).collect();
        let mut by_case: HashMap<&str, Vec<_>> = HashMap::new();
        for record in results.iter().filter(|record| !matches!(record.grade, Grade::Skip | Grade::Ungraded)) {
            if let Some(reader) = readers.get(record.reader.as_str()) {
                by_case.entry(&record.case).or_default().push((record, *reader));
            }
        }
        Self(by_case)
    }

    /// Returns the results of a case that the entry's glob matches, but only from the entry's readers.
    pub(super) fn of<'s>(&'s self, entry: &'s KnownEntry, case: &Case) -> impl Iterator<Item = &'r Record> + 's {
        let results = self.0.get(case.id.as_str()).into_iter().flatten();
        results.filter(|(_, reader)| entry.is_of(&reader.names)).map(|(record, _)| *record)
    }
}
