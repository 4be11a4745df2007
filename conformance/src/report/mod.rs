//! **Reports on a run**, all from the same [records](torchproof_harness::run::record), and on a campaign (`campaign`).

pub(crate) mod campaign;
mod failure;
mod html;
mod junit;
pub(crate) mod location;
mod markdown;
mod matrix;
mod rerun_command;
mod sarif;
mod text;
mod words;

use std::error::Error;
use std::path::Path;

use torchproof_harness::corpus::Corpus;
use torchproof_harness::run::record::RunReport;
use torchproof_harness::text::ascii;

use crate::render::ReportFormat;

pub(crate) use matrix::ReaderMatrix;
pub use rerun_command::RerunCommand;
pub(crate) use text::{Layout, text};

#[derive(Clone, Copy, Debug)]
pub(crate) struct RunView<'a> {
    pub(crate) report: &'a RunReport,
    /// Only [`ReportFormat::Html`] requires it.
    pub(crate) corpus: Option<&'a Corpus>,
    pub(crate) rerun: &'a RerunCommand,
    pub(crate) layout: Layout,
    pub(crate) sarif_location: Option<&'a Path>,
}

type Renderer = fn(RunView<'_>) -> Result<String, Box<dyn Error>>;

impl RunView<'_> {
    pub(crate) fn renderer(format: ReportFormat) -> Option<Renderer> {
        Some(match format {
            ReportFormat::Text => |view| Ok(text(view.report, view.layout)),
            ReportFormat::Html => |view| {
                let corpus = view.corpus.ok_or("an HTML report needs the corpus of the run")?;
                html::html(view.report, corpus, view.rerun)
            },
            ReportFormat::Markdown => |view| Ok(markdown::markdown(view.report, view.rerun)),
            ReportFormat::Junit => |view| Ok(junit::junit(view.report)?),
            ReportFormat::Sarif => |view| Ok(sarif::sarif(view.report, view.sarif_location)?),
            ReportFormat::Json => |view| Ok(ascii::pretty(view.report)?),
            ReportFormat::Github | ReportFormat::Gitlab => return None,
        })
    }
}
