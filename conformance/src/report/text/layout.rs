//! The layout of the text report, and the parts of its lines and tables.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle, presets};
use textwrap::{Options, WordSplitter};
use torchproof_harness::run::grade::Grade;

use crate::page::Page;
use crate::report::words::Tone;

const STYLE: TableStyle = presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─'));

/// Creates a table whose cells do not wrap, because wrapped grades and rules are unreadable.
pub(super) fn grid(headings: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled).set_header(headings);
    table
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// `true` to list all failures, all cases, and each skipped or ungraded case.
    pub(crate) verbose: bool,
    pub(crate) page: Page,
}

impl Layout {
    /// The maximum number of characters: two terminal lines, unless the report is verbose.
    pub(super) fn most(self) -> usize {
        if self.verbose { usize::MAX } else { self.page.width.saturating_mul(2).saturating_sub(4) }
    }

    pub(super) fn shown(self, count: usize, most: usize) -> usize {
        if self.verbose { count } else { count.min(most) }
    }

    pub(super) fn grade(self, grade: Grade) -> String {
        match Tone::of(grade) {
            Tone::Good => self.page.good(grade.name()),
            Tone::Bad => self.page.bad(grade.name()),
            Tone::Quiet => self.page.dim(grade.name()),
        }
    }
}

pub(super) fn heading(name: &str) -> String {
    textwrap::fill(name, Options::new(18).break_words(false).word_splitter(WordSplitter::NoHyphenation))
}

/// Returns text such as `10 pass, 2 crash`.
pub(in crate::report) fn tally(grades: &BTreeMap<Grade, usize>, between: &str) -> String {
    let counts: Vec<String> = grades.iter().map(|(grade, count)| format!("{count} {grade}")).collect();
    if counts.is_empty() { "-".to_owned() } else { counts.join(between) }
}

pub(in crate::report) fn line(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{arguments}");
}
