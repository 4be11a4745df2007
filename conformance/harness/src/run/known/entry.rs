//! An entry of a list of known failures.

use globset::{Glob, GlobMatcher};

use crate::run::grade::Grade;
use crate::run::record::Listed;
use crate::text::escape::plain_line;

#[derive(Clone, Debug)]
pub(super) struct KnownEntry {
    pub(super) case: String,
    pub(super) glob: Glob,
    pub(super) reader: Option<(String, GlobMatcher)>,
    pub(super) expect: Vec<String>,
    pub(super) reason: String,
    pub(super) reference: Option<String>,
    /// The line, counted from 1.
    pub(super) line: usize,
}

impl KnownEntry {
    pub(super) fn is_of(&self, names: &[String]) -> bool {
        self.reader.as_ref().is_none_or(|(_, glob)| names.iter().any(|name| glob.is_match(name)))
    }

    pub(super) fn expects(&self, grade: Grade, outcome: &str) -> bool {
        self.expect.iter().any(|word| word == grade.name() || word == outcome)
    }

    pub(super) fn listed(&self, grade: Grade) -> Listed {
        Listed {
            grade,
            entry: plain_line(&self.case, usize::MAX),
            line: self.line,
            reason: plain_line(&self.reason, usize::MAX),
            reference: self.reference.as_ref().map(|reference| plain_line(reference, usize::MAX)),
        }
    }
}
