//! **The report of a campaign** for the maintainers of a reader: what happens, where, on which bytes, and how to repeat it.

mod entry;
mod html;
mod markdown;
mod reproduction;

pub use entry::CampaignReport;

/// The format of a campaign's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum HuntFormat {
    /// Markdown, for an issue or an advisory.
    Markdown,
    /// One HTML page.
    Html,
}

impl CampaignReport {
    /// Returns the report in a format.
    ///
    /// # Errors
    ///
    /// Fails only if the template of the page is invalid.
    pub fn render(&self, format: HuntFormat) -> Result<String, minijinja::Error> {
        match format {
            HuntFormat::Markdown => Ok(markdown::markdown(self)),
            HuntFormat::Html => html::html(self),
        }
    }
}
