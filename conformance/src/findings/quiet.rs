//! `check --quiet`: one line per file.

use std::fmt::Write;

use torchproof::rules::Strength;
use torchproof_harness::text::escape::plain_name;

use super::{CheckVerdict, ExaminedFile};

/// Returns `PATH: VERDICT`. After `warn` and `reject`, the line shows the first broken rule and the number of other findings,
/// or the number of unresolved external tensors if they are the only reason. An unreadable file is `unexamined`.
pub(crate) fn line(path: &str, examined: Option<&ExaminedFile>, deny_should: bool) -> String {
    let path = plain_name(path);
    let Some(examined) = examined else { return format!("{path}: unexamined") };
    let (must, should) = (examined.report.must, examined.report.should);
    let (verdict, count) = match examined.verdict(deny_should) {
        CheckVerdict::Accept => return format!("{path}: accept"),
        CheckVerdict::Unexamined => return format!("{path}: unexamined"),
        CheckVerdict::Warn => ("warn", should),
        CheckVerdict::Reject => ("reject", if deny_should { must + should } else { must }),
    };
    if verdict == "reject"
        && count == 0
        && let Some(note) = examined.other_reason()
    {
        return format!("{path}: reject ({note})");
    }
    let strongest = if must > 0 { Strength::Must } else { Strength::Should };
    let mut line = format!("{path}: {verdict}");
    if let Some(found) = examined.report.first(strongest) {
        let _ = write!(line, " {}", found.rule);
    }
    if count > 1 {
        let _ = write!(line, " (+{})", count - 1);
    }
    line
}
