//! The rows of a comparison as text, markdown and SARIF.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::sarif::{self, LogTables};
use crate::text::counted;
use crate::text::escape::markdown_cell;

/// What a difference means for the users of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
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
    /// The path of a file, and, if known, a line and a column.
    pub(super) place: Option<(String, Option<(usize, usize)>)>,
}

/// The result of a comparison.
pub trait Comparison: Serialize {
    /// The title of the result.
    const TITLE: &'static str;

    /// Returns the differences, the worst first.
    fn rows(&self) -> Vec<GateRow>;

    /// Returns notes about the comparison, such as parts that were not compared.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the result for a terminal.
    fn text(&self) -> String {
        let rows = self.rows();
        let mut text = String::new();
        for row in &rows {
            let _ = writeln!(text, "{}: {}: {} [{}]", row.word, row.subject, row.change, row.id);
            let width = row.details.iter().map(|(label, _)| label.len() + 1).max().unwrap_or(0);
            for (label, detail) in &row.details {
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
        let rows = self.rows();
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
            let cells: Vec<_> = [row.word, &what].into_iter().chain(details).map(markdown_cell).collect();
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
        let rows = self.rows();
        let results = rows.iter().map(|row| result(row, &mut tables.borrow_mut()));
        sarif::write(out, results, &tables, || (is_complete, exit_code))
    }
}

/// Converts a row into a result of a SARIF log.
fn result(row: &GateRow, tables: &mut LogTables) -> Value {
    let index = tables.rule(row.id, || json!({ "id": row.id, "shortDescription": sarif::message(row.definition) }));
    let location = row.place.iter().map(|(path, position)| {
        let mut location = sarif::location(&sarif::uri(Path::new(path)), None, None, "");
        if let Some((line, column)) = position {
            location["physicalLocation"]["region"] = json!({ "startLine": line, "startColumn": column });
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
        "partialFingerprints": { "difference/v1": sarif::fingerprint(&[row.id, &row.subject, &row.change]) },
    })
}

/// Returns the number of differences in each class as text.
fn summary(rows: &[GateRow]) -> String {
    if rows.is_empty() {
        return "no differences".to_owned();
    }
    let mut words: Vec<(Class, &str, usize)> = Vec::new();
    for row in rows {
        match words.iter_mut().find(|(_, word, _)| *word == row.word) {
            Some((.., count)) => *count += 1,
            None => words.push((row.class, row.word, 1)),
        }
    }
    words.sort_unstable();
    let words: Vec<_> = words.iter().map(|(_, word, count)| format!("{count} {word}")).collect();
    format!("{}: {}", counted(rows.len() as u64, "difference"), words.join(", "))
}
