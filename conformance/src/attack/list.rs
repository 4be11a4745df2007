//! The attacks that there are.

use std::fmt::Write;

use serde::Serialize;
use torchproof::attack::{Attack, Effect, families};
use torchproof::check::Target;

use crate::text::Page;

/// Every family and its attacks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Listing {
    families: Vec<Family>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Family {
    name: &'static str,
    sentence: &'static str,
    attacks: Vec<Entry>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Entry {
    name: &'static str,
    sentence: &'static str,
    effect: &'static str,
    rule: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_bits: Option<u32>,
}

impl Entry {
    fn of(attack: &Attack) -> Self {
        Self {
            name: attack.name,
            sentence: attack.sentence,
            effect: attack.effect.name(),
            rule: attack.rule.map(|rule| rule.id),
            target_bits: (attack.target == Target::Bits32).then_some(32),
        }
    }

    /// The effect, or the rule that is broken.
    fn outcome(&self) -> String {
        match self.rule {
            Some(rule) => format!("{} {rule}", Effect::Breaks),
            None => self.effect.to_owned(),
        }
    }
}

impl Listing {
    /// All of them.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "it is a list of what there is, and nothing else would be one")]
    pub(crate) fn new() -> Self {
        let families = families().iter().map(|family| Family {
            name: family.name,
            sentence: family.sentence,
            attacks: family.attacks.iter().map(Entry::of).collect(),
        });
        Self { families: families.collect() }
    }

    /// The attacks for people: two lines or more each, name and effect, then what it does.
    #[must_use]
    pub(crate) fn text(&self, page: Page) -> String {
        let mut out = String::new();
        let attacks = || self.families.iter().flat_map(|family| &family.attacks);
        let longest = attacks().map(|attack| attack.name.len()).max().unwrap_or_default();
        for family in &self.families {
            let _ = writeln!(out, "{}", page.strong(family.name));
            out += &page.paragraph("", family.sentence);
            out.push('\n');
            for attack in &family.attacks {
                let _ = writeln!(out, "  {}  {}", page.strong(&format!("{:longest$}", attack.name)), attack.outcome());
                out += &page.paragraph("      ", attack.sentence);
            }
            out.push('\n');
        }
        let _ = writeln!(out, "{} attacks in {} families", attacks().count(), self.families.len());
        out
    }
}
