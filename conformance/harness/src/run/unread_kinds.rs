//! **Kinds of files that a command does not read.** A command (`once:`) cannot say which kinds it reads, but its
//! results show them.

use std::collections::{BTreeMap, BTreeSet};

use super::grade::Grade;
use super::record::{GivenValues, ReaderReport, Record};
use crate::reader::Address;

/// The first part of a case's id, and the kind of its files.
const KINDS: [(&str, &str); 4] =
    [("pte", "programs"), ("ptd", "data files"), ("ptd-legacy", "legacy data files"), ("bpte", "bundled programs")];
/// The options that select part of the corpus. The results for a part do not prove that a command reads no file of a kind.
const SELECTIONS: [&str; 4] = ["cases", "rule", "stage", "rerun-failed"];

/// The kinds that each command does not read.
#[derive(Debug)]
pub struct UnreadKinds(BTreeMap<String, Vec<(&'static str, &'static str)>>);

impl UnreadKinds {
    /// Finds the kinds for which a command accepted no valid file. A command that accepted nothing at all has no such kinds.
    pub fn of(readers: &[ReaderReport], results: &[Record], options: &GivenValues) -> Self {
        let is_part = SELECTIONS.iter().any(|name| options.contains_key(*name));
        let is_command = |reader: &&ReaderReport| reader.address.parse().is_ok_and(|at: Address| at.lacks_handshake());
        let kinds = readers.iter().filter(is_command).filter(|_| !is_part).map(|reader| {
            let accepted = |record: &&Record| {
                record.reader == reader.reader
                    && record.outcome == "accept"
                    && !matches!(record.grade, Grade::AcceptsInvalid | Grade::Ungraded)
            };
            let accepted: BTreeSet<&str> = results.iter().filter(accepted).map(|record| kind(&record.case)).collect();
            let is_unread = |(kind, _): &(&str, &str)| !accepted.is_empty() && !accepted.contains(kind);
            (reader.reader.clone(), KINDS.into_iter().filter(is_unread).collect())
        });
        Self(kinds.collect())
    }

    /// Returns the name of the record's kind, if the reader does not read it.
    pub fn noun(&self, record: &Record) -> Option<&'static str> {
        let found = self.0.get(&record.reader)?.iter().find(|(kind, _)| *kind == self::kind(&record.case));
        found.map(|(_, noun)| *noun)
    }
}

/// Turns rejections of unread kinds into [`Grade::Skip`]; crashes keep their grades.
pub(super) fn skip(readers: &[ReaderReport], results: &mut [Record], options: &GivenValues) {
    let unread = UnreadKinds::of(readers, results, options);
    for record in results {
        if let (Some(noun), Grade::RejectsValid | Grade::ControlFailed) = (unread.noun(record), record.grade) {
            (record.grade, record.message, record.about) = (Grade::Skip, format!("does not read {noun}"), None);
        }
    }
}

fn kind(case: &str) -> &str {
    case.split('/').next().unwrap_or_default()
}
