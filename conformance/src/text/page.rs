//! How explanations are laid out.

use std::fmt::Write;

use textwrap::{Options, WordSplitter};

/// The columns of a label, and the blanks behind it.
const LABEL: usize = 10;

/// What text is printed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The columns there are.
    pub(crate) width: usize,
    /// Whether it shows colours.
    pub(crate) colour: bool,
}

impl Page {
    /// Text in lines that fit, each behind `indent`.
    #[must_use]
    pub(crate) fn paragraph(self, indent: &str, text: &str) -> String {
        self.lines(indent, indent, text)
    }

    /// Text behind a label, in lines that fit.
    pub(crate) fn labelled(self, label: &str, text: &str) -> String {
        let first = self.dim(&format!("{label:<LABEL$}"));
        let lines = self.lines(&" ".repeat(LABEL), &" ".repeat(LABEL), text);
        first + &lines[LABEL.min(lines.len())..]
    }

    /// Lines behind one label, each as it is.
    pub(crate) fn list(self, label: &str, lines: impl IntoIterator<Item = String>) -> String {
        let mut out = String::new();
        let mut label = self.dim(&format!("{label:<LABEL$}"));
        for line in lines {
            let _ = writeln!(out, "{label}{line}");
            label = " ".repeat(LABEL);
        }
        out
    }

    /// Text that stands out.
    #[must_use]
    pub(crate) fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Text that stands back.
    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// The word for what must be done with a file.
    pub(crate) fn verdict(self, word: &str) -> String {
        let colour = match word.trim_end() {
            "must" | "reject" => "1;31",
            "should" => "1;33",
            "accept" => "1;32",
            _ => "1;34",
        };
        self.paint(colour, word)
    }

    /// The text in red.
    pub(crate) fn marked(self, text: &str) -> String {
        self.paint("31", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn lines(self, first: &str, indent: &str, text: &str) -> String {
        // An id is one word, whatever hyphens are in it.
        let options = Options::new(self.width).break_words(false).word_splitter(WordSplitter::NoHyphenation);
        textwrap::fill(text, options.initial_indent(first).subsequent_indent(indent)) + "\n"
    }
}
