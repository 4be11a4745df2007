//! Several attacks on one file, one after the other, and which ones.

use alloc::vec::Vec;

use super::{Attack, Attacked, Base, Effect, Label, Step, agreement, all};
use crate::check::Target;
use crate::random::Random;
use crate::rules::Rule;

/// Which attacks may be drawn, and how many are put on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Only those of this family.
    pub family: Option<&'static str>,
    /// Only those that break this rule.
    pub rule: Option<&'static Rule>,
    /// Attacks on one file; the selection is of the first of them.
    pub depth: u32,
}

impl Default for Selection {
    fn default() -> Self {
        Self { family: None, rule: None, depth: 1 }
    }
}

impl Selection {
    /// The attacks that it leaves.
    #[must_use]
    pub fn attacks(&self) -> Vec<&'static Attack> {
        let of_family = |attack: &&Attack| self.family.is_none_or(|family| attack.family() == family);
        let of_rule = |attack: &&Attack| self.rule.is_none() || attack.rule == self.rule;
        all().filter(of_family).filter(of_rule).collect()
    }
}

/// Draws an attack that the file has a place for, and as many more as the selection is deep.
///
/// The same base, selection and random sequence give the same file for ever. `None` when the file has no place for any of the
/// attacks.
#[must_use]
pub fn draw(base: &Base, selection: &Selection, random: &Random) -> Option<Attacked> {
    let first = draw_one(base, &selection.attacks(), &random.part(0))?;
    if selection.depth < 2 {
        return Some(first);
    }
    let every: Vec<&Attack> = all().collect();
    let mut steps = alloc::vec![first];
    for step in 1..selection.depth {
        let last = steps.last().map(|attacked| attacked.bytes.clone()).unwrap_or_default();
        steps.extend(draw_one(&Base::of(last), &every, &random.part(step.into())));
    }
    join(&steps)
}

/// Applies these attacks one after the other, each to what the one before it made; those that find no place are left out.
///
/// The checker says what became of the last file. If it finds the rule of one of the attacks, the label is the first such
/// attack's, and its effect [`Effect::Breaks`]: a later attack can hide what an earlier one broke. If every attack preserves and
/// the file is accepted, the effect is [`Effect::Preserves`]. In any other case it is [`Effect::Unknown`], of the first attack.
#[must_use]
pub fn compose(base: &Base, attacks: &[&'static Attack], random: &Random) -> Option<Attacked> {
    let mut steps: Vec<Attacked> = Vec::new();
    for (step, attack) in (0..).zip(attacks) {
        let made;
        let from = match steps.last() {
            None => base,
            Some(last) => {
                made = Base::of(last.bytes.clone());
                &made
            }
        };
        steps.extend(attack.apply(from, &random.part(step)));
    }
    join(&steps)
}

/// How often attacks are tried: some choose first what they attack and then find no place for that, where another choice has one.
const ROUNDS: u64 = 32;

/// The first that has a place, in a random order.
fn draw_one(base: &Base, attacks: &[&'static Attack], random: &Random) -> Option<Attacked> {
    let mut order = random.part(0);
    let mut tries = 1;
    for _ in 0..ROUNDS {
        let mut left = attacks.to_vec();
        while !left.is_empty() {
            let attack = left.swap_remove(order.index(left.len()));
            if let Some(attacked) = attack.apply(base, &random.part(tries)) {
                return Some(attacked);
            }
            tries += 1;
        }
    }
    None
}

/// The last of the steps, with the label that holds of it.
fn join(steps: &[Attacked]) -> Option<Attacked> {
    let (first, last) = (steps.first()?, steps.last()?);
    if steps.len() == 1 {
        return Some(first.clone());
    }
    let found = |step: &&Attacked| {
        step.label.rule.is_some() && agreement::findings(&last.bytes, step.label.target, step.label.rule).1
    };
    let label = match steps.iter().position(|step| found(&step)) {
        Some(index) => moved(steps, index),
        None => {
            let all_preserve = steps.iter().all(|step| step.label.effect == Effect::Preserves);
            let preserved = all_preserve && agreement::findings(&last.bytes, Target::Bits64, None).0.accepts();
            let effect = if preserved { Effect::Preserves } else { Effect::Unknown };
            Label { effect, rule: None, target: Target::Bits64, ..moved(steps, 0) }
        }
    };
    let all = (0..steps.len()).map(|index| moved(steps, index));
    let all = all.map(|Label { attack, path, span, .. }| Step { attack, path, span }).collect();
    let moves = steps.iter().flat_map(|step| &step.moves).copied().collect();
    Some(Attacked { bytes: last.bytes.clone(), label: Label { steps: all, ..label }, moves })
}

/// A step's label, at the place in the last file.
fn moved(steps: &[Attacked], index: usize) -> Label {
    let label = steps[index].label.clone();
    let later = steps[index + 1..].iter().flat_map(|step| &step.moves);
    let span = later.fold(label.span, |span, [at, was, now]| span.spliced(*at, *was, *now));
    Label { span, ..label }
}
