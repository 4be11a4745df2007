//! **Errors outside any case.** Each of them makes the run fail.

use std::borrow::Cow;

use super::record::{OtherReader, ReaderReport, Record, RunReport, UNTESTED};

/// An error about a whole reader, or about the list of known failures. Formats that list only cases need an extra entry
/// for it, because an untested reader would otherwise look like a reader without failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint<'a> {
    /// The reader, as in [`ReaderReport::reader`], or the path of the list of known failures.
    pub subject: &'a str,
    /// `true` if `subject` is a reader.
    pub of_reader: bool,
    /// The message, in one line.
    pub message: Cow<'a, str>,
}

impl RunReport {
    /// Returns an error for each unusable or untested reader, then an error for each stale entry of the known failures.
    pub fn complaints(&self) -> impl Iterator<Item = Complaint<'_>> {
        let readers = self.readers.iter().filter_map(|reader| {
            let untested = || reader.is_untested().then_some(UNTESTED);
            let message = reader.error.as_deref().or_else(untested)?;
            Some(Complaint { subject: &reader.reader, of_reader: true, message: message.into() })
        });
        let stale = self.known.iter().flat_map(|known| known.stale.iter().map(move |stale| (known, stale)));
        readers.chain(stale.map(|(known, stale)| Complaint {
            subject: &known.file,
            of_reader: false,
            message: format!("line {}: stale: {}: {}", stale.line, stale.entry, stale.message).into(),
        }))
    }

    /// Returns the names in the list of known failures that match no reader of the run. The run can still pass.
    pub fn unmatched_readers(&self) -> impl Iterator<Item = (&str, &OtherReader)> {
        self.known.iter().flat_map(|known| known.other_readers.iter().map(|other| (&*known.file, other)))
    }

    /// Returns the results of `reader`, in the order of the cases in the manifest.
    pub fn of<'a>(&'a self, reader: &'a ReaderReport) -> impl Iterator<Item = &'a Record> {
        self.results.iter().filter(|record| record.reader == reader.reader)
    }

    /// Returns the unexpected results of `reader`, or none if it is unusable, because all its results would show the same error.
    pub fn failures<'a>(&'a self, reader: &'a ReaderReport) -> impl Iterator<Item = &'a Record> {
        self.of(reader).filter(|record| reader.error.is_none() && record.grade.is_unexpected())
    }
}
