//! **The catalogue**: the rules by section, with the cases of each rule, and the attacks, as text, JSON and Markdown.

mod attacks;
mod coverage;
pub mod markdown;
mod text;
mod web;

use serde::Serialize;
use torchproof::check::Target;
use torchproof::corpus::{self, Case, Verdict};
use torchproof::rules::{self, Explanation, Rule, Strength};
use torchproof_harness::text::counted;

pub(crate) use attacks::AttackListing;
pub(crate) use coverage::Coverage;
pub(crate) use text::text;
pub(crate) use web::{address_or_path, book_address, case_page, reference_address, rule_page};

/// The sections in order, each a chapter of the book with the same title.
pub static SECTIONS: [(&str, &str); 22] = [
    ("flatbuffer", "FlatBuffers"),
    ("pte-header", "Program header"),
    ("segments", "Segments"),
    ("constants", "Constants"),
    ("mutable-data", "Mutable data"),
    ("named-data", "Named data"),
    ("metadata", "Metadata"),
    ("program", "Programs and methods"),
    ("values", "Values"),
    ("tensors", "Tensors"),
    ("memory", "Planned memory"),
    ("instructions", "Instructions"),
    ("delegates", "Delegates"),
    ("ptd-header", "Data-file header"),
    ("flat-tensor", "Data files"),
    ("companions", "Programs with data files"),
    ("legacy-flat-tensor", "Legacy data files"),
    ("alignment", "Alignment"),
    ("trailing", "Trailing bytes"),
    ("limits", "Limits"),
    ("loaders", "Loaders"),
    ("bundled", "Bundled programs"),
];

pub(crate) fn title(section: &str) -> Option<&'static str> {
    SECTIONS.iter().find(|(name, _)| *name == section).map(|(_, title)| *title)
}

/// The output of `explain --format json`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct RuleListing {
    /// The rules, in catalogue order.
    pub rules: Vec<Entry>,
}

/// A rule with its explanation and its cases.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// A rule with its explanation and its cases.
    #[serde(flatten)]
    pub rule: &'static Rule,
    /// The rule's explanation.
    #[serde(flatten)]
    pub known: &'static Explanation,
    /// The cases of the rule, reject cases first.
    pub cases: Vec<Exercise>,
    /// Why the rule has no case, or no reject case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untested: Option<&'static str>,
    /// The path of the rule's page in the book.
    pub page: String,
}

/// A case of a rule.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exercise {
    /// The id.
    pub id: &'static str,
    /// The verdict that readers must reach.
    pub verdict: Verdict,
    /// The title, in one line.
    pub title: &'static str,
    #[serde(skip)]
    pub target: Option<Target>,
}

impl Entry {
    pub fn all(selected: impl Fn(&Rule) -> bool) -> Vec<Self> {
        rules::all().filter(|rule| selected(rule)).map(Self::of).collect()
    }

    pub fn of(rule: &'static Rule) -> Self {
        let about = corpus::all().filter(|case| case.rule == rule);
        let mut cases: Vec<Exercise> = about.map(Exercise::of).collect();
        cases.sort_by_key(|case| (ORDER.iter().position(|verdict| *verdict == case.verdict), case.id));
        let (untested, page) = (without(rule.id), rule_page(rule.id));
        Self { rule, known: rule.explanation(), cases, untested, page }
    }

    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.verdict == verdict).count()
    }
}

impl Exercise {
    fn of(case: &'static Case) -> Self {
        Self { id: case.id, verdict: case.verdict, title: case.title, target: case.target }
    }
}

const ORDER: [Verdict; 3] = [Verdict::Reject, Verdict::Accept, Verdict::Either];

fn by_section(rules: &[Entry]) -> impl Iterator<Item = (&'static str, &'static str, &[Entry])> {
    let runs = rules.chunk_by(|one, other| one.rule.section == other.rule.section);
    runs.filter_map(|run| Some((run[0].rule.section, title(run[0].rule.section)?, run)))
}

/// Returns the recorded reason why the corpus has no case for `rule`, if any.
fn without(rule: &str) -> Option<&'static str> {
    corpus::UNTESTED_RULES.iter().find(|(own, _)| *own == rule).map(|(_, reason)| *reason)
}

fn total(rules: &[Entry]) -> String {
    let count = |strength| rules.iter().filter(|entry| entry.rule.strength == strength).count();
    let parts = [Strength::Must, Strength::Should, Strength::May]
        .map(|strength| format!("{} {strength}", count(strength)))
        .join(", ");
    format!("{}: {parts}", counted(rules.len(), "rule"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_rules_has_a_title() {
        let mut sections: Vec<&str> = rules::all().map(|rule| rule.section).collect();
        sections.dedup();
        assert!(SECTIONS.iter().map(|(name, _)| *name).eq(sections));
    }
}
