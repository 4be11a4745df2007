//! **What fails a run and is the fault of no single case.**

use super::{ReaderReport, Report, UNTESTED};

/// A fault of a whole reader.
///
/// Formats that are lists of cases have it as an entry of its own: a reader that was tested by nothing would be a list without
/// a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complaint<'a> {
    /// The reader, as in [`ReaderReport::reader`].
    pub reader: &'a str,
    /// What is wrong, in one line.
    pub message: &'a str,
}

impl Report {
    /// The faults of whole readers, in their order: that one could not be used, or was tested by no case.
    pub fn complaints(&self) -> impl Iterator<Item = Complaint<'_>> {
        self.readers.iter().filter_map(|reader| {
            let untested = || reader.is_untested().then_some(UNTESTED);
            let message = reader.error.as_deref().or_else(untested)?;
            Some(Complaint { reader: &reader.reader, message })
        })
    }

    /// The results of one reader, in the manifest's order.
    pub(super) fn of<'a>(&'a self, reader: &'a ReaderReport) -> impl Iterator<Item = &'a super::Record> {
        self.results.iter().filter(|record| record.reader == reader.reader)
    }
}
