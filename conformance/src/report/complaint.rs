//! **Errors outside of any case**. Each of these errors makes the run fail.

use std::borrow::Cow;

use crate::run::record::{OtherReader, ReaderReport, Record, RunReport, UNTESTED};

/// An error that concerns a reader as a whole, or the list of known failures. In a format that lists only cases, it is an extra
/// entry: otherwise, an untested reader would look like one without failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint<'a> {
    /// [`ReaderReport::reader`], or the path of the list of known failures.
    pub(crate) subject: &'a str,
    pub(crate) of_reader: bool,
    pub(crate) message: Cow<'a, str>,
}

impl RunReport {
    /// Unusable and untested readers, then stale entries of the known failures.
    pub(crate) fn complaints(&self) -> impl Iterator<Item = Complaint<'_>> {
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

    /// Names in the list of known failures that match no reader of the run. They do not make the run fail.
    pub(super) fn unmatched_readers(&self) -> impl Iterator<Item = (&str, &OtherReader)> {
        self.known.iter().flat_map(|known| known.other_readers.iter().map(|other| (&*known.file, other)))
    }

    pub(super) fn of<'a>(&'a self, reader: &'a ReaderReport) -> impl Iterator<Item = &'a Record> {
        self.results.iter().filter(|record| record.reader == reader.reader)
    }

    /// The unexpected results, but none of an unusable reader, because all would have the same error.
    pub(super) fn failures<'a>(&'a self, reader: &'a ReaderReport) -> impl Iterator<Item = &'a Record> {
        self.of(reader).filter(|record| reader.error.is_none() && record.grade.is_unexpected())
    }
}
