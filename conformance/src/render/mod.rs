//! **Rows**: the results that reports show, and a renderer for each report format.

pub(crate) mod github;
pub(crate) mod gitlab;
pub(crate) mod html;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod sarif;
pub(crate) mod stream;
pub(crate) mod text;

use std::path::{Path, PathBuf};

use serde_json::Value;
use torchproof::Span;
use torchproof::rules::{Rule, Strength};
use torchproof_harness::text::escape::plain_line;

/// A report format. A command may support only some formats, and its help shows the comments below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for a terminal.
    Text,
    /// One page for a browser.
    Html,
    /// Markdown, for the summary page of a CI site or for an issue.
    Markdown,
    /// JUnit XML for CI sites, described by `schema/junit.xsd`.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// One JSON object, described by a schema in `schema/`.
    Json,
    /// GitHub's workflow commands, which become annotations when a step prints them.
    Github,
    /// A GitLab code quality report.
    Gitlab,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// A file is rejected, a reader fails, or a change breaks readers.
    #[default]
    Error,
    /// A person should look at the result.
    Warning,
    Note,
}

impl From<Strength> for Level {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Must => Self::Error,
            Strength::Should => Self::Warning,
            Strength::May => Self::Note,
        }
    }
}

/// A finding, a failed case, or a difference.
#[derive(Debug, Default)]
pub(crate) struct ReportRow {
    pub(crate) level: Level,
    /// The word that text and tables show, such as `must`, `crash` or `breaking`.
    pub(crate) word: &'static str,
    pub(crate) kind: RowKind,
    pub(crate) subject: String,
    pub(crate) message: String,
    pub(crate) details: Vec<(&'static str, String)>,
    pub(crate) place: Option<RowPlace>,
    pub(crate) allowed: Option<String>,
    /// The texts that identify the result in later reports. The first member names this choice of texts.
    pub(crate) identity: (&'static str, Vec<String>),
    pub(crate) properties: Value,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RowKind {
    Rule(&'static Rule),
    Grade(&'static str, &'static str),
    Other(&'static str, &'static str),
}

impl Default for RowKind {
    fn default() -> Self {
        Self::Other("", "")
    }
}

impl ReportRow {
    pub(crate) fn line(&self) -> String {
        let subject = if self.subject.is_empty() { String::new() } else { format!("{}: ", self.subject) };
        plain_line(&format!("{subject}{}", self.message), usize::MAX)
    }
}

impl RowKind {
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.id,
            Self::Grade(id, _) | Self::Other(id, _) => id,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct RowPlace {
    pub(crate) path: PathBuf,
    /// The file's index in a SARIF log's tables.
    pub(crate) artifact: Option<usize>,
    pub(crate) region: Option<Region>,
    /// The field's path; empty for the whole file.
    pub(crate) field: String,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Region {
    Bytes(Span),
    Line(usize),
    Position { line: usize, column: usize },
}

impl RowPlace {
    pub(crate) fn at(path: &Path, region: Region) -> Self {
        Self { path: path.to_owned(), artifact: None, region: Some(region), field: String::new() }
    }
}
