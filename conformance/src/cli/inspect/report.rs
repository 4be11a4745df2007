//! The report of `inspect`: sections with lines and tables, and a list of problems.

use std::fmt::{Display, Write as _};
use std::io;
use std::process::ExitCode;

use comfy_table::Table;
use torchproof_harness::text::escape::plain;

use crate::cli::{COULD_NOT, page, print};
use crate::fields::words::printable;
use crate::page::size::Size;
use crate::page::table;

const FIRST: usize = 10;

/// With `--all`; `dump` has no limit.
const ALL: usize = 10_000;

const CHUNK: usize = 1 << 16;
const PROBLEMS: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Report {
    text: String,
    most: usize,
    after_table: bool,
    problems: Vec<String>,
    more_problems: usize,
    unfinished: bool,
    unprinted: Option<io::Error>,
}

#[derive(Debug)]
pub(super) struct Rows {
    table: Table,
    most: usize,
    pub(super) total: usize,
}

impl Rows {
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

    pub(super) fn title(&mut self, name: &[u8], kind: &str, len: u64) {
        self.text += &page().of_list().wrapped("", " ", &format!("{}: {kind}, {}", printable(name), Size(len)));
    }

    pub(super) fn heading(&mut self, heading: impl Display) {
        self.text += &format!("\n{}", page().of_list().wrapped("", " ", &heading.to_string()));
        self.after_table = false;
    }

    /// An empty line separates it from a table.
    pub(super) fn line(&mut self, line: impl Display) {
        let gap = if std::mem::take(&mut self.after_table) { "\n" } else { "" };
        self.text += &format!("{gap}{}", page().of_list().wrapped(" ", "   ", &line.to_string()));
        self.print(CHUNK);
    }

    fn print(&mut self, least: usize) {
        if self.text.len() >= least && self.unprinted.is_none() {
            self.unprinted = print(&plain(&std::mem::take(&mut self.text))).err();
        }
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// A column whose name begins with `>` is right-aligned.
    pub(super) fn rows(&self, columns: &[&str]) -> Rows {
        Rows { table: table(columns), most: self.most, total: 0 }
    }

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

    pub(super) fn problem(&mut self, problem: impl Display) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem.to_string());
        } else {
            self.more_problems += 1;
        }
    }

    pub(super) fn give_up(&mut self, reason: impl Display) {
        self.problem(reason);
        self.unfinished = true;
    }

    /// The exit code is 1 if the file has problems, and 2 if it exceeds a limit.
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
