//! **Known failures**: a hand-written list of expected failures, which do not make a run fail.
//!
//! ```toml
//! [[known]]
//! case = "pte/header/length-*"           # an id, or a glob as for `--cases`, within one area
//! expect = "accepts-invalid"             # a grade or an outcome that fails a run, or a list of them
//! reason = "the length is not checked"   # written by a person
//! reader = "toy"                         # optional: this reader only; a name or a glob
//! reference = "https://example.org/7"    # optional
//! ```
//!
//! A result that matches an entry has the grade `known` and does not make the run fail. A listed case that passes gets
//! the grade `fixed` and does make the run fail, because every case that a glob matches must fail in the listed way. A
//! stale entry, which matches no result, makes the run fail too. A listed case that fails in another way keeps its
//! grade. Entries whose cases or readers are not selected do not count; for an unknown reader name, the report suggests
//! the most similar name in the run.
//!
//! The area of a case is the first two parts of its id. A list is invalid if a glob matches cases of several areas, or
//! if two entries match the same case for the same reader.

mod entry;
mod error;
mod index;
mod matching;
mod parse;
mod stale;
mod update;

use std::path::{Path, PathBuf};

use crate::run::grade::Grade;
use crate::run::record::Record;
use crate::text::escape::plain_name;

use entry::KnownEntry;
pub use error::KnownError;
use index::EntryIndex;
pub use parse::KnownFile;
pub use update::UpdateCounts;

/// Stands for the missing reason in entries that an update adds. A run rejects a list that still contains it.
pub const UNWRITTEN: &str = "TODO: say why";

#[derive(Clone, Debug)]
pub struct KnownFailures {
    path: PathBuf,
    text: String,
    entries: Vec<KnownEntry>,
    index: EntryIndex,
}

impl KnownFailures {
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn file(&self) -> String {
        plain_name(&self.path.to_string_lossy())
    }

    /// Changes the grade of a result that an entry of the list matches. Entries can call the reader by any of `names`.
    pub(crate) fn regrade(&self, names: &[String], record: &mut Record) {
        let covering = self.covering(&record.case).into_iter().map(|at| &self.entries[at]);
        let mut covering = covering.filter(|entry| entry.is_of(names)).peekable();
        let Some(first) = covering.peek().copied() else { return };
        let (grade, entry) = match record.grade {
            Grade::Pass => (Grade::Fixed, first),
            grade if grade.is_unexpected() => match covering.find(|entry| entry.expects(grade, record.outcome)) {
                Some(entry) => (Grade::Known, entry),
                None => return,
            },
            _ => return,
        };
        record.listed = Some(entry.listed(record.grade));
        record.grade = grade;
        if grade == Grade::Fixed {
            let (file, line) = (self.file(), entry.line);
            record.message =
                format!("passes, but {file}:{line} expects {}; remove the entry", entry.expect.join(" or "));
        }
    }
}
