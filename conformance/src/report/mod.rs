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
use crate::render::ReportFormat;
use crate::run::record::RunReport;
use crate::text::ascii;

pub use again::Again;
pub(crate) use complaint::Complaint;
pub(crate) use matrix::ReaderMatrix;
pub(crate) use text::{Layout, text};

pub(crate) const RUN_FORMATS: &[ReportFormat] = &[
    ReportFormat::Text,
    ReportFormat::Html,
    ReportFormat::Markdown,
    ReportFormat::Junit,
    ReportFormat::Sarif,
    ReportFormat::Json,
];

#[derive(Clone, Copy, Debug)]
pub(crate) struct RunView<'a> {
    pub(crate) report: &'a RunReport,
    /// Only [`ReportFormat::Html`] requires it.
    pub(crate) corpus: Option<&'a Corpus>,
    pub(crate) again: &'a Again,
    pub(crate) layout: Layout,
    pub(crate) sarif_at: Option<&'a Path>,
}

impl RunView<'_> {
    pub(crate) fn render(self, format: ReportFormat) -> Result<String, Box<dyn Error>> {
        let RunView { report, corpus, again, layout, sarif_at } = self;
        Ok(match format {
            ReportFormat::Text => text(report, layout),
            ReportFormat::Html => {
                html::html(report, corpus.ok_or("an HTML report needs the corpus of the run")?, again)?
            }
            ReportFormat::Markdown => markdown::markdown(report, again),
            ReportFormat::Junit => junit::junit(report)?,
            ReportFormat::Sarif => sarif::sarif(report, sarif_at)?,
            ReportFormat::Json => ascii::pretty(report)?,
            ReportFormat::Github | ReportFormat::Gitlab => return Err(format.absent().into()),
        })
    }
}
