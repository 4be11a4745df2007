//! Creates the file for each index of a campaign.

use torchproof::attack::Selection;

use super::HuntError;
use crate::attack::{AttackedFiles, Campaign, Choice, Source, part};

/// The files of a campaign, by index.
#[derive(Debug)]
pub struct Draw {
    seed: u64,
    pairs: bool,
    /// Generates the files with one attack.
    one: Campaign,
    /// Generates the files with several attacks.
    several: Campaign,
    /// Whether some files have no attack; `false` if the user selected attacks.
    with_valid: bool,
}

/// Of every `RARE` files in a campaign, one file has no attack and one file has several attacks.
const RARE: u64 = 8;
/// The number of attacks on a file with several attacks.
const SEVERAL: u32 = 3;
/// The number of attempts to generate a valid file.
const VALID_TRIES: u32 = 16;

impl Draw {
    /// Creates a campaign that applies the selected attacks to `sources`. If `sources` is empty, the campaign attacks
    /// generated files.
    ///
    /// If `pairs` is set, the list `sources` must contain a data file after each program.
    ///
    /// # Errors
    ///
    /// Fails if no attack matches the selection, or if `pairs` is set and the sources are not pairs.
    pub fn new(sources: &[Source], pairs: bool, selection: &Selection, seed: u64) -> Result<Self, HuntError> {
        let campaign = |depth| {
            let mut selection = selection.clone();
            selection.depth = depth;
            if pairs {
                Campaign::of_pairs(sources, selection, seed)
            } else {
                Campaign::new(sources.to_vec(), selection, seed)
            }
        };
        let with_valid = selection.family.is_none() && selection.rule.is_none();
        Ok(Self { seed, pairs, one: campaign(1)?, several: campaign(SEVERAL)?, with_valid })
    }

    /// Returns whether readers load programs together with their data files.
    pub(super) const fn is_of_pairs(&self) -> bool {
        self.pairs
    }

    pub(super) fn specimen(&self, index: u64) -> Result<AttackedFiles, HuntError> {
        if self.with_valid && index.is_multiple_of(RARE) {
            let mut choice = Choice::of(part(part(self.seed, index), 2));
            let mut tries = (0..VALID_TRIES).filter_map(|_| self.one.make_valid(index, &mut choice));
            if let Some(valid) = tries.next() {
                return Ok(valid);
            }
        }
        let campaign = if index % RARE == 1 { &self.several } else { &self.one };
        Ok(campaign.make(index)?)
    }
}
