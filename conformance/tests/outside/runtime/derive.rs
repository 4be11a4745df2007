//! Derives a column of the effects table from the behavior of a release.

use std::collections::BTreeMap;

use torchproof::Stage;
use torchproof::prediction::{
    ANY_CONTEXT, DATA_FILE, EffectTable, FileKey, Release, ReleaseColumn, RuntimeEffect, Verification,
};
use torchproof::rules;

use super::observe::Runtime;
use super::samples::Group;

/// How often each effect was observed for one key.
type Votes = BTreeMap<RuntimeEffect, u32>;

/// A column of the effects table, under construction.
pub(super) struct Derivation {
    pub(super) release: Release,
    pub(super) verification: Verification,
    runtime: Runtime,
    /// For each file, the keys that its base does not have, and the observed effect.
    observations: Vec<(Vec<FileKey>, RuntimeEffect)>,
}

impl Derivation {
    pub(super) fn new(release: Release, verification: Verification, address: &str) -> Self {
        let name = format!("derive-{release}-{}-{}", verification.name(), std::process::id()).replace(':', "-");
        let runtime = Runtime::open(address, &name);
        Self { release, verification, runtime, observations: Vec::new() }
    }

    /// If the runtime refuses the base of a group, the group shows nothing. If the runtime lacks a backend or an
    /// operator of the base, only a refusal shows something, because the runtime then stops before it needs them.
    pub(super) fn add(&mut self, group: &Group) {
        let base = self.runtime.observe(&group.base);
        self.observations.extend(base.map(|effect| (group.base.keys.clone(), effect)));
        if base.map_or(!group.base.keys.is_empty(), |effect| effect != RuntimeEffect::Loads) {
            return;
        }
        for sample in &group.edited {
            let new = sample.keys.iter().filter(|key| !group.base.keys.contains(key)).cloned().collect();
            let effect = self.runtime.observe(sample);
            let effect = effect.filter(|effect| base.is_some() || matches!(effect, RuntimeEffect::Refuses(..)));
            self.observations.extend(effect.map(|effect| (new, effect)));
        }
    }

    /// The first pass uses the files with one key; the second also uses files with only one key left.
    pub(super) fn column(&self) -> ReleaseColumn {
        let mut column = self.empty();
        for _ in 0..2 {
            let mut votes = BTreeMap::<&FileKey, Votes>::new();
            for (keys, effect) in &self.observations {
                // If a file loads, none of its keys causes a refusal.
                let is_cause = |key: &&FileKey| {
                    *effect == RuntimeEffect::Loads || column.effect(key) != Some(RuntimeEffect::Loads)
                };
                let causes: Vec<&FileKey> = match &keys[..] {
                    [one] => vec![one],
                    several => several.iter().filter(is_cause).collect(),
                };
                if causes.len() == 1 || *effect == RuntimeEffect::Loads {
                    for cause in causes {
                        *votes.entry(cause).or_default().entry(*effect).or_default() += 1;
                    }
                }
            }
            column.effects = self.effects(&votes);
        }
        column
    }

    fn empty(&self) -> ReleaseColumn {
        ReleaseColumn {
            release: self.release,
            verification: self.verification,
            derivation: format!("adapter {}, {} files", self.runtime.hello.name, self.observations.len()),
            effects: BTreeMap::new(),
        }
    }

    /// Returns the column's lines. A rule that was observed in only one field gets no wildcard line, because this says
    /// nothing about other fields. A field that differs from the wildcard gets its own line only if three files show
    /// the effect; otherwise, another defect may be the cause. If no other field has a known effect, accepted files do
    /// not show that this field always loads.
    fn effects(&self, votes: &BTreeMap<&FileKey, Votes>) -> BTreeMap<(String, String), RuntimeEffect> {
        let mut whole: BTreeMap<(&str, String), (Votes, u32)> = BTreeMap::new();
        for (key, votes) in votes {
            for wildcard in key.wildcards() {
                let (all, fields) = whole.entry((key.subject, wildcard)).or_default();
                *fields += 1;
                for (effect, count) in votes {
                    *all.entry(*effect).or_default() += count;
                }
            }
        }
        let mut column = self.empty();
        for ((subject, field), (votes, fields)) in whole {
            let is_evident = fields > 1 && (!field.ends_with(ANY_CONTEXT) || votes.len() == 1);
            let effect = self.effect_of(&FileKey { subject, field: field.clone() }, &votes).filter(|_| is_evident);
            column.effects.extend(effect.map(|effect| ((subject.to_owned(), field), effect)));
        }
        let mut exact = BTreeMap::new();
        for (key, votes) in votes {
            let of_all = column.effect(key);
            let is_known = of_all.is_none() || votes.values().sum::<u32>() >= 3;
            let is_certain = |effect| of_all != Some(RuntimeEffect::Undefined) || effect != RuntimeEffect::Loads;
            let effect = self.effect_of(key, votes);
            let effect = effect.filter(|effect| is_known && of_all != Some(*effect) && is_certain(*effect));
            exact.extend(effect.map(|effect| ((key.subject.to_owned(), key.field.clone()), effect)));
        }
        column.effects.extend(exact);
        column.effects
    }

    /// Returns the effect of a key if all observations agree. Otherwise, the effect of a must-rule is `Undefined`, and
    /// the effect of any other key is unknown.
    ///
    /// Data files are never verified; programs are verified only at the level `internal-consistency`. Without
    /// verification, the effect of a broken FlatBuffer is a matter of chance. Fewer than three accepted files do not
    /// show that a loader ignores a must-rule.
    fn effect_of(&self, key: &FileKey, votes: &Votes) -> Option<RuntimeEffect> {
        let is_unverified = self.verification == Verification::Minimal || key.field.starts_with(DATA_FILE);
        let is_structure = rules::get(key.subject).is_some_and(|rule| {
            rule.section == "flatbuffer" && rule.stage == Stage::Structure && rule.id != "fb-root-offset-range"
        });
        let otherwise = key.is_must().then_some(RuntimeEffect::Undefined);
        match votes.iter().next() {
            _ if votes.len() != 1 || key.is_must() && is_structure && is_unverified => otherwise,
            Some((RuntimeEffect::Loads, files)) if key.is_must() && *files < 3 => otherwise,
            found => found.map(|(effect, _)| *effect),
        }
    }
}

pub(super) fn table(derived: &[Derivation]) -> EffectTable {
    let mut table = EffectTable::get().clone();
    for column in derived.iter().map(Derivation::column) {
        table.columns.retain(|old| (old.release, old.verification) != (column.release, column.verification));
        table.columns.push(column);
    }
    table.columns.sort_by_key(|column| (column.release, column.verification));
    table
}
