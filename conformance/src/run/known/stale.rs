//! Entries that are about nothing.

use std::collections::BTreeMap;

use super::{Entry, Known};
use crate::corpus::{Case, CaseSelection};
use crate::run::grade::Grade;
use crate::run::record::{KnownReport, NAME_KEPT, OtherReader, ReaderReport, Record, Stale};
use crate::text::escape::plain_line;

/// Names less like each other than this are those of two readers.
const LEAST: f64 = 0.6;

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
        chosen: &CaseSelection,
        readers: &[ReaderReport],
        results: &[Record],
    ) -> KnownReport {
        let mut report = KnownReport {
            file: self.file(),
            entries: self.entries.len(),
            not_asked: 0,
            other_readers: self.other_readers(readers),
            stale: Vec::new(),
        };
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

    /// The readers of entries that are of no reader of the run.
    fn other_readers(&self, readers: &[ReaderReport]) -> Vec<OtherReader> {
        let mut others: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.entries {
            if let Some((name, _)) =
                entry.reader.as_ref().filter(|_| !readers.iter().any(|one| entry.is_of(&one.names)))
            {
                *others.entry(name).or_default() += 1;
            }
        }
        let told = |(name, entries): (&str, usize)| OtherReader {
            reader: plain_line(name, NAME_KEPT),
            entries,
            near: near(name, readers.iter().flat_map(|reader| &reader.names)),
        };
        others.into_iter().map(told).collect()
    }
}

/// The name of these that is most like another one, if any is like it.
fn near<'n>(name: &str, names: impl Iterator<Item = &'n String>) -> Option<String> {
    let likeness = |other: &&String| strsim::normalized_damerau_levenshtein(name, other);
    let like = names.map(|other| (likeness(&other), other)).filter(|(likeness, _)| *likeness >= LEAST);
    like.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name.clone())
}

impl Entry {
    pub(super) fn fate(
        &self,
        cases: &[Case],
        chosen: &CaseSelection,
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
