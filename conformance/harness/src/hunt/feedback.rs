//! Chooses bases and attacks. A base or attack gets a lower weight if it repeats known clusters, and a higher weight
//! if it leads to new outcomes.
//!
//! The files of a campaign form blocks of [`BLOCK`] files. All files of a block use the same weights, which depend only
//! on the outcomes of earlier blocks. The files of a campaign are therefore the same with any number of threads.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// The number of files in a block.
pub(super) const BLOCK: u64 = 128;

/// The maximum number of stored observations. Later observations count as known.
const MOST_SEEN: usize = 4096;
/// The factor for initial weights, so that integers can also represent fractions of an initial weight.
const UNIT: u64 = 256;
/// The factor for a base or attack that has not been used.
const UNUSED: u64 = 4;

/// The outcomes of the files that used one base or attack. The counts decay with each block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// The number of files that repeated a known cluster, multiplied by [`REPEATED`].
    repeated: u64,
    /// The number of files with a new observation, multiplied by [`FRESH`].
    fresh: u64,
}

const REPEATED: u64 = 64;
const FRESH: u64 = 64;
/// If [`Record::fresh`] equals this constant, a weight doubles; if [`Record::repeated`] equals this constant, a weight
/// halves.
const SCALE: u64 = 16;

/// The part of the outcomes so far that affects later files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Feedback {
    /// The number of complete blocks.
    pub(super) blocks: u64,
    records: BTreeMap<String, Record>,
    /// The hashes of the observations so far.
    seen: BTreeSet<u64>,
}

/// The base and the attacks of a file, and the observations on its outcomes.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    /// The names of the base and of the attacks.
    pub(super) used: Vec<String>,
    /// The hashes of the observations on the outcomes.
    pub(super) observed: Vec<u64>,
    /// Whether the file has a finding.
    pub(super) failed: bool,
}

impl Feedback {
    /// Adds the trials of the next block, ordered by the index of the file.
    pub(super) fn add(&mut self, block: &[Trial]) {
        for record in self.records.values_mut() {
            record.repeated -= record.repeated.div_ceil(32);
            record.fresh -= record.fresh.div_ceil(4);
        }
        for trial in block {
            let mut is_new = false;
            for hash in &trial.observed {
                is_new |= self.seen.len() < MOST_SEEN && self.seen.insert(*hash);
            }
            for name in &trial.used {
                let record = self.records.entry(name.clone()).or_default();
                match (is_new, trial.failed) {
                    (true, _) => record.fresh += FRESH,
                    (false, true) => record.repeated += REPEATED,
                    (false, false) => {}
                }
            }
        }
        self.blocks += 1;
    }

    /// Returns the current weight of a base or attack; `usual` is the initial weight.
    pub(super) fn weight(&self, name: &str, usual: u64) -> u64 {
        let usual = usual * UNIT;
        let Some(Record { repeated, fresh }) = self.records.get(name) else { return usual * UNUSED };
        (usual * (SCALE + fresh) / (SCALE + repeated)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(name: &str, observed: u64, failed: bool) -> Trial {
        Trial { used: vec![name.to_owned()], observed: vec![observed], failed }
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
        (0..400).for_each(|_| feedback.add(&[]));
        assert_eq!(feedback.weight("dull", 1), UNIT);
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
