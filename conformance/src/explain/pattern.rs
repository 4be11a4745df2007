//! A malformed pattern's explanation.

use std::fmt::Write;

use serde::Serialize;
use torchproof::rules::{self, Pattern, Rule};

use super::rule::references;
use crate::page::Page;

/// A malformed pattern and the rules that a file with this pattern breaks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PatternEntry {
    #[serde(flatten)]
    pattern: &'static Pattern,
    /// The ids of the rules.
    rules: Vec<&'static str>,
}

impl PatternEntry {
    pub(super) fn of(pattern: &'static Pattern) -> Self {
        let broken = rules::all().filter(|rule| rule.explanation().refs.contains(&pattern.id));
        Self { pattern, rules: broken.map(|rule| rule.id).collect() }
    }

    pub(super) fn text(&self, page: Page) -> String {
        let Pattern { id, title, text, refs, outside, .. } = self.pattern;
        let mut out = String::new();
        let _ = writeln!(out, "{}  {title}\n", page.strong(id));
        out += &page.paragraph("    ", text);
        out.push('\n');
        let longest = self.rules.iter().map(|rule| rule.len()).max().unwrap_or_default();
        let rules = self.rules.iter().filter_map(|id| rules::get(id)).map(|rule| {
            let Rule { id, strength, statement, .. } = rule;
            format!("{strength:<6}  {id:longest$}  {statement}")
        });
        out += &page.list("rules", rules);
        if let Some(reason) = outside {
            out += &page.labeled("outside", reason);
        }
        out += &references(refs, page);
        out
    }
}
