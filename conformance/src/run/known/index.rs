//! A lookup table that finds the entries for a case without comparing the case with every entry.

use std::collections::HashMap;

use super::entry::KnownEntry;
use crate::corpus::Case;
use crate::run::grade::Grade;
use crate::run::record::{ReaderReport, Record};

/// Maps a prefix to the indexes of entries. The prefix is the text before the first special character of the entry's glob.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryIndex(HashMap<String, Vec<usize>>);

impl EntryIndex {
    pub(super) fn new(entries: &[KnownEntry]) -> Self {
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let end = entry.case.find(['*', '?', '[', '{', '\\']).unwrap_or(entry.case.len());
            index.entry(entry.case[..end].to_owned()).or_default().push(at);
        }
        Self(index)
    }

    /// Returns the indexes of the entries whose globs can match the case, in the order of the list.
    pub(super) fn candidates(&self, case: &str) -> Vec<usize> {
        let ends = case.char_indices().map(|(at, _)| at).chain([case.len()]);
        let mut found: Vec<usize> = ends.filter_map(|end| self.0.get(&case[..end])).flatten().copied().collect();
        found.sort_unstable();
        found
    }
}

/// Maps each case to the results that entries can match.
pub(super) struct GradedResults<'r>(HashMap<&'r str, Vec<(&'r Record, &'r ReaderReport)>>);

impl<'r> GradedResults<'r> {
    pub(super) fn new(readers: &'r [ReaderReport], results: &'r [Record]) -> Self {
        let readers: HashMap<&str, &ReaderReport> =
            readers.iter().map(|reader| (reader.reader.as_str(), reader)).collect();
        let mut by_case: HashMap<&str, Vec<_>> = HashMap::new();
        for record in results.iter().filter(|record| !matches!(record.grade, Grade::Skip | Grade::Info)) {
            if let Some(reader) = readers.get(record.reader.as_str()) {
                by_case.entry(&record.case).or_default().push((record, *reader));
            }
        }
        Self(by_case)
    }

    /// Returns the results of a case, but only from readers to which the entry applies. The entry's glob must match the
    /// case.
    pub(super) fn of<'s>(&'s self, entry: &'s KnownEntry, case: &Case) -> impl Iterator<Item = &'r Record> + 's {
        let results = self.0.get(case.id.as_str()).into_iter().flatten();
        results.filter(|(_, reader)| entry.is_of(&reader.names)).map(|(record, _)| *record)
    }
}
