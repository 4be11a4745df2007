//! **Kinds of files that a command does not read**: a command (`once:`) cannot declare the kinds that it reads, so its results
//! show them.

use std::collections::BTreeSet;

use super::grade::Grade;
use super::record::{GivenValues, ReaderReport, Record};
use crate::reader::Address;

/// The first part of a case's id, and the name of the kind of its files.
const KINDS: [(&str, &str); 4] =
    [("pte", "programs"), ("ptd", "data files"), ("ptd-legacy", "legacy data files"), ("bpte", "bundled programs")];
/// The options that run a part of the corpus. The results of a part are no evidence that a command reads no file of a kind.
const SELECTIONS: [&str; 4] = ["cases", "rule", "stage", "failed-of"];

/// For each kind of which a command accepted no file, changes the grades of rejections to [`Grade::Skip`]. Crashes keep their
/// grades, and a command that accepted no file at all keeps all grades.
pub(super) fn skip(readers: &[ReaderReport], results: &mut [Record], options: &GivenValues) {
    if SELECTIONS.iter().any(|name| options.contains_key(*name)) {
        return;
    }
    let is_command = |reader: &&ReaderReport| reader.address.parse().is_ok_and(|at: Address| at.lacks_handshake());
    for reader in readers.iter().filter(is_command) {
        let accepted: BTreeSet<String> = results
            .iter()
            .filter(|record| record.reader == reader.reader && record.outcome == "accept")
            .map(|record| kind(&record.case).to_owned())
            .collect();
        let unread = |record: &&mut Record| record.reader == reader.reader && !accepted.contains(kind(&record.case));
        for record in results.iter_mut().filter(unread).filter(|_| !accepted.is_empty()) {
            let noun = KINDS.iter().find(|(kind, _)| *kind == self::kind(&record.case)).map(|(_, noun)| noun);
            if let (Some(noun), Grade::RejectsValid | Grade::Vacuous) = (noun, record.grade) {
                (record.grade, record.message, record.about) = (Grade::Skip, format!("does not read {noun}"), None);
            }
        }
    }
}

fn kind(case: &str) -> &str {
    case.split('/').next().unwrap_or_default()
}
