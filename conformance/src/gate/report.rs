//! A comparison's rows as text, Markdown and SARIF.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use torchproof_harness::text::ascii;
use torchproof_harness::text::escape::plain;

use crate::render::sarif::{LogTables, sarif};
use crate::render::text::summary;
use crate::render::{Level, ReportFormat, ReportRow, markdown};
use crate::report::location::NO_CHECKOUT_FILE;
use crate::settings::ProjectSettings;

/// Renders a comparison. The bool says whether everything could be compared; the number is the command's exit code.
type Renderer<C> = fn(&C, bool, u8) -> io::Result<String>;

pub(crate) trait Comparison: Serialize + Sized {
    const TITLE: &'static str;
    /// The ids by which settings can allow differences.
    const KINDS: &'static [&'static str];

    fn rows(&self) -> Vec<ReportRow>;

    /// In text and Markdown, one row can stand for many differences with the same cause.
    fn short_rows(&self) -> Vec<ReportRow> {
        self.rows()
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// An allowed difference does not affect the exit code.
    fn allow(&mut self, settings: &ProjectSettings);

    fn text(&self, is_verbose: bool) -> String {
        let rows = ordered(if is_verbose { self.rows() } else { self.short_rows() });
        // Brackets mark the ids that a settings entry can contain.
        let blocks = rows.iter().map(|row| row.text(Self::KINDS.contains(&row.kind.id())) + "\n");
        let notes = self.notes().into_iter().map(|note| format!("note: {note}\n"));
        plain(&(blocks.chain(notes).collect::<String>() + &summary(&self.rows(), "difference") + "\n"))
    }

    fn markdown(&self) -> String {
        let rows = ordered(self.short_rows());
        let mut text = format!("### {}: {}\n", Self::TITLE, summary(&self.rows(), "difference"));
        for note in self.notes() {
            let _ = writeln!(text, "\n{}", markdown::cell(&note));
        }
        // A row that stands for many differences has the most details.
        let Some(widest) = rows.iter().max_by_key(|row| row.details.len()) else { return text };
        let labels: Vec<_> = widest.details.iter().map(|(label, _)| *label).collect();
        text += "\n";
        text += &markdown::table(&[&["", "what"], &*labels].concat());
        for row in &rows {
            let word = row.allowed.as_ref().map_or_else(|| row.word.to_owned(), |reason| format!("allowed: {reason}"));
            let detail = |label| row.details.iter().find(|(own, _)| *own == label).map_or("", |(_, detail)| detail);
            let details = labels.iter().copied().map(detail);
            let what = format!("{}: {}", row.subject, row.message);
            let cells = [&*word, &what].into_iter().chain(details).map(markdown::cell);
            text += &markdown::row(&cells.collect::<Vec<_>>());
        }
        plain(&text)
    }

    fn sarif(&self, is_complete: bool, exit_code: u8) -> io::Result<String> {
        let mut tables = LogTables::allowing();
        let mut rows = ordered(self.rows());
        for row in &mut rows {
            let parts = [row.kind.id(), &row.subject, &row.message].map(str::to_owned);
            row.identity = ("difference/v1", parts.to_vec());
        }
        self.notes().iter().for_each(|note| tables.notify(Level::Note, note, None));
        if rows.iter().any(|row| row.place.is_none()) {
            tables.notify(Level::Warning, NO_CHECKOUT_FILE, None);
        }
        sarif(rows, tables, (is_complete, exit_code))
    }

    fn renderer(format: ReportFormat) -> Option<Renderer<Self>> {
        Some(match format {
            ReportFormat::Text => |result, _, _| Ok(result.text(true)),
            ReportFormat::Json => |result, _, _| ascii::pretty(result),
            ReportFormat::Markdown => |result, _, _| Ok(result.markdown()),
            ReportFormat::Sarif => Self::sarif,
            ReportFormat::Html | ReportFormat::Junit | ReportFormat::Github | ReportFormat::Gitlab => return None,
        })
    }
}

fn ordered(mut rows: Vec<ReportRow>) -> Vec<ReportRow> {
    rows.sort_by_key(|row| row.allowed.is_some());
    rows
}
