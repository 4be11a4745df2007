//! Entries that are about nothing.

use serde::Serialize;
use torchproof::corpus::Case;

use super::{Entry, Known};
use crate::grade::Grade;
use crate::report::{ReaderReport, Record, plain_line};
use crate::run::Selection;

/// What a run found of a list of known failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownReport {
    /// Its file.
    pub file: String,
    /// How many entries it has.
    pub entries: usize,
    /// How many of them nothing was asked of: their cases or their readers were not chosen.
    pub not_asked: usize,
    /// Those that are about nothing.
    pub stale: Vec<Stale>,
}

/// An entry that is about nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// The entry's id or glob.
    pub entry: String,
    /// The entry's line in its file.
    pub line: usize,
    /// Why it is about nothing.
    pub message: String,
}

/// What became of an entry.
pub(super) enum Fate {
    /// Something was asked that it is about.
    Asked,
    /// Nothing was, by the user's choice of cases and readers.
    NotAsked,
    /// Nothing ever is; holds why.
    Stale(&'static str),
}

impl Known {
    /// What a run of the chosen cases found of the list.
    pub(crate) fn report(
        &self,
        cases: &[Case],
        chosen: &Selection,
        readers: &[ReaderReport],
        results: &[Record],
    ) -> KnownReport {
        let mut report =
            KnownReport { file: self.file(), entries: self.entries.len(), not_asked: 0, stale: Vec::new() };
        for entry in &self.entries {
            match entry.fate(cases, chosen, readers, results) {
                Fate::Asked => {}
                Fate::NotAsked => report.not_asked += 1,
                Fate::Stale(message) => report.stale.push(Stale {
                    entry: plain_line(&entry.case, usize::MAX),
                    line: entry.line,
                    message: message.to_owned(),
                }),
            }
        }
        report
    }
}

impl Entry {
    pub(super) fn fate(
        &self,
        cases: &[Case],
        chosen: &Selection,
        readers: &[ReaderReport],
        results: &[Record],
    ) -> Fate {
        let mut matching = self.matching(cases).peekable();
        if matching.peek().is_none() {
            return Fate::Stale("no case of the corpus has such an id");
        }
        if self.records(readers, results).next().is_some() {
            return Fate::Asked;
        }
        let all_chosen = matching.all(|case| chosen.takes(case));
        if all_chosen && readers.iter().any(|reader| self.is_of(&reader.names)) {
            return Fate::Stale("each of its cases is skipped, or graded by nobody");
        }
        Fate::NotAsked
    }

    /// The results that it is about, but for those that say nothing of the reader.
    pub(super) fn records<'a>(
        &'a self,
        readers: &'a [ReaderReport],
        results: &'a [Record],
    ) -> impl Iterator<Item = &'a Record> {
        let graded = results.iter().filter(|record| !matches!(record.grade, Grade::Skip | Grade::Info));
        graded.filter(move |record| {
            let reader = readers.iter().find(|reader| reader.reader == record.reader);
            reader.is_some_and(|reader| self.covers(&record.case, &reader.names))
        })
    }
}
