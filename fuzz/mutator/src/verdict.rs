//! The checker's verdict on an input, which can be a file or a pair.

use torchproof::check::{Checker, Report};

use crate::Pair;

/// The reports on an input's files: rule, path and bytes of everything that is wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputReport {
    /// The report on the file. For a pair, the report on the program with its data file.
    pub file: Report,
    /// The report on the data file of a pair.
    pub data: Option<Report>,
}

impl InputReport {
    /// Returns whether the checker accepts every file of the input.
    #[must_use]
    pub fn accepts(&self) -> bool {
        self.file.accepts() && self.data.as_ref().is_none_or(|data| data.accepts())
    }
}

/// Checks an input. Each report contains at most [`Checker::MAX_FINDINGS`] findings.
///
/// ```
/// use torchproof_mutator::{Pair, describe};
///
/// let read = |name| std::fs::read(format!("../../corpus/real/linear_external.{name}")).unwrap();
/// let mut input = Pair { program: &read("pte"), data: &read("ptd") }.join();
/// assert!(describe(&input).accepts());
///
/// input.truncate(input.len() - 16);
/// let data = describe(&input).data.unwrap();
/// assert_eq!(data.findings[0].rule.id, "fh-base-data-sum");
/// ```
#[must_use]
pub fn describe(input: &[u8]) -> InputReport {
    match Pair::split(input) {
        Some(Pair { program, data }) => {
            InputReport { file: Checker::new().with(&data).check(program), data: Some(Checker::new().check(data)) }
        }
        None => InputReport { file: Checker::new().check(input), data: None },
    }
}
