//! Selects attacks and applies several of them to one file.

use alloc::vec::Vec;

use super::declare::{Attack, AttackedFile, Effect, Label, Step};
use super::findings::findings;
use super::{Base, all};
use crate::check::Target;
use crate::random::{Random, part};
use crate::rules::Rule;

/// The attacks that [`draw`] may choose, and the number of attacks per file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Restricts the first attack on each file to this family.
    pub family: Option<&'static str>,
    /// Restricts the first attack on each file to those that break this rule.
    pub rule: Option<&'static Rule>,
    /// The number of attacks per file; `family` and `rule` restrict only the first attack.
    pub depth: u32,
    /// The newest edition to draw attacks from, in addition to all older editions.
    ///
    /// A released edition never changes, so a seed always produces the same file. Attacks added later belong to a later
    /// edition.
    pub edition: u32,
}

impl Default for Selection {
    fn default() -> Self {
        Self { family: None, rule: None, depth: 1, edition: 1 }
    }
}

impl Selection {
    /// The newest edition, which has every attack.
    pub const NEWEST: u32 = 1;

    /// Returns the attacks that match the selection.
    #[must_use]
    pub fn attacks(&self) -> Vec<&'static Attack> {
        let of_family = |attack: &&Attack| self.family.is_none_or(|family| attack.family() == family);
        let of_rule = |attack: &&Attack| self.rule.is_none() || attack.rule == self.rule;
        of_edition(all(), self.edition).filter(of_family).filter(of_rule).collect()
    }
}

fn of_edition<'a>(attacks: impl Iterator<Item = &'a Attack>, edition: u32) -> impl Iterator<Item = &'a Attack> {
    attacks.filter(move |attack| attack.edition <= edition)
}

/// Draws attacks from a selection and applies them to the base in order.
///
/// The file gets at most as many attacks as the selection's depth.
///
/// The same base, selection and seed always produce the same file. Returns `None` if no attack applies.
#[must_use]
pub fn draw(base: &Base, selection: &Selection, seed: u64) -> Option<AttackedFile> {
    let every: Vec<_> = if selection.depth < 2 { Vec::new() } else { of_edition(all(), selection.edition).collect() };
    draw_from(base, &selection.attacks(), &every, selection.depth, seed)
}

/// Draws at most `depth` attacks: the first from `first`, all others from `every`.
fn draw_from(
    base: &Base,
    first: &[&'static Attack],
    every: &[&'static Attack],
    depth: u32,
    seed: u64,
) -> Option<AttackedFile> {
    let mut steps = alloc::vec![draw_one(base, first, part(seed, 0))?];
    for step in 1..depth {
        let made = Base::of(steps[steps.len() - 1].bytes.clone());
        steps.extend(draw_one(&made, every, part(seed, step.into())));
    }
    join(&steps)
}

/// Applies attacks in order, each to the result of the previous one.
///
/// An attack that does not apply is skipped.
///
/// The label depends on the checker's findings in the final file:
///
/// * If the checker reports the rules of some of the attacks, the file gets the first of their labels,
///   because a later attack can hide what an earlier one broke.
/// * If every attack has the effect [`Effect::Preserves`] and the checker accepts the file, the label has this effect too.
/// * Otherwise, the file gets the first attack's label, but with the effect [`Effect::Unknown`].
#[must_use]
pub fn compose(base: &Base, attacks: &[&'static Attack], seed: u64) -> Option<AttackedFile> {
    let mut steps: Vec<AttackedFile> = Vec::new();
    for (step, attack) in (0..).zip(attacks) {
        let made = steps.last().map(|last| Base::of(last.bytes.clone()));
        steps.extend(attack.apply(made.as_ref().unwrap_or(base), part(seed, step)));
    }
    join(&steps)
}

/// An attack's random target may be unsuitable, but a later round can choose another target.
const ROUNDS: u64 = 32;

/// Tries the attacks in random order. An attack's rank and seed depend only on `seed` and the attack's name.
fn draw_one(base: &Base, attacks: &[&'static Attack], seed: u64) -> Option<AttackedFile> {
    let own = |attack: &Attack| part(seed, attack.hash);
    let rank = |attack: &Attack| (Random::new(part(own(attack), 0)).word(), attack.name);
    let ranked: Vec<_> = attacks.iter().map(|attack| (rank(attack), *attack)).collect();
    (1..=ROUNDS).find_map(|round| {
        let mut left = ranked.clone();
        // Each call removes the attack with the lowest rank from `left`. Sorting would be slower, because one of the
        // first few attacks usually applies.
        let next = || {
            let first = (0..left.len()).min_by_key(|at| left[*at].0)?;
            Some(left.swap_remove(first).1)
        };
        core::iter::from_fn(next).find_map(|attack| attack.apply(base, part(own(attack), round)))
    })
}

fn join(steps: &[AttackedFile]) -> Option<AttackedFile> {
    let (first, last) = (steps.first()?, steps.last()?);
    if steps.len() == 1 {
        return Some(first.clone());
    }
    let found = |step: &&AttackedFile| {
        step.label.rule.is_some() && findings(&last.bytes, step.label.target, step.label.rule.as_slice()).1
    };
    let label = match steps.iter().position(|step| found(&step)) {
        Some(index) => moved(steps, index),
        None => {
            let all_preserve = steps.iter().all(|step| step.label.effect == Effect::Preserves);
            let preserved = all_preserve && findings(&last.bytes, Target::Bits64, &[]).0.accepts();
            let effect = if preserved { Effect::Preserves } else { Effect::Unknown };
            Label { effect, rule: None, target: Target::Bits64, ..moved(steps, 0) }
        }
    };
    let all = (0..steps.len()).map(|index| moved(steps, index));
    let all = all.map(|Label { attack, path, span, .. }| Step { attack, path, span }).collect();
    let splices = steps.iter().flat_map(|step| step.splices.clone()).collect();
    Some(AttackedFile { bytes: last.bytes.clone(), label: Label { steps: all, ..label }, splices })
}

/// Converts a step label's span to positions in the final file.
fn moved(steps: &[AttackedFile], index: usize) -> Label {
    let label = steps[index].label.clone();
    let later = steps[index + 1..].iter().flat_map(|step| &step.splices);
    let span = later.fold(label.span, |span, splice| splice.moved(span));
    Label { span, ..label }
}

#[cfg(test)]
mod tests {
    use super::super::declare::hash_of;
    use super::super::forge::Forge;
    use super::*;
    use crate::generate::{self, Config, generate};

    /// For each edition, the number of its attacks and the sum of their names' hashes.
    const EDITIONS: &[(usize, u64)] = &[(252, 0x8a53_bf44_8772_d8b2)];

    static ADDED: &[Attack] = &[
        added("added/first", |forge| forge.put("", 0, &[0xff])),
        added("zzz/last", |forge| forge.put("", forge.base.bytes().len() - 1, &[0xff])),
    ];

    const fn added(name: &'static str, make: fn(&mut Forge<'_>) -> Option<()>) -> Attack {
        let (description, rule, effect, target) = ("Overwrites a byte.", None, Effect::Unknown, Target::Bits64);
        let (hash, edition) = (hash_of(name.as_bytes()), Selection::NEWEST + 1);
        Attack { name, description, rule, effect, target, hash, edition, make }
    }

    #[test]
    fn every_edition_has_the_listed_attacks() {
        let newest = all().map(|attack| attack.edition).max();
        assert_eq!(newest, Some(Selection::NEWEST), "set NEWEST in src/attack/compose.rs to the newest edition");
        for edition in 1..=Selection::NEWEST {
            let hashes: Vec<u64> = all().filter(|attack| attack.edition == edition).map(|attack| attack.hash).collect();
            let found = (hashes.len(), hashes.iter().fold(0, |sum: u64, hash| sum.wrapping_add(*hash)));
            assert!(
                EDITIONS.get(edition as usize - 1) == Some(&found),
                "the attacks of edition {edition} have changed: if it is released, declare new attacks with `since {}` and \
                 rename none; otherwise set its entry in EDITIONS of src/attack/compose.rs to ({}, {:#x})",
                edition + 1,
                found.0,
                found.1,
            );
        }
    }

    #[test]
    fn added_attacks_change_no_file_of_an_earlier_edition() {
        let with_added = || ADDED.iter().take(1).chain(all()).chain(&ADDED[1..]);
        let known: Vec<&Attack> = of_edition(with_added(), 1).collect();
        let newest: Vec<&Attack> = of_edition(with_added(), Selection::NEWEST + 1).collect();
        assert_eq!(newest.len(), all().count() + ADDED.len());
        let mut drawn = 0;
        for kind in generate::GeneratedKind::ALL {
            let base = Base::of(generate(kind, &Config::default(), 1).unwrap().remove(0).bytes);
            for seed in 0..300 {
                let depth = 1 + u32::from(seed % 16 == 0);
                let before = draw(&base, &Selection { depth, ..Selection::default() }, seed);
                assert_eq!(draw_from(&base, &known, &known, depth, seed), before, "{seed}");
                let after = draw_from(&base, &newest, &newest, depth, seed).unwrap();
                let added = after.label.steps.iter().any(|step| !known.iter().any(|attack| attack.name == step.attack));
                // The file differs from that of the older edition only if the seed selects a new attack.
                assert!(added || Some(after) == before, "{seed}");
                drawn += u32::from(added);
            }
        }
        assert!(drawn > 0);
    }
}
