//! **Reports of a run** in several formats. All formats print the same [records](crate::run::record).

mod again;
mod complaint;
mod failure;
mod html;
mod junit;
pub(crate) mod location;
mod markdown;
mod matrix;
mod sarif;
mod text;
mod words;

use std::error::Error;
use std::path::Path;

use crate::corpus::Corpus;
use crate::run::record::RunReport;
use crate::text::ascii;

pub use again::Again;
pub use complaint::Complaint;
pub use html::html;
pub use junit::junit;
pub use markdown::markdown;
pub use matrix::{MatrixArea, MatrixCell, MatrixReader, ReaderMatrix};
pub use sarif::sarif;
pub use text::{Layout, text};

/// The input of every report format.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// The records of the run.
    pub report: &'a RunReport,
    /// The corpus of the run. Only [`ReportFormat::Html`] requires the corpus.
    pub corpus: Option<&'a Corpus>,
    /// The builder of commands that repeat a case.
    pub again: &'a Again,
    /// The layout of text.
    pub layout: Layout,
    /// The file in which SARIF locates every failure. If `None`, the report chooses the file.
    pub sarif_at: Option<&'a Path>,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    /// Text for a terminal.
    Text,
    /// One HTML page that shows the bytes, the control case and the rule of each case.
    Html,
    /// Markdown for the summary page of a CI site.
    Markdown,
    /// JUnit XML for CI sites, described by `schema/junit.xsd`.
    Junit,
    /// SARIF 2.1.0 with the unexpected results, for code scanning.
    Sarif,
    /// One JSON object, described by `schema/run.schema.json`.
    Json,
}

impl ReportFormat {
    /// Returns the name of the format on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ReportFormat::Text => "text",
            ReportFormat::Html => "html",
            ReportFormat::Markdown => "markdown",
            ReportFormat::Junit => "junit",
            ReportFormat::Sarif => "sarif",
            ReportFormat::Json => "json",
        }
    }

    /// Returns the report in this format.
    ///
    /// # Errors
    /// `render` does not fail for a report that [`run`](crate::run::run) returned.
    pub fn render(self, view: &RunView<'_>) -> Result<String, Box<dyn Error>> {
        let RunView { report, corpus, again, layout, sarif_at } = *view;
        Ok(match self {
            ReportFormat::Text => text(report, layout),
            ReportFormat::Html => html(report, corpus.ok_or("an HTML report needs the corpus of the run")?, again)?,
            ReportFormat::Markdown => markdown(report, again),
            ReportFormat::Junit => junit(report)?,
            ReportFormat::Sarif => sarif(report, sarif_at)?,
            ReportFormat::Json => ascii::pretty(report)?,
        })
    }
}
