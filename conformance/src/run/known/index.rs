//! Finds the entries that match a case without comparing every entry with every case.

use std::collections::HashMap;

use super::{Entry, Known};
use crate::corpus::{Case, Status};
use crate::run::grade::Grade;
use crate::run::record::{ReaderReport, Record};

/// The entries of a list, by the text before the first special character of their globs.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryIndex(HashMap<String, Vec<usize>>);

impl EntryIndex {
    pub(super) fn new(entries: &[Entry]) -> Self {
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let end = entry.case.find(['*', '?', '[', '{', '\\']).unwrap_or(entry.case.len());
            index.entry(entry.case[..end].to_owned()).or_default().push(at);
        }
        Self(index)
    }

    /// Returns the indexes of the entries whose globs can match the case, in the order of the list.
    fn candidates(&self, case: &str) -> Vec<usize> {
        let ends = case.char_indices().map(|(at, _)| at).chain([case.len()]);
        let mut found: Vec<usize> = ends.filter_map(|end| self.0.get(&case[..end])).flatten().copied().collect();
        found.sort_unstable();
        found
    }
}

/// The results that entries can match, by case.
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

    /// Returns the results of a case that `entry` matches. The entry's glob must match the case.
    pub(super) fn of<'s>(&'s self, entry: &'s Entry, case: &Case) -> impl Iterator<Item = &'r Record> + 's {
        let results = self.0.get(case.id.as_str()).into_iter().flatten();
        results.filter(|(_, reader)| entry.is_of(&reader.names)).map(|(record, _)| *record)
    }
}

impl Known {
    /// Returns the indexes of the entries whose globs match the case, in the order of the list.
    pub(super) fn covering(&self, case: &str) -> Vec<usize> {
        let mut found = self.index.candidates(case);
        found.retain(|at| self.entries[*at].glob.is_match(case));
        found
    }

    /// Returns the cases that each entry matches, except retired cases.
    pub(super) fn cases_of_entries<'c>(&self, cases: &'c [Case]) -> Vec<Vec<&'c Case>> {
        let mut matching = vec![Vec::new(); self.entries.len()];
        for case in cases.iter().filter(|case| case.status != Status::Retired) {
            for at in self.covering(&case.id) {
                matching[at].push(case);
            }
        }
        matching
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn known(cases: impl Iterator<Item = String>) -> Known {
        let entry = |case| format!("[[known]]\ncase = \"{case}\"\nexpect = \"crash\"\nreason = \"x\"\n");
        Known::parse(Path::new("known.toml"), cases.map(entry).collect(), false).unwrap()
    }

    #[test]
    fn a_case_is_compared_with_few_entries() {
        const MANY: usize = 2_000;
        let known = known((0..MANY).map(|at| format!("pte/area/case-{at:05}{}", ["", "-*"][at % 2])));
        let compared: usize =
            (0..MANY).map(|at| known.index.candidates(&format!("pte/area/case-{at:05}-x")).len()).sum();
        assert_eq!(compared, MANY);
        assert_eq!(known.covering("pte/area/case-00007-x"), [7]);
        assert_eq!(known.covering("pte/area/case-00008-x"), [0; 0]);
        assert_eq!(known.covering("pte/area/case-00008"), [8]);
    }

    #[test]
    fn entries_of_every_form_are_found_in_order() {
        let known = known(
            ["**/b", "pte/?/b", "pte/{a,c}/b", "pte/[a]/b", "pte/a/b", "pte/a/b*", "pte/a/c"]
                .map(str::to_owned)
                .into_iter(),
        );
        assert_eq!(known.covering("pte/a/b"), [0, 1, 2, 3, 4, 5]);
    }
}
