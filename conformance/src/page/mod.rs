//! **The pages that the command prints**: wrapped paragraphs, tables and sizes.

mod table;

use std::fmt::Write;

use textwrap::{Options, WordSplitter};

pub(crate) use table::table;
pub(crate) use torchproof_model::size;

/// The width of the label column, including the spaces after a label.
const LABEL: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) width: usize,
    pub(crate) color: bool,
}

impl Page {
    pub(crate) const MAX_WIDTH: usize = 100;

    /// The maximum width of lists and tables, which must fit in any terminal.
    pub(crate) const LIST_WIDTH: u16 = 80;

    pub(crate) const FILE: Self = Self { width: Self::MAX_WIDTH, color: false };

    pub(crate) fn paragraph(self, indent: &str, text: &str) -> String {
        self.lines(indent, indent, text)
    }

    pub(crate) fn labeled(self, label: &str, text: &str) -> String {
        let first = self.dim(&format!("{label:<LABEL$}"));
        let lines = self.lines(&" ".repeat(LABEL), &" ".repeat(LABEL), text);
        first + &lines[LABEL.min(lines.len())..]
    }

    pub(crate) fn of_list(self) -> Self {
        Self { width: self.width.min(Self::LIST_WIDTH.into()), ..self }
    }

    /// Wraps the text, breaking words that are longer than a line.
    pub(crate) fn wrapped(self, first: &str, indent: &str, text: &str) -> String {
        let options = Options::new(self.width).word_splitter(WordSplitter::NoHyphenation);
        textwrap::fill(text, options.initial_indent(first).subsequent_indent(indent)) + "\n"
    }

    /// Returns the label followed by the lines, without wrapping them.
    pub(crate) fn list(self, label: &str, lines: impl IntoIterator<Item = String>) -> String {
        let mut out = String::new();
        let mut label = self.dim(&format!("{label:<LABEL$}"));
        for line in lines {
            let _ = writeln!(out, "{label}{line}");
            label = " ".repeat(LABEL);
        }
        out
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Colors the word for a verdict or a strength.
    pub(crate) fn verdict(self, word: &str) -> String {
        match word.trim_end() {
            "must" | "reject" => self.bad(word),
            "should" => self.paint("1;33", word),
            "accept" => self.good(word),
            _ => self.paint("1;34", word),
        }
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    pub(crate) fn marked(self, text: &str) -> String {
        self.paint("31", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn lines(self, first: &str, indent: &str, text: &str) -> String {
        // Do not break ids at their hyphens.
        let options = Options::new(self.width).break_words(false).word_splitter(WordSplitter::NoHyphenation);
        textwrap::fill(text, options.initial_indent(first).subsequent_indent(indent)) + "\n"
    }
}
