//! **Refusing to write**: what a file would be rejected for is found before anybody gets it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use super::{Fault, Plan, WriteError};
use crate::check::{Finding, Gaps, Incomplete, Kind, Options, check};
use crate::rules::{Rule, Strength};
use crate::{Image, Span};

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
        meant: Kind,
        /// What it would be taken for.
        taken: Kind,
    },
    /// The file could not be checked to the end, so nothing is known of the rest.
    Unexamined(Incomplete),
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
            Refusal::Unexamined(Incomplete::UnreadGap(_)) => Fault::Input,
            Refusal::Unexamined(
                Incomplete::Asked | Incomplete::Limit(_) | Incomplete::NotHeld { .. } | Incomplete::NotCovered,
            ) => Fault::Limit,
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
            Refusal::Unexamined(why) => {
                f.write_str("not checked to the end: ")?;
                match why {
                    Incomplete::Asked => f.write_str("the check was stopped"),
                    Incomplete::Limit(limit) => limit.fmt(f),
                    Incomplete::NotHeld { needed } => write!(f, "it takes the first {needed} bytes"),
                    Incomplete::UnreadGap(Span { offset, len }) => {
                        write!(f, "the {len} bytes at {offset:#x} cannot be read")
                    }
                    Incomplete::NotCovered => f.write_str("no rule is for files of this kind"),
                }
            }
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

/// Nothing, if the planned file breaks no must-rule and is of this kind; `gaps` answers for what is behind the plan's head.
pub(crate) fn expect_planned(plan: &Plan, gaps: &mut dyn Gaps, kind: Kind) -> Result<(), Refusal> {
    let image = Image::head(plan.head(), plan.len());
    expect_accepted(image.ok_or(Refusal::Unexamined(Incomplete::NotHeld { needed: plan.base() }))?, gaps, kind)
}

/// Nothing, if the file breaks no must-rule and is of this kind.
pub(crate) fn expect_accepted(image: Image<'_>, gaps: &mut dyn Gaps, kind: Kind) -> Result<(), Refusal> {
    let mut broken = None;
    let mut sink = |finding: &Finding<'_>| {
        if finding.rule.strength != Strength::Must {
            return ControlFlow::Continue(());
        }
        let (path, message) = (finding.path.to_string(), finding.message.to_string());
        broken = Some(Refusal::Broken { rule: finding.rule, path, message });
        ControlFlow::Break(())
    };
    let report = check(image, gaps, &Options::default(), &mut Vec::new(), &mut sink);
    match (broken, report.incomplete) {
        (Some(broken), _) => Err(broken),
        (None, Some(why)) => Err(Refusal::Unexamined(why)),
        (None, None) if report.kind != kind => Err(Refusal::Kind { meant: kind, taken: report.kind }),
        (None, None) => Ok(()),
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::flatbuffer::schema::TableView;
    use crate::flatbuffer::tree::TableTree;
    use crate::ptd::schema::FlatTensor;
    use crate::ptd::write::{FileLayout, write};

    #[test]
    fn a_file_of_another_kind_is_refused() {
        let root = TableTree::new(FlatTensor::TYPE).with("named_data", std::vec::Vec::<TableTree>::new());
        let Ok(file) = write(&root, &[], &FileLayout::CURRENT) else { panic!("not written") };
        let image = Image::whole(&file);
        let of_kind = |kind| expect_accepted(image, &mut { image }, kind);
        assert_eq!(of_kind(Kind::Ptd), Ok(()));
        assert_eq!(of_kind(Kind::PtdLegacy), Err(Refusal::Kind { meant: Kind::PtdLegacy, taken: Kind::Ptd }));
    }

    #[test]
    fn what_was_not_examined_is_refused() {
        let head = [b"\x08\0\0\0ET12".as_slice(), &[0; 56]].concat();
        let Some(image) = Image::head(&head, 100) else { panic!("longer than the file") };
        let refusal = expect_accepted(image, &mut { image }, Kind::Pte);
        let Err(refusal) = refusal else { panic!("accepted") };
        assert_eq!(refusal, Refusal::Unexamined(Incomplete::NotHeld { needed: 100 }));
        assert_eq!(refusal.to_string(), "not checked to the end: it takes the first 100 bytes");
        let gap = Refusal::Unexamined(Incomplete::UnreadGap(Span::new(32, 4)));
        assert_eq!(gap.to_string(), "not checked to the end: the 4 bytes at 0x20 cannot be read");
    }
}
