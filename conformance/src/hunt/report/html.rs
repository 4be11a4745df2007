//! The report of a campaign as an HTML page without scripts.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, context};

use super::entry::CampaignReport;

const TEMPLATE: &str = include_str!("page.html");

/// Returns the report as an HTML page.
pub(super) fn html(report: &CampaignReport) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    // The extension `.html` makes minijinja escape all values.
    environment.add_template("page.html", TEMPLATE)?;
    environment.get_template("page.html")?.render(context! { report => Serde(report) })
}
