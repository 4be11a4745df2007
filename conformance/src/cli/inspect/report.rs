//! The report that `inspect` writes: sections of lines and tables, and the problems met on the way.

use std::fmt::{Display, Write as _};
use std::process::ExitCode;

use comfy_table::Table;

use super::text::printable;
use crate::cli::COULD_NOT;
use crate::text::size::Size;
use crate::text::table;

/// Rows that a list shows unless all are asked for.
const FIRST: usize = 10;

/// Rows that a list shows at most; `dump` has no such bound.
const ALL: usize = 100_000;

/// Problems that are listed at most.
const PROBLEMS: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Report {
    text: String,
    most: usize,
    /// Whether a table has been written last.
    after_table: bool,
    problems: Vec<String>,
    more_problems: usize,
    unfinished: bool,
}

/// The first rows of a list, and how many there are.
#[derive(Debug)]
pub(super) struct Rows {
    table: Table,
    most: usize,
    pub(super) total: usize,
}

impl Rows {
    /// Adds a row; one that is not shown is only counted.
    pub(super) fn add<const N: usize>(&mut self, row: impl FnOnce() -> [String; N]) {
        self.total += 1;
        if self.total <= self.most {
            self.table.add_row(row());
        }
    }
}

impl Report {
    pub(super) fn new(all: bool) -> Self {
        Self { most: if all { ALL } else { FIRST }, ..Self::default() }
    }

    /// The first line: which file, and what it is.
    pub(super) fn title(&mut self, name: &[u8], kind: &str, len: u64) {
        let _ = writeln!(self.text, "{}: {kind}, {}", printable(name), Size(len));
    }

    /// Begins a section.
    pub(super) fn heading(&mut self, heading: impl Display) {
        let _ = writeln!(self.text, "\n{heading}");
        self.after_table = false;
    }

    /// A line, apart from a table above it.
    pub(super) fn line(&mut self, line: impl Display) {
        let gap = if std::mem::take(&mut self.after_table) { "\n" } else { "" };
        let _ = writeln!(self.text, "{gap} {line}");
    }

    /// How many rows a list may have.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// A list with these columns; those that begin with `>` are aligned to the right.
    pub(super) fn rows(&self, columns: &[&str]) -> Rows {
        Rows { table: table(columns), most: self.most, total: 0 }
    }

    /// The list as a table; nothing when it has no rows.
    pub(super) fn table(&mut self, rows: &Rows) {
        let shown = rows.table.row_count();
        if shown > 0 {
            let _ = writeln!(self.text, "{}", rows.table.trim_fmt());
        }
        if rows.total > shown {
            let hint = if self.most == FIRST { "--all lists them" } else { "`dump` prints them all" };
            let _ = writeln!(self.text, " … and {} more; {hint}", rows.total - shown);
        }
        self.after_table = shown > 0;
    }

    /// Something that is wrong with the file.
    pub(super) fn problem(&mut self, problem: impl Display) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem.to_string());
        } else {
            self.more_problems += 1;
        }
    }

    /// That the rest of the file is not looked at, and why.
    pub(super) fn give_up(&mut self, reason: impl Display) {
        self.problem(reason);
        self.unfinished = true;
    }

    /// The text, and the exit code: a failure if the file has problems, and another if it asks for more work than is done for one.
    pub(super) fn finish(mut self) -> (String, ExitCode) {
        if self.problems.is_empty() {
            return (self.text, ExitCode::SUCCESS);
        }
        self.heading("Problems");
        for problem in std::mem::take(&mut self.problems) {
            self.line(problem);
        }
        let more = self.more_problems;
        if more > 0 {
            self.line(format_args!("… and {more} more"));
        }
        self.line("`torchproof check` names every rule that the file breaks, and shows the bytes.");
        (self.text, if self.unfinished { ExitCode::from(COULD_NOT) } else { ExitCode::FAILURE })
    }
}
