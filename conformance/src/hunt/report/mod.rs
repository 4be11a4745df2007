//! **The report of a campaign** for the maintainers of a reader: what happens, where, on which bytes, and how to repeat it.

mod entry;
mod markdown;
mod reproduction;

use std::error::Error;

use minijinja::context;
use minijinja::value::Serde;

use crate::render::ReportFormat;
use crate::render::html::html;

pub use entry::CampaignReport;

pub(crate) const HUNT_FORMATS: &[ReportFormat] = &[ReportFormat::Markdown, ReportFormat::Html];

impl CampaignReport {
    pub(crate) fn render(&self, format: ReportFormat) -> Result<String, Box<dyn Error>> {
        match format {
            ReportFormat::Markdown => Ok(markdown::markdown(self)),
            ReportFormat::Html => Ok(html(include_str!("page.html"), context! { report => Serde(self) })?),
            format => Err(format.absent().into()),
        }
    }
}
