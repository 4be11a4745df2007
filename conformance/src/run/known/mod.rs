//! **Known failures**: what readers are known to get wrong, in a file that people keep; strict in both directions.
//!
//! ```toml
//! [[known]]
//! case = "pte/header/length-*"           # an id, or a glob as `--cases` takes it, within one area
//! expect = "accepts-invalid"             # a grade or an outcome that fails a run, or a list of them
//! reason = "the length is not looked at" # of a person
//! reader = "toy"                         # of this reader alone; may be left out, and be a glob
//! reference = "https://example.org/7"    # may be left out
//! ```
//!
//! A result that is as listed is graded `known` and fails no run. One that is listed and passes is `fixed`, an entry that is
//! about nothing is stale, and both fail the run: the list says what is, not what was. What fails in another way than listed
//! keeps its grade. Only what was asked counts: an entry whose cases or reader were not chosen is neither. Unknown reader
//! names are reported with the most similar name of the run.
//!
//! An entry covers too much, and is refused before the run, if its glob matches cases of more than one area, which is the first
//! two parts of an id; so is a second entry for the same case and reader. Within its area a glob has to hold for each case
//! that it matches, since every one that passes is `fixed`.

mod error;
mod parse;
mod stale;
mod update;

use std::path::{Path, PathBuf};

use globset::GlobMatcher;

use crate::run::grade::Grade;
use crate::run::record::{Listed, Record};
use crate::text::escape::{plain_line, plain_name};

pub use error::KnownError;
#[cfg(feature = "schema")]
pub(crate) use parse::KnownFile;
pub use update::Updated;

/// The reason of an entry that nobody has given a reason yet, as an update writes it; a run refuses it.
pub const UNWRITTEN: &str = "TODO: say why";

/// The entries of a file.
#[derive(Clone, Debug)]
pub struct Known {
    path: PathBuf,
    text: String,
    entries: Vec<Entry>,
}

/// One `[[known]]` of a file.
#[derive(Clone, Debug)]
struct Entry {
    case: String,
    glob: GlobMatcher,
    reader: Option<(String, GlobMatcher)>,
    expect: Vec<String>,
    reason: String,
    reference: Option<String>,
    /// Counted from 1.
    line: usize,
}

impl Known {
    /// The file that it was read from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same, as printable text.
    fn file(&self) -> String {
        plain_name(&self.path.to_string_lossy())
    }

    /// Grades a result anew in the light of the list; `names` are those by which entries may call its reader.
    pub(crate) fn regrade(&self, names: &[String], record: &mut Record) {
        let mut covering = self.entries.iter().filter(|entry| entry.covers(&record.case, names)).peekable();
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
            record.message = format!("passes, and {file}:{line} lists it as {}", entry.expect.join(" or "));
        }
    }
}

impl Entry {
    fn covers(&self, case: &str, names: &[String]) -> bool {
        self.glob.is_match(case) && self.is_of(names)
    }

    /// Whether it is about the reader of these names.
    fn is_of(&self, names: &[String]) -> bool {
        self.reader.as_ref().is_none_or(|(_, glob)| names.iter().any(|name| glob.is_match(name)))
    }

    fn expects(&self, grade: Grade, outcome: &str) -> bool {
        self.expect.iter().any(|word| word == grade.name() || word == outcome)
    }

    fn listed(&self, grade: Grade) -> Listed {
        Listed {
            grade,
            entry: plain_line(&self.case, usize::MAX),
            line: self.line,
            reason: plain_line(&self.reason, usize::MAX),
            reference: self.reference.as_ref().map(|reference| plain_line(reference, usize::MAX)),
        }
    }
}
