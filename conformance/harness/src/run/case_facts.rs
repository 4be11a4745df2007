//! **Facts about a case** that every report gives for a failure.

use serde::{Deserialize, Serialize};
use torchproof::rules::Basis;

use crate::corpus::{ByteRange, Case};
use crate::text::counted;
use crate::text::escape::plain_line;

/// The facts about the case of an unexpected result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaseFacts {
    /// The case's title.
    pub title: String,
    /// The rule that the case breaks or tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The rule's basis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The path of the field with the defect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The byte range of the defect in the first file of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<ByteRange>,
    /// The command that explains the case; absent if this release does not contain the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<String>,
    /// The path of the case's page in the book; absent if `explain` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// The path of a case's page in the book.
pub fn case_page(id: &str) -> String {
    format!("cases/{id}.html")
}

impl CaseFacts {
    pub fn of(case: &Case) -> Self {
        let known = torchproof::corpus::find(&case.id);
        let line = |text: &String| plain_line(text, usize::MAX);
        Self {
            title: line(&case.title),
            rule: case.rule.as_ref().map(line),
            basis: case.basis(),
            path: case.path.as_ref().map(line),
            at: case.at,
            explain: known.map(|case| format!("torchproof explain {}", case.id)),
            page: known.map(|case| case_page(case.id)),
        }
    }

    /// Returns the defect's field and bytes, such as `header.length, 4 bytes at 0xc`, or an empty string if there is no defect.
    pub fn place(&self) -> String {
        let Some(at) = self.at else { return String::new() };
        let bytes = format!("{} at {:#x}", counted(at.len, "byte"), at.offset);
        match self.path.as_deref() {
            None => format!("{bytes}, outside any field"),
            Some("") => format!("the root table, {bytes}"),
            Some(path) => format!("{path}, {bytes}"),
        }
    }
}
