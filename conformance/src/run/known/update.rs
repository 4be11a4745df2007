//! The list of known failures as a run makes it.

use std::collections::BTreeSet;

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::stale::Fate;
use super::{Entry, Known, KnownError, UNWRITTEN};
use crate::corpus::{Case, CaseSelection};
use crate::disk::{AtomicFile, Existing};
use crate::run::grade::Grade;
use crate::run::record::{Record, RunReport};

/// What heads a list that was not there before.
const HEAD: &str = "# What is known to fail, as `torchproof run --known` takes it. Each entry needs a reason.\n";

/// What an update did with the entries of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updated {
    /// Those that stay as they were.
    pub kept: usize,
    /// Those that did not hold, or not for all their cases; the latter came back for the others.
    pub dropped: usize,
    /// Those of failures that were not listed, whose reasons have to be written.
    pub added: usize,
}

impl Known {
    /// Writes the list anew, as what happened in a run asks for; the file is there whole, old or new.
    ///
    /// Entries that hold stay, with their comments, and so do those that nothing was asked of. One that holds for some of its
    /// cases comes back for each of these. What failed and is not listed gets an entry without a reason.
    ///
    /// # Errors
    /// A reader could not be used, so that nothing is known of it, or the file cannot be written.
    pub fn update(&self, cases: &[Case], chosen: &CaseSelection, report: &RunReport) -> Result<Updated, KnownError> {
        if let Some(reader) = report.readers.iter().find(|reader| reader.error.is_some()) {
            return Err(KnownError::Unstarted { reader: reader.reader.clone() });
        }
        let (text, updated) = self.updated(cases, chosen, report)?;
        let written = AtomicFile::create(&self.path, Existing::Replace).and_then(|mut new| {
            std::io::Write::write_all(new.file(), text.as_bytes())?;
            new.persist()
        });
        written.map_err(|error| KnownError::Io { path: self.path.clone(), error })?;
        Ok(updated)
    }

    fn updated(
        &self,
        cases: &[Case],
        chosen: &CaseSelection,
        report: &RunReport,
    ) -> Result<(String, Updated), KnownError> {
        let text = if self.text.is_empty() { HEAD } else { &self.text };
        let broken = |message: String| KnownError::at(&self.path, 1, message);
        let mut document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| broken(error.to_string()))?;
        let tables = match document.remove("known") {
            Some(item) => item.into_array_of_tables().map_err(|_| broken("known is no list of tables".to_owned()))?,
            None => {
                // Comments and nothing else are what heads the list.
                let heading = document.trailing().as_str().unwrap_or_default().to_owned();
                document.decor_mut().set_prefix(heading);
                document.set_trailing("");
                ArrayOfTables::new()
            }
        };
        let mut updated = Updated::default();
        let mut after = Vec::new();
        for (at, (entry, table)) in self.entries.iter().zip(tables).enumerate() {
            let left = entry.left(cases, chosen, report);
            match &left {
                Left::Whole => {
                    updated.kept += 1;
                    after.push(table);
                    continue;
                }
                Left::Parts(parts) => {
                    after.extend(parts.iter().enumerate().map(|(at, part)| part.table(&table, at == 0)));
                }
            }
            updated.dropped += 1;
            if at == 0 && matches!(&left, Left::Parts(parts) if parts.is_empty()) {
                keep_heading(&mut document, &table);
            }
        }
        for record in report.results.iter().filter(|record| record.grade.is_unexpected()) {
            if record.grade != Grade::Fixed {
                updated.added += 1;
                after.push(new_entry(record));
            }
        }
        let mut list = ArrayOfTables::new();
        for mut table in after {
            // Behind what is before it, wherever it was.
            table.set_position(None);
            list.push(table);
        }
        if !list.is_empty() {
            document.insert("known", Item::ArrayOfTables(list));
        }
        Ok((document.to_string(), updated))
    }
}

/// What is left of an entry.
enum Left {
    /// It holds, or was not asked about.
    Whole,
    /// Entries for what it holds for, and for what was not asked.
    Parts(Vec<Part>),
}

struct Part {
    case: String,
    /// Where it is not the entry's.
    reader: Option<String>,
}

impl Entry {
    fn left(&self, cases: &[Case], chosen: &CaseSelection, report: &RunReport) -> Left {
        match self.fate(cases, chosen, &report.readers, &report.results) {
            Fate::Stale(_) => return Left::Parts(Vec::new()),
            Fate::NotAsked => return Left::Whole,
            Fate::Asked => {}
        }
        let asked: Vec<&Record> = self.records(&report.readers, &report.results).collect();
        let holds = |record: &Record| record.grade == Grade::Known;
        if asked.iter().all(|record| holds(record)) {
            return Left::Whole;
        }
        let mut parts = Vec::new();
        for case in self.matching(cases) {
            let part = |reader| Part { case: case.id.clone(), reader };
            let of_case: Vec<&Record> = asked.iter().copied().filter(|record| record.case == case.id).collect();
            if of_case.is_empty() {
                // Skipped where it was chosen, and then about nothing.
                parts.extend((!chosen.takes(case)).then(|| part(None)));
            } else if of_case.iter().all(|record| holds(record)) {
                parts.push(part(None));
            } else {
                let readers: BTreeSet<&str> =
                    of_case.iter().filter(|record| holds(record)).map(|record| record.reader.as_str()).collect();
                parts.extend(readers.into_iter().map(|reader| part(Some(reader.to_owned()))));
            }
        }
        Left::Parts(parts)
    }
}

impl Part {
    fn table(&self, entry: &Table, first: bool) -> Table {
        let mut table = entry.clone();
        // In place of the old value, so that the comment behind it stays.
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

fn new_entry(record: &Record) -> Table {
    let mut table = Table::new();
    table["case"] = value(&record.case);
    table["reader"] = value(literal(&record.reader));
    table["expect"] = value(record.grade.name());
    table["reason"] = value(UNWRITTEN);
    table.decor_mut().set_prefix("\n");
    table
}

/// A glob that matches the name and nothing else.
fn literal(name: &str) -> String {
    globset::escape(name)
}

/// Keeps what heads the file when the entry goes that it stands before: the comments up to the last empty line.
fn keep_heading(document: &mut DocumentMut, first: &Table) {
    let prefix = first.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
    if let Some((heading, _)) = prefix.rsplit_once("\n\n") {
        document.decor_mut().set_prefix(format!("{heading}\n"));
    }
}
