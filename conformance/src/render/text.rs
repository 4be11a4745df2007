//! Text for a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use torchproof_harness::text::counted;

use super::{Level, ReportRow};

impl ReportRow {
    pub(crate) const fn shown_word(&self) -> &'static str {
        if self.allowed.is_some() { "allowed" } else { self.word }
    }

    /// Prints a row, with a line for each detail. `is_named` says whether a settings entry can name the id.
    pub(crate) fn text(&self, is_named: bool) -> String {
        let mut text = format!("{}: {}: {}", self.shown_word(), self.subject, self.message);
        let _ = if is_named { writeln!(text, " [{}]", self.kind.id()) } else { writeln!(text) };
        let reason = self.allowed.iter().map(|reason| ("reason", reason));
        let details = self.details.iter().filter(|_| self.allowed.is_none()).map(|(label, detail)| (*label, detail));
        let details: Vec<_> = reason.chain(details).collect();
        let width = details.iter().map(|(label, _)| label.len() + 1).max().unwrap_or(0);
        for (label, detail) in details {
            let label = format!("{label}:");
            let _ = writeln!(text, "  {label:width$} {detail}");
        }
        text
    }
}

pub(crate) fn summary(rows: &[ReportRow], noun: &str) -> String {
    if rows.is_empty() {
        return format!("no {noun}s");
    }
    let mut words: BTreeMap<(bool, Level, &str), usize> = BTreeMap::new();
    for row in rows {
        let level = if row.allowed.is_some() { Level::Note } else { row.level };
        *words.entry((row.allowed.is_some(), level, row.shown_word())).or_default() += 1;
    }
    let words: Vec<_> = words.iter().map(|((.., word), count)| format!("{count} {word}")).collect();
    format!("{}: {}", counted(rows.len() as u64, noun), words.join(", "))
}
