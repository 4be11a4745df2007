//! **Explanations** of rules, cases and malformed patterns.

mod case;
mod pattern;
mod rule;
mod suggest;

use std::error::Error;

use serde::Serialize;
use torchproof::{corpus, rules};
use torchproof_harness::corpus::build::build;

pub(crate) use case::CaseEntry;
pub(crate) use pattern::PatternEntry;

use crate::catalogue;
use crate::page::Page;

/// The output of `explain --format json`, which is `{"explained":[…]}`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ExplainOutput {
    /// The explanations, in the order of the ids.
    pub(crate) explained: Vec<ExplainedItem>,
}

/// A rule, a case or a malformed pattern.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExplainedItem {
    /// A rule.
    Rule(catalogue::Entry),
    /// A case.
    Case(Box<CaseEntry>),
    /// A malformed pattern.
    Pattern(PatternEntry),
}

impl ExplainOutput {
    pub(crate) fn of(ids: &[String]) -> Result<Self, Box<dyn Error>> {
        // Check every id first, because building the corpus is slow.
        let is_case = |id: &String| corpus::find(id).is_some();
        let exists = |id: &String| rules::get(id).is_some() || rules::pattern(id).is_some() || is_case(id);
        if let Some(id) = ids.iter().find(|id| !exists(id)) {
            return Err(unknown(id).into());
        }
        let built = ids.iter().any(is_case).then(build).transpose()?;
        let subject = |id: &String| match (rules::get(id), rules::pattern(id)) {
            (Some(rule), _) => Some(ExplainedItem::Rule(catalogue::Entry::of(rule))),
            (None, Some(pattern)) => Some(ExplainedItem::Pattern(PatternEntry::of(pattern))),
            (None, None) => CaseEntry::find(built.as_ref()?, id).map(|case| ExplainedItem::Case(Box::new(case))),
        };
        let explained = ids.iter().filter_map(subject).collect();
        Ok(Self { explained })
    }

    /// If `all` is false, the byte map of a case is limited to the parts near the defect.
    pub(crate) fn text(&self, page: Page, all: bool) -> String {
        let texts = self.explained.iter().map(|subject| match subject {
            ExplainedItem::Rule(rule) => rule::text(rule, page),
            ExplainedItem::Case(case) => case.text(page, all),
            ExplainedItem::Pattern(pattern) => pattern.text(page),
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

fn unknown(id: &str) -> String {
    let hint = match suggest::near(id).split_last() {
        None => "`torchproof explain` and `torchproof corpus list` list ids".to_owned(),
        Some((last, [])) => format!("did you mean {last}?"),
        Some((last, others)) => format!("did you mean {} or {last}?", others.join(", ")),
    };
    format!("{id}: no rule, case or pattern has this id; {hint}")
}
