//! **The rule catalogue, listed**: the rules by area, each with the cases that exercise it.

mod markdown;
mod text;

use serde::Serialize;
use torchproof::check::Target;
use torchproof::corpus::{self, Case, Verdict};
use torchproof::rules::{self, Explanation, Rule, Strength};

use crate::text::counted;

pub use markdown::markdown;
pub(crate) use text::text;

/// A part of the catalogue: one section of the specification.
#[derive(Debug, PartialEq, Eq)]
pub struct Area {
    /// One or two words joined by `-`.
    pub name: &'static str,
    /// The section's number.
    pub section: &'static str,
    /// What its rules are about.
    pub title: &'static str,
}

/// The areas, in the order of the catalogue.
pub static AREAS: [Area; 22] = [
    area("envelope", "1.1", "FlatBuffer"),
    area("pte-header", "1.2", "Header of a program"),
    area("segments", "1.3", "Segments of a program"),
    area("constants", "1.4", "Constants"),
    area("mutable-data", "1.5", "Initial values of mutable tensors"),
    area("named-data", "1.6", "Named data of a program"),
    area("metadata", "1.7", "Metadata in named data"),
    area("program", "1.8", "Program and methods"),
    area("values", "1.9", "Values of a method"),
    area("tensors", "1.10", "Tensors of a program"),
    area("memory", "1.11", "Planned memory"),
    area("instructions", "1.12", "Instructions and operators"),
    area("delegates", "1.13", "Delegates"),
    area("ptd-header", "1.15", "Header of a data file"),
    area("flat-tensor", "1.16", "Segments, named data and layouts of a data file"),
    area("companions", "1.17", "A program with its data files"),
    area("older-flat-tensor", "1.18", "Data files of the older layout"),
    area("alignment", "1.19", "Alignment and padding"),
    area("trailing", "1.20", "Bytes behind the end"),
    area("limits", "1.21", "Resources"),
    area("loaders", "1.22", "Fetching bytes"),
    area("bundled", "1.23", "Bundled programs"),
];

const fn area(name: &'static str, section: &'static str, title: &'static str) -> Area {
    Area { name, section, title }
}

impl Area {
    /// The area of this name or section.
    #[must_use]
    pub fn find(wanted: &str) -> Option<&'static Area> {
        AREAS.iter().find(|area| area.name == wanted || area.section == wanted)
    }

    /// The area that a rule is in.
    ///
    /// # Panics
    ///
    /// Never for a rule of the catalogue: a test holds the areas against it.
    #[must_use]
    pub fn of(rule: &Rule) -> &'static Area {
        Self::find(rule.section).expect("every section is an area")
    }
}

/// What `rules --format json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleListing {
    /// In the order of the catalogue.
    pub rules: Vec<Entry>,
}

/// A rule, with all that is known of it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// What holds.
    #[serde(flatten)]
    pub rule: &'static Rule,
    /// The name of its area.
    pub area: &'static str,
    /// Why it holds.
    #[serde(flatten)]
    pub known: &'static Explanation,
    /// The cases that are about it, those to be rejected first.
    pub cases: Vec<Exercise>,
}

/// A case that is about a rule.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exercise {
    /// Its id.
    pub id: &'static str,
    /// What a reader must do.
    pub verdict: Verdict,
    /// One line.
    pub title: &'static str,
    /// The hosts that the case is about, if not all.
    #[serde(skip)]
    pub target: Option<Target>,
}

impl Entry {
    /// Every rule that `selected` lets through, in the catalogue's order.
    pub fn all(selected: impl Fn(&Rule) -> bool) -> Vec<Self> {
        rules::all().filter(|rule| selected(rule)).map(Self::of).collect()
    }

    /// The entry of a rule.
    #[must_use]
    pub fn of(rule: &'static Rule) -> Self {
        let about = corpus::all().filter(|case| case.rule == rule);
        let mut cases: Vec<Exercise> = about.map(Exercise::of).collect();
        cases.sort_by_key(|case| (ORDER.iter().position(|verdict| *verdict == case.verdict), case.id));
        Self { rule, area: Area::of(rule).name, known: rule.explanation(), cases }
    }

    /// How many cases have this verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.verdict == verdict).count()
    }
}

impl Exercise {
    fn of(case: &'static Case) -> Self {
        Self { id: case.id, verdict: case.verdict, title: case.title, target: case.target }
    }
}

/// The verdicts in the order that cases are listed in.
const ORDER: [Verdict; 3] = [Verdict::Reject, Verdict::Accept, Verdict::Either];

/// The rules in runs of one area each.
fn by_area(rules: &[Entry]) -> impl Iterator<Item = (&'static Area, &[Entry])> {
    rules.chunk_by(|one, other| one.area == other.area).filter_map(|run| Some((Area::find(run[0].area)?, run)))
}

/// `186 rules: 120 must, 40 should, 26 may`.
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
    fn every_section_of_the_catalogue_is_an_area() {
        let mut sections: Vec<&str> = rules::all().map(|rule| rule.section).collect();
        sections.dedup();
        assert!(AREAS.iter().map(|area| area.section).eq(sections));
    }
}
