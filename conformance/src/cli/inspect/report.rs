//! The report of `inspect`: sections with lines and tables, and a list of problems.

use std::fmt::{Display, Write as _};
use std::io;
use std::process::ExitCode;

use comfy_table::Table;

use crate::cli::{COULD_NOT, print};
use crate::file::words::printable;
use crate::text::escape::plain;
use crate::text::size::Size;
use crate::text::table;

/// The maximum number of rows in a list without `--all`.
const FIRST: usize = 10;

/// The maximum number of rows in a list with `--all`; `dump` has no limit.
const ALL: usize = 10_000;

/// The number of bytes of text after which the report prints the text.
const CHUNK: usize = 1 << 16;

/// The maximum number of listed problems.
const PROBLEMS: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Report {
    text: String,
    most: usize,
    /// `true` if the last output was a table.
    after_table: bool,
    problems: Vec<String>,
    more_problems: usize,
    unfinished: bool,
    /// The first error of printing.
    unprinted: Option<io::Error>,
}

/// The rows of a list up to a maximum, and the total number of rows.
#[derive(Debug)]
pub(super) struct Rows {
    table: Table,
    most: usize,
    pub(super) total: usize,
}

impl Rows {
    /// Adds a row. If the list has reached its maximum, this function counts the row but does not store the row.
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

    /// Writes the first line: name, kind and size of the file.
    pub(super) fn title(&mut self, name: &[u8], kind: &str, len: u64) {
        let _ = writeln!(self.text, "{}: {kind}, {}", printable(name), Size(len));
    }

    /// Writes the heading of a section.
    pub(super) fn heading(&mut self, heading: impl Display) {
        let _ = writeln!(self.text, "\n{heading}");
        self.after_table = false;
    }

    /// Writes a line. If the last output was a table, an empty line separates the table and the new line.
    pub(super) fn line(&mut self, line: impl Display) {
        let gap = if std::mem::take(&mut self.after_table) { "\n" } else { "" };
        let _ = writeln!(self.text, "{gap} {line}");
        self.print(CHUNK);
    }

    /// Prints the text and removes it, if there are at least `least` bytes.
    fn print(&mut self, least: usize) {
        if self.text.len() >= least && self.unprinted.is_none() {
            self.unprinted = print(&plain(&std::mem::take(&mut self.text))).err();
        }
    }

    /// Returns the maximum number of rows in a list.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Creates an empty list with the given columns. A column whose name begins with `>` is right-aligned.
    pub(super) fn rows(&self, columns: &[&str]) -> Rows {
        Rows { table: table(columns), most: self.most, total: 0 }
    }

    /// Writes a list as a table. Writes nothing if the list has no rows.
    pub(super) fn table(&mut self, rows: &Rows) {
        let shown = rows.table.row_count();
        if shown > 0 {
            let _ = writeln!(self.text, "{}", rows.table.trim_fmt());
        }
        if rows.total > shown {
            let hint = if self.most == FIRST { "--all lists them" } else { "`torchproof dump` prints them" };
            let _ = writeln!(self.text, " … and {} more; {hint}", rows.total - shown);
        }
        self.after_table = shown > 0;
        self.print(CHUNK);
    }

    /// Adds a problem of the file.
    pub(super) fn problem(&mut self, problem: impl Display) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem.to_string());
        } else {
            self.more_problems += 1;
        }
    }

    /// Reports the reason why the rest of the file is not examined.
    pub(super) fn give_up(&mut self, reason: impl Display) {
        self.problem(reason);
        self.unfinished = true;
    }

    /// Prints the rest of the text, and returns the exit code. The exit code is 1 if the file has problems, 2 if the file
    /// exceeds a limit, and 0 otherwise.
    pub(super) fn finish(mut self) -> io::Result<ExitCode> {
        let mut code = ExitCode::SUCCESS;
        if !self.problems.is_empty() {
            self.heading("Problems");
            for problem in std::mem::take(&mut self.problems) {
                self.line(problem);
            }
            let more = self.more_problems;
            if more > 0 {
                self.line(format_args!("… and {more} more"));
            }
            self.line("`torchproof check` lists every broken rule with its bytes.");
            code = if self.unfinished { ExitCode::from(COULD_NOT) } else { ExitCode::FAILURE };
        }
        self.print(0);
        self.unprinted.map_or(Ok(code), Err)
    }
}
