//! Chooses bases, changes and attacks. They lose weight if they repeat known clusters, and gain weight if they lead to
//! new outcomes. Places whose changes led to known crashes are also chosen less often.
//!
//! All files in a block of [`BLOCK`] files use the same weights, which depend only on the outcomes of earlier blocks.
//! The number of threads therefore has no effect on the files.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub(super) const BLOCK: u64 = 128;

/// The maximum number of stored observations. Later observations count as known.
const MOST_SEEN: usize = 4096;
const MOST_PLACES: usize = 4096;
/// The factor for initial weights, so that integers can represent fractions of them.
pub(super) const UNIT: u64 = 256;
/// The factor for a base or attack that has not been used.
const UNUSED: u64 = 4;

/// The outcomes of the files that used one base, change or attack; the counts decay with each block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    /// The number of uses, in units of [`REPEATED`].
    uses: u64,
    /// The number of files that repeated a known cluster, in units of [`REPEATED`].
    repeated: u64,
    /// The number of files with a new observation, in units of [`FRESH`].
    fresh: u64,
}

const REPEATED: u64 = 64;
const FRESH: u64 = 64;
/// The value of [`Record::fresh`] at which a weight doubles, and of [`Record::repeated`] at which it halves.
const SCALE: u64 = 16;
/// The maximum number of recent uses. Beyond it, all counts are scaled down, so that only their rates matter.
const USES: u64 = 8 * REPEATED;

/// The part of past outcomes that affects later files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Feedback {
    /// The number of complete blocks.
    pub(super) blocks: u64,
    records: BTreeMap<String, Record>,
    /// The places whose changes repeated known clusters.
    #[serde(default)]
    places: BTreeMap<String, u64>,
    /// The hashes of the observations.
    seen: BTreeSet<u64>,
}

/// What a file used, and what the readers did with it.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    /// The names of the base, the change and the attacks.
    pub(super) used: Vec<String>,
    /// The changed place, if it is known.
    pub(super) place: Option<String>,
    /// The hashes of the observations.
    pub(super) observed: Vec<u64>,
    /// `true` if the file has a finding.
    pub(super) failed: bool,
}

impl Feedback {
    /// Adds the trials of the next block, ordered by the file's index.
    pub(super) fn add(&mut self, block: &[Trial]) {
        for record in self.records.values_mut() {
            record.uses -= record.uses.div_ceil(32);
            record.repeated -= record.repeated.div_ceil(32);
            record.fresh -= record.fresh.div_ceil(4);
        }
        self.places.retain(|_, repeated| {
            *repeated -= repeated.div_ceil(32);
            *repeated > 0
        });
        for trial in block {
            let mut is_new = false;
            for hash in &trial.observed {
                is_new |= self.seen.len() < MOST_SEEN && self.seen.insert(*hash);
            }
            for name in &trial.used {
                let record = self.records.entry(name.clone()).or_default();
                record.uses += REPEATED;
                match (is_new, trial.failed) {
                    (true, _) => record.fresh += FRESH,
                    (false, true) => record.repeated += REPEATED,
                    (false, false) => {}
                }
            }
            let has_room = |place: &String| self.places.len() < MOST_PLACES || self.places.contains_key(place);
            if let Some(place) = trial.place.as_ref().filter(|place| trial.failed && !is_new && has_room(place)) {
                *self.places.entry(place.clone()).or_default() += REPEATED;
            }
        }
        self.blocks += 1;
    }

    /// Returns the current weight of a base, change or attack; `usual` is the initial weight.
    pub(super) fn weight(&self, name: &str, usual: u64) -> u64 {
        let usual = usual * UNIT;
        let Some(Record { uses, repeated, fresh }) = self.records.get(name) else { return usual * UNUSED };
        let repeated = repeated * USES / USES.max(*uses);
        // A new outcome decays eight times as fast as a use.
        let fresh = fresh * 8 * USES / (8 * USES).max(*uses);
        (usual * (SCALE + fresh) / (SCALE + repeated)).max(1)
    }

    /// Returns how many out of [`UNIT`] changes at a place are worth running.
    pub(super) fn share_of(&self, place: &str) -> u64 {
        UNIT * SCALE / (SCALE + self.places.get(place).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(name: &str, observed: u64, failed: bool) -> Trial {
        Trial { used: vec![name.to_owned()], place: Some(name.to_owned()), observed: vec![observed], failed }
    }

    #[test]
    fn known_clusters_lower_a_weight_and_decay() {
        let mut feedback = Feedback::default();
        assert_eq!(feedback.weight("dull", 1), UNUSED * UNIT);
        for _ in 0..8 {
            feedback.add(&[trial("dull", 1, true), trial("calm", 2, false)]);
        }
        let dull = feedback.weight("dull", 1);
        assert!(dull * 10 < feedback.weight("calm", 1), "{dull}");
        assert!(feedback.weight("calm", 1) < feedback.weight("unused", 1));
        assert_eq!(feedback.share_of("calm"), UNIT);
        assert!(feedback.share_of("dull") * 10 < UNIT);
        (0..400).for_each(|_| feedback.add(&[]));
        assert_eq!((feedback.weight("dull", 1), feedback.share_of("dull")), (UNIT, UNIT));
    }

    #[test]
    fn rates_count_for_a_change_of_many_files() {
        let mut feedback = Feedback::default();
        let block = |share: usize| (0..64).map(move |at| trial("often", 1, at % 4 < share));
        (0..40).for_each(|_| feedback.add(&block(1).collect::<Vec<_>>()));
        let quarter = feedback.weight("often", 1);
        (0..400).for_each(|_| feedback.add(&block(2).collect::<Vec<_>>()));
        let half = feedback.weight("often", 1);
        assert!(half < quarter && quarter < 3 * half, "{quarter} {half}");
    }

    #[test]
    fn new_observations_raise_a_weight() {
        let mut feedback = Feedback::default();
        feedback.add(&[trial("one", 1, true), trial("two", 1, true)]);
        assert!(feedback.weight("one", 1) > UNIT && feedback.weight("two", 1) < UNIT);
    }

    #[test]
    fn stores_a_limited_number_of_observations() {
        let mut feedback = Feedback::default();
        let many: Vec<Trial> = (0..2 * MOST_SEEN as u64).map(|at| trial("one", at, false)).collect();
        feedback.add(&many);
        assert_eq!(feedback.seen.len(), MOST_SEEN);
    }
}
