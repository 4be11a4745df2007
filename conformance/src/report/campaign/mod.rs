//! **A campaign report** for a reader's maintainers: what happens, where, on which bytes, and how to repeat it.

mod entry;
mod markdown;
mod reproduction;

use std::error::Error;

use minijinja::context;
use minijinja::value::Serde;

use crate::render::ReportFormat;
use crate::render::html::html;

pub(crate) use entry::CampaignReport;

type Renderer = fn(&CampaignReport) -> Result<String, Box<dyn Error>>;

impl CampaignReport {
    pub(crate) fn renderer(format: ReportFormat) -> Option<Renderer> {
        Some(match format {
            ReportFormat::Markdown => |report| Ok(markdown::markdown(report)),
            ReportFormat::Html => |report| Ok(html(include_str!("page.html"), context! { report => Serde(report) })?),
            ReportFormat::Text | ReportFormat::Junit | ReportFormat::Sarif | ReportFormat::Json => return None,
            ReportFormat::Github | ReportFormat::Gitlab => return None,
        })
    }
}
