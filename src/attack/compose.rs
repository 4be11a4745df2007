//! Several attacks on one file, one after the other, and which ones.

use alloc::vec::Vec;

use super::declare::{Attack, Attacked, Effect, Label, Step};
use super::findings::findings;
use super::{Base, all, editions};
use crate::check::Target;
use crate::random::{Random, part};
use crate::rules::Rule;

/// Which attacks may be drawn, and how many are put on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Only those of this family.
    pub family: Option<&'static str>,
    /// Only those that break this rule.
    pub rule: Option<&'static Rule>,
    /// Attacks on one file; the selection is of the first of them.
    pub depth: u32,
    /// Only those of this edition and earlier ones. An edition never changes, so that a seed gives the same file for ever, whatever
    /// attacks are added later; they come with the next edition.
    pub edition: u32,
}

impl Default for Selection {
    fn default() -> Self {
        Self { family: None, rule: None, depth: 1, edition: 1 }
    }
}

impl Selection {
    /// The newest edition: every attack that a release has had.
    pub const NEWEST: u32 = editions::NEWEST;

    /// The attacks that it leaves.
    #[must_use]
    pub fn attacks(&self) -> Vec<&'static Attack> {
        let of_family = |attack: &&Attack| self.family.is_none_or(|family| attack.family() == family);
        let of_rule = |attack: &&Attack| self.rule.is_none() || attack.rule == self.rule;
        of_edition(all(), self.edition).filter(of_family).filter(of_rule).collect()
    }
}

/// Those of the attacks that an edition has.
fn of_edition<'a>(attacks: impl Iterator<Item = &'a Attack>, edition: u32) -> impl Iterator<Item = &'a Attack> {
    attacks.filter(move |attack| attack.edition <= edition)
}

/// Draws an attack that the file has a place for, and as many more as the selection is deep.
///
/// The same base, selection and seed give the same file for ever. `None` when the file has no place for any of the
/// attacks.
#[must_use]
pub fn draw(base: &Base, selection: &Selection, seed: u64) -> Option<Attacked> {
    let every: Vec<_> = if selection.depth < 2 { Vec::new() } else { of_edition(all(), selection.edition).collect() };
    draw_from(base, &selection.attacks(), &every, selection.depth, seed)
}

/// Draws one of the first attacks, and then of all until there are `depth`.
fn draw_from(
    base: &Base,
    first: &[&'static Attack],
    every: &[&'static Attack],
    depth: u32,
    seed: u64,
) -> Option<Attacked> {
    let mut steps = alloc::vec![draw_one(base, first, part(seed, 0))?];
    for step in 1..depth {
        let made = Base::of(steps[steps.len() - 1].bytes.clone());
        steps.extend(draw_one(&made, every, part(seed, step.into())));
    }
    join(&steps)
}

/// Applies these attacks one after the other, each to what the one before it made; those that find no place are left out.
///
/// The checker says what became of the last file. If it finds the rule of one of the attacks, the label is the first such
/// attack's, and its effect [`Effect::Breaks`]: a later attack can hide what an earlier one broke. If every attack preserves and
/// the file is accepted, the effect is [`Effect::Preserves`]. In any other case it is [`Effect::Unknown`], of the first attack.
#[must_use]
pub fn compose(base: &Base, attacks: &[&'static Attack], seed: u64) -> Option<Attacked> {
    let mut steps: Vec<Attacked> = Vec::new();
    for (step, attack) in (0..).zip(attacks) {
        let made = steps.last().map(|last| Base::of(last.bytes.clone()));
        steps.extend(attack.apply(made.as_ref().unwrap_or(base), part(seed, step)));
    }
    join(&steps)
}

/// How often attacks are tried: some choose first what they attack and then find no place for that, where another choice has one.
const ROUNDS: u64 = 32;

/// The first that has a place. Rank and seed of an attack come from its name, never from the other attacks.
fn draw_one(base: &Base, attacks: &[&'static Attack], seed: u64) -> Option<Attacked> {
    let own = |attack: &Attack| part(seed, attack.hash);
    let rank = |attack: &Attack| (Random::new(part(own(attack), 0)).word(), attack.name);
    let ranked: Vec<_> = attacks.iter().map(|attack| (rank(attack), *attack)).collect();
    (1..=ROUNDS).find_map(|round| {
        let mut left = ranked.clone();
        // One of the first few has a place, as a rule: the others are not put in order.
        let next = || {
            let first = (0..left.len()).min_by_key(|at| left[*at].0)?;
            Some(left.swap_remove(first).1)
        };
        core::iter::from_fn(next).find_map(|attack| attack.apply(base, part(own(attack), round)))
    })
}

/// The last of the steps, with the label that holds of it.
fn join(steps: &[Attacked]) -> Option<Attacked> {
    let (first, last) = (steps.first()?, steps.last()?);
    if steps.len() == 1 {
        return Some(first.clone());
    }
    let found =
        |step: &&Attacked| step.label.rule.is_some() && findings(&last.bytes, step.label.target, step.label.rule).1;
    let label = match steps.iter().position(|step| found(&step)) {
        Some(index) => moved(steps, index),
        None => {
            let all_preserve = steps.iter().all(|step| step.label.effect == Effect::Preserves);
            let preserved = all_preserve && findings(&last.bytes, Target::Bits64, None).0.accepts();
            let effect = if preserved { Effect::Preserves } else { Effect::Unknown };
            Label { effect, rule: None, target: Target::Bits64, ..moved(steps, 0) }
        }
    };
    let all = (0..steps.len()).map(|index| moved(steps, index));
    let all = all.map(|Label { attack, path, span, .. }| Step { attack, path, span }).collect();
    let splices = steps.iter().flat_map(|step| step.splices.clone()).collect();
    Some(Attacked { bytes: last.bytes.clone(), label: Label { steps: all, ..label }, splices })
}

/// A step's label, at the place in the last file.
fn moved(steps: &[Attacked], index: usize) -> Label {
    let label = steps[index].label.clone();
    let later = steps[index + 1..].iter().flat_map(|step| &step.splices);
    let span = later.fold(label.span, |span, splice| splice.moved(span));
    Label { span, ..label }
}

#[cfg(test)]
mod tests {
    use super::super::editions::{FIRST, hash_of};
    use super::*;
    use crate::generate::{self, Config, generate};

    static ADDED: &[Attack] = &[
        Attack {
            name: "added/first",
            sentence: "Overwrites the first byte.",
            rule: None,
            effect: Effect::Unknown,
            target: Target::Bits64,
            hash: hash_of(b"added/first"),
            edition: editions::UNRELEASED,
            make: |forge| forge.put("", 0, &[0xff]),
        },
        Attack {
            name: "zzz/last",
            sentence: "Overwrites the last byte.",
            rule: None,
            effect: Effect::Unknown,
            target: Target::Bits64,
            hash: hash_of(b"zzz/last"),
            edition: editions::UNRELEASED,
            make: |forge| forge.put("", forge.base.bytes().len() - 1, &[0xff]),
        },
    ];

    #[test]
    fn added_attacks_change_no_file_of_an_earlier_edition() {
        let with_added = || ADDED.iter().take(1).chain(all()).chain(&ADDED[1..]);
        let known: Vec<&Attack> = of_edition(with_added(), 1).collect();
        assert_eq!(known.len(), FIRST, "an edition names an attack that there is not");
        let newest: Vec<&Attack> = of_edition(with_added(), editions::UNRELEASED).collect();
        assert_eq!(newest.len(), all().count() + ADDED.len());
        let mut met = 0;
        for kind in generate::GeneratedKind::ALL {
            let base = Base::of(generate(kind, &Config::default(), 1).unwrap().remove(0).bytes);
            for seed in 0..300 {
                let depth = 1 + u32::from(seed % 16 == 0);
                let before = draw(&base, &Selection { depth, ..Selection::default() }, seed);
                assert_eq!(draw_from(&base, &known, &known, depth, seed), before, "{seed}");
                let after = draw_from(&base, &newest, &newest, depth, seed).unwrap();
                let added = after.label.steps.iter().any(|step| !known.iter().any(|attack| attack.name == step.attack));
                // Of the newest edition, only the seeds of an added attack give another file.
                assert!(added || Some(after) == before, "{seed}");
                met += u32::from(added);
            }
        }
        assert!(met > 0);
    }
}
