//! The list of attacks.

use std::fmt::Write;

use serde::Serialize;
use torchproof::attack::{Attack, Effect, families};
use torchproof::check::Target;

use crate::page::Page;

/// All families and their attacks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AttackListing {
    families: Vec<ListedFamily>,
}

/// A family of attacks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ListedFamily {
    /// The family's name, as `attack --family` accepts it.
    name: &'static str,
    /// A description of the family in one sentence.
    description: &'static str,
    /// The family's attacks.
    attacks: Vec<ListedAttack>,
}

/// An attack.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ListedAttack {
    /// `family/attack`.
    name: &'static str,
    /// A description of the attack in one sentence.
    description: &'static str,
    /// The effect: `breaks`, `preserves` or `unknown`.
    effect: &'static str,
    /// The rule that the attack breaks.
    rule: Option<&'static str>,
    /// 32 if the attack has an effect only on 32-bit hosts; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_bits: Option<u32>,
}

impl ListedAttack {
    fn of(attack: &Attack) -> Self {
        Self {
            name: attack.name,
            description: attack.description,
            effect: attack.effect.name(),
            rule: attack.rule.map(|rule| rule.id),
            target_bits: (attack.target == Target::Bits32).then_some(32),
        }
    }

    /// Returns `breaks RULE` for an attack that breaks a rule, otherwise the effect.
    fn outcome(&self) -> String {
        match self.rule {
            Some(rule) => format!("{} {rule}", Effect::Breaks),
            None => self.effect.to_owned(),
        }
    }
}

impl AttackListing {
    #[allow(clippy::new_without_default, reason = "no other value of this type is valid")]
    pub(crate) fn new() -> Self {
        let families = families().iter().map(|family| ListedFamily {
            name: family.name,
            description: family.description,
            attacks: family.attacks.iter().map(ListedAttack::of).collect(),
        });
        Self { families: families.collect() }
    }

    /// Returns a line with the name and the effect of each attack, and its description.
    pub(crate) fn text(&self, page: Page) -> String {
        let mut out = String::new();
        let attacks = || self.families.iter().flat_map(|family| &family.attacks);
        let longest = attacks().map(|attack| attack.name.len()).max().unwrap_or_default();
        for family in &self.families {
            let _ = writeln!(out, "{}", page.strong(family.name));
            out += &page.paragraph("", family.description);
            out.push('\n');
            for attack in &family.attacks {
                let _ = writeln!(out, "  {}  {}", page.strong(&format!("{:longest$}", attack.name)), attack.outcome());
                out += &page.paragraph("      ", attack.description);
            }
            out.push('\n');
        }
        let _ = writeln!(out, "{} attacks in {} families", attacks().count(), self.families.len());
        out
    }
}
