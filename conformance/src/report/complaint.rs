//! **What fails a run and is the fault of no single case.**

use std::borrow::Cow;

use crate::run::record::{OtherReader, ReaderReport, RunReport, UNTESTED};

/// A fault of a whole reader, or of the list of known failures.
///
/// Formats that are lists of cases have it as an entry of its own: a reader that was tested by nothing would be a list without
/// a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint<'a> {
    /// Whose fault it is: the reader, as in [`ReaderReport::reader`], or the list's file.
    pub subject: &'a str,
    /// Whether that is a reader.
    pub of_reader: bool,
    /// What is wrong, in one line.
    pub message: Cow<'a, str>,
}

impl RunReport {
    /// The faults of whole readers, in their order: that one could not be used, or was tested by no case. Behind them, the entries
    /// of the list of known failures that are about nothing.
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

    /// Notes on the list of known failures, which fail no run: its file, and whose entries are of no reader of the run.
    pub(super) fn others_listed(&self) -> impl Iterator<Item = (&str, &OtherReader)> {
        self.known.iter().flat_map(|known| known.other_readers.iter().map(|other| (&*known.file, other)))
    }

    /// The results of one reader, in the manifest's order.
    pub(super) fn of<'a>(&'a self, reader: &'a ReaderReport) -> impl Iterator<Item = &'a crate::run::record::Record> {
        self.results.iter().filter(|record| record.reader == reader.reader)
    }
}
