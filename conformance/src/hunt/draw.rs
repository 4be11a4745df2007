//! Which file has which number.

use torchproof::attack::Selection;

use super::HuntError;
use crate::attack::{AttackedFiles, Campaign, Choice, Source, part};

/// The files of a campaign, by number.
#[derive(Debug)]
pub struct Draw {
    seed: u64,
    pairs: bool,
    /// One attack on a file.
    one: Campaign,
    /// Several attacks on a file.
    several: Campaign,
    /// Whether valid files are among them: not where only some attacks are wanted.
    with_valid: bool,
}

/// One file in so many is valid, and of the others one in as many has several attacks on it.
const RARE: u64 = 8;
/// How many attacks are several.
const SEVERAL: u32 = 3;
/// How many valid files are made until there is one.
const VALID_TRIES: u32 = 16;

impl Draw {
    /// Files made of these sources by attacks of this selection, or with `pairs` programs, each with the data file after it;
    /// without a source, of generated files.
    ///
    /// # Errors
    ///
    /// There is no such attack, or the files are not in pairs.
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

    /// Whether programs are put to readers with their data files.
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
