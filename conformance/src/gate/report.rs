//! The rows of a comparison as text, markdown and SARIF.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::report::location::NO_CHECKOUT_FILE;
use crate::sarif::{self, LogTables};
use crate::settings::ProjectSettings;
use crate::text::counted;
use crate::text::escape::markdown_cell;

/// What a difference means for the users of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A reader can misread or reject a file.
    Breaking,
    /// No reader misreads or rejects a file because of the difference, but the difference can affect source code or
    /// people.
    Notice,
    /// The difference affects nobody.
    Safe,
}

impl Class {
    const fn level(self) -> &'static str {
        match self {
            Self::Breaking => "error",
            Self::Notice => "warning",
            Self::Safe => "note",
        }
    }
}

/// A difference as all report formats describe it.
#[derive(Debug)]
pub struct GateRow {
    pub(super) class: Class,
    /// The word for the class, for example `breaking`.
    pub(super) word: &'static str,
    /// The id of the kind of difference.
    pub(super) id: &'static str,
    /// The definition of the kind of difference.
    pub(super) definition: &'static str,
    pub(super) subject: String,
    pub(super) change: String,
    /// The details: pairs of a label and a text.
    pub(super) details: Vec<(&'static str, String)>,
    pub(super) place: Option<RowPlace>,
    /// The reason why the settings allow the difference.
    pub(super) allowed: Option<String>,
}

impl GateRow {
    const fn shown_word(&self) -> &'static str {
        if self.allowed.is_some() { "allowed" } else { self.word }
    }
}

/// The place of a difference in a file.
#[derive(Debug)]
pub(super) struct RowPlace {
    pub(super) path: PathBuf,
    pub(super) line: usize,
    pub(super) column: Option<usize>,
}

impl RowPlace {
    /// Returns the first line of a file.
    pub(super) fn start_of(path: &Path) -> Self {
        Self { path: path.to_owned(), line: 1, column: None }
    }
}

/// The result of a comparison.
pub trait Comparison: Serialize {
    /// The title of the result.
    const TITLE: &'static str;
    /// The ids of the kinds of differences, by which settings can allow differences.
    const KINDS: &'static [&'static str];

    /// Returns the differences, the worst first.
    fn rows(&self) -> Vec<GateRow>;

    /// Returns notes about the comparison, such as parts that were not compared.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Marks the differences that the settings allow. An allowed difference does not affect the exit code.
    fn allow(&mut self, settings: &ProjectSettings);

    /// Returns the differences, the worst first, and the allowed differences last.
    fn ordered_rows(&self) -> Vec<GateRow> {
        let mut rows = self.rows();
        rows.sort_by_key(|row| row.allowed.is_some());
        rows
    }

    /// Returns the result for a terminal.
    fn text(&self) -> String {
        let rows = self.ordered_rows();
        let mut text = String::new();
        for row in &rows {
            let _ = write!(text, "{}: {}: {}", row.shown_word(), row.subject, row.change);
            // Brackets mark the ids that an entry of the settings can contain.
            let _ = if Self::KINDS.contains(&row.id) { writeln!(text, " [{}]", row.id) } else { writeln!(text) };
            let reason = row.allowed.iter().map(|reason| ("reason", reason));
            let details = row.details.iter().filter(|_| row.allowed.is_none()).map(|(label, detail)| (*label, detail));
            let details: Vec<_> = reason.chain(details).collect();
            let width = details.iter().map(|(label, _)| label.len() + 1).max().unwrap_or(0);
            for (label, detail) in details {
                let label = format!("{label}:");
                let _ = writeln!(text, "  {label:width$} {detail}");
            }
            text.push('\n');
        }
        for note in self.notes() {
            let _ = writeln!(text, "note: {note}");
        }
        text + &summary(&rows) + "\n"
    }

    /// Returns the result for the summary page of a CI site.
    fn markdown(&self) -> String {
        let rows = self.ordered_rows();
        let mut text = format!("### {}: {}\n", Self::TITLE, summary(&rows));
        for note in self.notes() {
            let _ = writeln!(text, "\n{}", markdown_cell(&note));
        }
        let Some(first) = rows.first() else { return text };
        let labels: Vec<_> = first.details.iter().map(|(label, _)| *label).collect();
        let _ = writeln!(text, "\n| | what | {} |", labels.join(" | "));
        let _ = writeln!(text, "|{}", "---|".repeat(labels.len() + 2));
        for row in &rows {
            let details = row.details.iter().map(|(_, detail)| detail.as_str());
            let what = format!("{}: {}", row.subject, row.change);
            let word = row.allowed.as_ref().map_or_else(|| row.word.to_owned(), |reason| format!("allowed: {reason}"));
            let cells: Vec<_> = [&*word, &what].into_iter().chain(details).map(markdown_cell).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }

    /// Writes the result as a SARIF log. `is_complete` states whether everything could be compared.
    ///
    /// # Errors
    ///
    /// Fails if the log cannot be written.
    fn sarif(&self, out: impl io::Write, is_complete: bool, exit_code: u8) -> io::Result<()> {
        let tables = RefCell::new(LogTables::default());
        let rows = self.ordered_rows();
        for note in self.notes() {
            tables.borrow_mut().notify("note", &note, None);
        }
        if rows.iter().any(|row| row.place.is_none()) {
            tables.borrow_mut().notify("warning", NO_CHECKOUT_FILE, None);
        }
        let results = rows.iter().map(|row| result(row, &mut tables.borrow_mut()));
        sarif::write(out, results, &tables, || (is_complete, exit_code))
    }
}

/// Converts a row into a result of a SARIF log.
fn result(row: &GateRow, tables: &mut LogTables) -> Value {
    let index = tables.rule(row.id, || json!({ "id": row.id, "shortDescription": sarif::message(row.definition) }));
    let location = row.place.iter().map(|RowPlace { path, line, column }| {
        let mut location = sarif::location(&sarif::uri(path), None, None, "");
        location["physicalLocation"]["region"] = json!({ "startLine": line });
        if let Some(column) = column {
            location["physicalLocation"]["region"]["startColumn"] = json!(column);
        }
        location
    });
    let details: String = row.details.iter().map(|(label, detail)| format!("\n{label}: {detail}")).collect();
    json!({
        "ruleId": row.id,
        "ruleIndex": index,
        "level": row.class.level(),
        "message": sarif::message(&format!("{}: {}{details}", row.subject, row.change)),
        "locations": location.collect::<Vec<_>>(),
        "suppressions": sarif::suppressions(row.allowed.as_deref()),
        "partialFingerprints": { "difference/v1": sarif::fingerprint(&[row.id, &row.subject, &row.change]) },
    })
}

/// Returns the number of differences in each class as text.
fn summary(rows: &[GateRow]) -> String {
    if rows.is_empty() {
        return "no differences".to_owned();
    }
    let mut words: BTreeMap<(bool, Class, &str), usize> = BTreeMap::new();
    for row in rows {
        let class = if row.allowed.is_some() { Class::Safe } else { row.class };
        *words.entry((row.allowed.is_some(), class, row.shown_word())).or_default() += 1;
    }
    let words: Vec<_> = words.iter().map(|((.., word), count)| format!("{count} {word}")).collect();
    format!("{}: {}", counted(rows.len() as u64, "difference"), words.join(", "))
}
