//! The layout of the text report, and the parts of its lines and tables.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::{LineStyle, TableStyle, presets};
use textwrap::{Options, WordSplitter};

use crate::run::grade::Grade;

/// The style of tables.
pub(super) const STYLE: TableStyle = presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─'));

/// The layout of the text report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Whether the report also lists all failures, all cases, and each skipped or ungraded case.
    pub(crate) verbose: bool,
    /// The width of the terminal in columns.
    pub(crate) width: usize,
}

/// Returns the column heading of a reader: the name, with line breaks between words.
pub(super) fn heading(name: &str) -> String {
    textwrap::fill(name, Options::new(18).break_words(false).word_splitter(WordSplitter::NoHyphenation))
}

/// Returns the number of results with each grade as text, such as `10 pass, 2 crash`.
pub(in crate::report) fn tally(grades: &BTreeMap<Grade, usize>, between: &str) -> String {
    let counts: Vec<String> = grades.iter().map(|(grade, count)| format!("{count} {grade}")).collect();
    if counts.is_empty() { "-".to_owned() } else { counts.join(between) }
}

/// Appends a line.
pub(in crate::report) fn line(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{arguments}");
}
