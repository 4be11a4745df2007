//! Updates a list of known failures from a run.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::entry::KnownEntry;
use super::index::GradedResults;
use super::stale::EntryStatus;
use super::{KnownError, KnownFailures, UNWRITTEN};
use crate::corpus::{Case, CaseSelection, Status};
use crate::disk::io_error::PathError;
use crate::disk::{AtomicFile, OverwritePolicy};
use crate::run::grade::Grade;
use crate::run::record::{ReaderReport, Record, RunReport, area};

const HEAD: &str = "# Known failures for `torchproof run --known-failures`. Each entry needs a reason.\n";

/// How many entries an update kept, dropped and added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateCounts {
    /// Unchanged entries.
    pub kept: usize,
    /// Removed or replaced entries, because a case no longer fails as listed. Cases that still fail get new entries.
    pub dropped: usize,
    /// New entries.
    pub added: usize,
}

impl KnownFailures {
    /// Updates the list from the results of a run, and replaces the file atomically.
    ///
    /// An entry stays, with its comments, if all its results are known failures or its cases were not selected. If only
    /// some results are known failures, each of their cases gets its own entry instead. Unlisted failures are added with
    /// `reason` or a placeholder; with a reason, one entry covers an area in which every graded case fails in the same way.
    pub fn update(
        &self,
        cases: &[Case],
        chosen: &CaseSelection,
        report: &RunReport,
        reason: Option<&str>,
    ) -> Result<UpdateCounts, KnownError> {
        if let Some(reader) = report.readers.iter().find(|reader| reader.error.is_some()) {
            return Err(KnownError::Unstarted { reader: reader.reader.clone() });
        }
        let (text, updated) = self.updated(cases, chosen, report, reason)?;
        let written = AtomicFile::create(&self.path, OverwritePolicy::Replace).and_then(|mut new| {
            std::io::Write::write_all(new.file(), text.as_bytes())?;
            new.persist()
        });
        written.map_err(PathError::write(&self.path))?;
        Ok(updated)
    }

    fn updated(
        &self,
        cases: &[Case],
        chosen: &CaseSelection,
        report: &RunReport,
        reason: Option<&str>,
    ) -> Result<(String, UpdateCounts), KnownError> {
        let text = if self.text.is_empty() { HEAD } else { &self.text };
        let broken = |message: String| KnownError::at(&self.path, 1, message);
        let mut document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| broken(error.to_string()))?;
        let tables = match document.remove("known") {
            Some(item) => item
                .into_array_of_tables()
                .map_err(|_| broken("`known` is not a list of tables; write each entry as [[known]]".to_owned()))?,
            None => {
                // A file without entries is only a heading.
                let heading = document.trailing().as_str().unwrap_or_default().to_owned();
                document.decor_mut().set_prefix(heading);
                document.set_trailing("");
                ArrayOfTables::new()
            }
        };
        let mut updated = UpdateCounts::default();
        let mut after = Vec::new();
        let graded = GradedResults::new(&report.readers, &report.results);
        let matching = self.cases_of_entries(cases);
        for (at, ((entry, cases), table)) in self.entries.iter().zip(matching).zip(tables).enumerate() {
            let remaining = entry.remaining(&cases, chosen, &report.readers, &graded);
            match &remaining {
                Remaining::Whole => {
                    updated.kept += 1;
                    after.push(table);
                    continue;
                }
                Remaining::Parts(parts) => {
                    after.extend(parts.iter().enumerate().map(|(at, part)| part.table(&table, at == 0)));
                }
            }
            updated.dropped += 1;
            if at == 0 && matches!(&remaining, Remaining::Parts(parts) if parts.is_empty()) {
                keep_heading(&mut document, &table);
            }
        }
        let failures =
            report.results.iter().filter(|record| record.grade.is_unexpected() && record.grade != Grade::Fixed);
        let whole = if reason.is_some() { whole_areas(cases, chosen, &report.results) } else { BTreeSet::new() };
        let mut covered = BTreeSet::new();
        for record in failures {
            let group = (record.reader.as_str(), area(&record.case));
            let case = match whole.contains(&group) {
                true if !covered.insert(group) => continue,
                true => format!("{}/*", group.1),
                false => record.case.clone(),
            };
            updated.added += 1;
            after.push(new_entry(record, &case, reason.unwrap_or(UNWRITTEN)));
        }
        let mut list = ArrayOfTables::new();
        for mut table in after {
            // Clear the old position, at which the table would come too early in the new list.
            table.set_position(None);
            list.push(table);
        }
        if !list.is_empty() {
            document.insert("known", Item::ArrayOfTables(list));
        }
        Ok((document.to_string(), updated))
    }
}

/// What an update keeps of an entry.
enum Remaining {
    Whole,
    /// New entries for the cases that still fail as listed, and for those that were not selected.
    Parts(Vec<Part>),
}

struct Part {
    case: String,
    /// The reader, if it differs from the old entry's reader.
    reader: Option<String>,
}

impl KnownEntry {
    fn remaining(
        &self,
        cases: &[&Case],
        chosen: &CaseSelection,
        readers: &[ReaderReport],
        graded: &GradedResults<'_>,
    ) -> Remaining {
        match self.status(cases, chosen, readers, graded) {
            EntryStatus::Stale(_) => return Remaining::Parts(Vec::new()),
            EntryStatus::NotSelected => return Remaining::Whole,
            EntryStatus::Matched => {}
        }
        let holds = |record: &Record| record.grade == Grade::Known;
        if cases.iter().flat_map(|case| graded.of(self, case)).all(holds) {
            return Remaining::Whole;
        }
        let mut parts = Vec::new();
        for case in cases {
            let part = |reader| Part { case: case.id.clone(), reader };
            let of_case: Vec<&Record> = graded.of(self, case).collect();
            if of_case.is_empty() {
                // A selected case without a graded result needs no entry.
                parts.extend((!chosen.takes(case)).then(|| part(None)));
            } else if of_case.iter().all(|record| holds(record)) {
                parts.push(part(None));
            } else {
                let readers: BTreeSet<&str> =
                    of_case.iter().filter(|record| holds(record)).map(|record| record.reader.as_str()).collect();
                parts.extend(readers.into_iter().map(|reader| part(Some(reader.to_owned()))));
            }
        }
        Remaining::Parts(parts)
    }
}

impl Part {
    fn table(&self, entry: &Table, first: bool) -> Table {
        let mut table = entry.clone();
        // Replace only the value, to keep a comment after it.
        set(&mut table, "case", &self.case);
        if let Some(reader) = &self.reader {
            set(&mut table, "reader", reader);
        }
        if !first {
            table.decor_mut().set_prefix("\n");
        }
        table
    }
}

fn set(table: &mut Table, key: &str, text: &str) {
    let decor = table.get(key).and_then(Item::as_value).map(|value| value.decor().clone());
    table[key] = value(text);
    if let (Some(decor), Some(value)) = (decor, table[key].as_value_mut()) {
        *value.decor_mut() = decor;
    }
}

/// Returns the readers and areas for which an entry `AREA/*` would list only unlisted failures of one grade. A single
/// failure does not count, because the id of its case says more.
fn whole_areas<'r>(cases: &'r [Case], chosen: &CaseSelection, results: &'r [Record]) -> BTreeSet<(&'r str, &'r str)> {
    let left_out: BTreeSet<&str> = cases
        .iter()
        .filter(|case| case.status != Status::Retired && !chosen.takes(case))
        .map(|case| area(&case.id))
        .collect();
    let mut grades: BTreeMap<(&str, &str), Vec<Grade>> = BTreeMap::new();
    for record in results.iter().filter(|record| !matches!(record.grade, Grade::Skip | Grade::Ungraded)) {
        let area = area(&record.case);
        if !left_out.contains(area) {
            grades.entry((&record.reader, area)).or_default().push(record.grade);
        }
    }
    let is_whole = |grades: &[Grade]| {
        let first = grades[0];
        grades.len() > 1 && first.is_unexpected() && first != Grade::Fixed && grades.iter().all(|grade| *grade == first)
    };
    grades.into_iter().filter(|(_, grades)| is_whole(grades)).map(|(group, _)| group).collect()
}

fn new_entry(record: &Record, case: &str, reason: &str) -> Table {
    let mut table = Table::new();
    table["case"] = value(case);
    table["reader"] = value(literal(&record.reader));
    table["expect"] = value(record.grade.name());
    table["reason"] = value(reason);
    table.decor_mut().set_prefix("\n");
    table
}

fn literal(name: &str) -> String {
    globset::escape(name)
}

/// Keeps the file's heading when the first entry is removed. Comments directly above this entry belong to it.
fn keep_heading(document: &mut DocumentMut, first: &Table) {
    let prefix = first.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
    if let Some((heading, _)) = prefix.rsplit_once("\n\n") {
        document.decor_mut().set_prefix(format!("{heading}\n"));
    }
}
