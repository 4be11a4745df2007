//! **Refusing to write**: what a file would be rejected for is found before anybody gets it.

use alloc::string::String;
use core::fmt;

use super::{Fault, WriteError};
use crate::FileKind;
use crate::check::{Checker, ReadAt, StopReason};
use crate::rules::Rule;

/// Why a model was not written.
///
/// [`Refusal::fault`] says by whose fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The file cannot be laid out.
    Layout(WriteError),
    /// The file would break a must-rule. It may break more.
    Broken {
        /// The rule.
        rule: &'static Rule,
        /// The field, as `execution_plan[0].values[3].val.sizes`; empty for the file as a whole.
        path: String,
        /// The value found and the one expected.
        message: String,
    },
    /// Readers would take the file for another kind: the two layouts of data files are told apart by structure alone.
    Kind {
        /// What it is.
        meant: FileKind,
        /// What it would be taken for.
        taken: FileKind,
    },
    /// The file could not be checked to the end, so nothing is known of the rest.
    Unexamined(StopReason),
}

impl From<WriteError> for Refusal {
    fn from(error: WriteError) -> Self {
        Refusal::Layout(error)
    }
}

impl Refusal {
    /// Whose fault it is: the model's if the file would be broken or another kind of file; what could not be examined is a
    /// limit's, or that of a source whose bytes had to be looked at.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Refusal::Layout(error) => error.fault(),
            Refusal::Broken { .. } | Refusal::Kind { .. } => Fault::Specification,
            Refusal::Unexamined(StopReason::Unread(_)) => Fault::Input,
            Refusal::Unexamined(_) => Fault::Limit,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Layout(error) => error.fmt(f),
            Refusal::Broken { rule, path, message } if path.is_empty() => write!(f, "{message} (breaks {rule})"),
            Refusal::Broken { rule, path, message } => write!(f, "{path}: {message} (breaks {rule})"),
            Refusal::Kind { meant, taken } => write!(f, "readers would take the {meant} file for {taken}"),
            Refusal::Unexamined(why) => write!(f, "not checked to the end: {why}"),
        }
    }
}

impl core::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Refusal::Layout(error) => Some(error),
            _ => None,
        }
    }
}

/// Nothing, if the file breaks no must-rule and is of this kind.
pub(crate) fn expect_accepted(file: &dyn ReadAt, kind: FileKind) -> Result<(), Refusal> {
    let mut report = Checker::new().max_findings(0).check_source(file);
    match (report.findings.pop(), report.stopped) {
        (Some(found), _) => Err(Refusal::Broken { rule: found.rule, path: found.path, message: found.message }),
        (None, Some(why)) => Err(Refusal::Unexamined(why)),
        (None, None) if report.kind != kind => Err(Refusal::Kind { meant: kind, taken: report.kind }),
        (None, None) => Ok(()),
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::Span;
    use crate::check::Unread;
    use crate::flatbuffer::schema::TableView;
    use crate::flatbuffer::tree::TableTree;
    use crate::ptd::schema::FlatTensor;
    use crate::ptd::write::{FileLayout, write};

    #[test]
    fn a_file_of_another_kind_is_refused() {
        let root = TableTree::new(FlatTensor::TYPE).with("named_data", std::vec::Vec::<TableTree>::new());
        let Ok(file) = write(&root, &[], &FileLayout::CURRENT) else { panic!("not written") };
        let of_kind = |kind| expect_accepted(&file, kind);
        assert_eq!(of_kind(FileKind::Ptd), Ok(()));
        assert_eq!(
            of_kind(FileKind::PtdLegacy),
            Err(Refusal::Kind { meant: FileKind::PtdLegacy, taken: FileKind::Ptd })
        );
    }

    #[test]
    fn what_was_not_examined_is_refused() {
        let head = [b"\x08\0\0\0ET12".as_slice(), &[0; 56]].concat();
        /// Eight of whose bytes are missing.
        struct Cut(Vec<u8>);
        impl ReadAt for Cut {
            fn len(&self) -> u64 {
                self.0.len() as u64 + 8
            }
            fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Unread> {
                self.0.read_at(offset, buffer)
            }
        }
        assert_eq!(
            expect_accepted(&Cut(head), FileKind::Pte),
            Err(Refusal::Unexamined(StopReason::Unread(Span::new(0, 72))))
        );
        let gap = Refusal::Unexamined(StopReason::Unread(Span::new(32, 4)));
        assert_eq!(
            std::string::ToString::to_string(&gap),
            "not checked to the end: the 4 bytes at 0x20 cannot be read"
        );
    }
}
