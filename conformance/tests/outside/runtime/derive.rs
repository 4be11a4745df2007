//! Derives a column of the table of effects from the behaviour of a release.

use std::collections::BTreeMap;

use torchproof::Stage;
use torchproof::rules::{self, Strength};
use torchproof_cli::runtime::{Column, FileKey, Release, RuntimeEffect, Table, Verification};

use super::observe::{Observed, Runtime};
use super::samples::Group;

/// The number of observations of each effect, for one key.
type Votes = BTreeMap<RuntimeEffect, u32>;

/// A column of the table of effects, under construction.
pub(super) struct Derivation {
    pub(super) release: Release,
    pub(super) verification: Verification,
    runtime: Runtime,
    votes: BTreeMap<FileKey, Votes>,
    files: u32,
}

impl Derivation {
    pub(super) fn new(release: Release, verification: Verification, address: &str) -> Self {
        let name = format!("derive-{release}-{}-{}", verification.name(), std::process::id()).replace(':', "-");
        let runtime = Runtime::open(address, &name);
        Self { release, verification, runtime, votes: BTreeMap::new(), files: 0 }
    }

    /// Adds the observations of a group of samples. If the runtime does not load the base, the edited samples give no information
    /// and are skipped.
    pub(super) fn add(&mut self, group: &Group) {
        let base = self.runtime.observe(&group.base);
        self.vote(&group.base.keys.iter().collect::<Vec<_>>(), base);
        if base != Observed::RuntimeEffect(RuntimeEffect::Loads) {
            return;
        }
        for sample in &group.edited {
            let new: Vec<&FileKey> = sample.keys.iter().filter(|key| !group.base.keys.contains(key)).collect();
            let observed = self.runtime.observe(sample);
            self.vote(&new, observed);
        }
    }

    /// Counts the observation for the key that caused the observation. If `keys` contains exactly one key of a
    /// must-rule, this key is the cause. If no key belongs to a must-rule and `keys` has one element, this element is
    /// the cause. Otherwise, the cause is unclear, and the observation is not counted.
    fn vote(&mut self, keys: &[&FileKey], observed: Observed) {
        let Observed::RuntimeEffect(effect) = observed else { return };
        self.files += 1;
        let musts: Vec<&&FileKey> = keys.iter().filter(|key| key.is_must()).collect();
        let key = match (&musts[..], keys) {
            ([key], _) => **key,
            ([], [key]) => *key,
            _ => return,
        };
        *self.votes.entry(key.clone()).or_default().entry(effect).or_default() += 1;
    }

    pub(super) fn column(&self) -> Column {
        let mut whole: BTreeMap<(&str, String), (Votes, u32)> = BTreeMap::new();
        for (key, votes) in &self.votes {
            let (all, fields) = whole.entry((key.subject, key.any_field())).or_default();
            *fields += 1;
            for (effect, count) in votes {
                *all.entry(*effect).or_default() += count;
            }
        }
        // If a refusal was observed for only one field, the table gets no wildcard line for this refusal. The
        // observation is no evidence for the other fields. A field whose effect differs from the wildcard line gets a
        // separate line only if three files show the effect. With fewer files, another defect of the files can be the
        // cause.
        let mut effects = BTreeMap::new();
        for ((subject, field), (votes, fields)) in &whole {
            let effect = self.effect_of(&FileKey { subject, field: field.clone() }, votes);
            if *fields > 1 || !matches!(effect, RuntimeEffect::Refuses(..)) {
                effects.insert(((*subject).to_owned(), field.clone()), effect);
            }
        }
        for (key, votes) in &self.votes {
            let effect = self.effect_of(key, votes);
            let of_all = effects.get(&(key.subject.to_owned(), key.any_field()));
            let is_known = of_all.is_none() || votes.values().sum::<u32>() >= 3;
            if of_all != Some(&effect) && is_known {
                effects.insert((key.subject.to_owned(), key.field.clone()), effect);
            }
        }
        Column {
            release: self.release,
            verification: self.verification,
            derivation: format!("adapter {}, {} files", self.runtime.hello.name, self.files),
            effects,
        }
    }

    /// Returns the effect of a key. The effect of a must-rule is `Undefined` unless the runtime refused every file. For
    /// a should-rule or a may-rule, the effect is a refusal only if the runtime refused the majority of the files, and
    /// at least three files.
    ///
    /// At the level `minimal`, the loader does not verify the FlatBuffer. If the loader refuses a file with a broken FlatBuffer, the
    /// refusal is a coincidence.
    fn effect_of(&self, key: &FileKey, votes: &Votes) -> RuntimeEffect {
        let unverified = rules::get(key.subject).is_some_and(|rule| {
            rule.section == "flatbuffer" && rule.stage >= Stage::Structure && rule.strength == Strength::Must
        });
        if unverified && self.verification == Verification::Minimal {
            return RuntimeEffect::Undefined;
        }
        let refusals = || votes.iter().filter(|(effect, _)| matches!(effect, RuntimeEffect::Refuses(..)));
        let (all, refused): (u32, u32) = (votes.values().sum(), refusals().map(|(_, count)| count).sum());
        let (other, most) =
            if key.is_must() { (RuntimeEffect::Undefined, all) } else { (RuntimeEffect::Loads, (all / 2 + 1).max(3)) };
        let usual = refusals().max_by_key(|(_, count)| **count).map(|(effect, _)| *effect);
        usual.filter(|_| refused >= most).unwrap_or(other)
    }
}

/// Replaces the derived columns of the built-in table.
pub(super) fn table(derived: &[Derivation]) -> Table {
    let mut table = Table::get().clone();
    for column in derived.iter().map(Derivation::column) {
        table.columns.retain(|old| (old.release, old.verification) != (column.release, column.verification));
        table.columns.push(column);
    }
    table.columns.sort_by_key(|column| (column.release, column.verification));
    table
}
